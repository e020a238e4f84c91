// Builds public/site, the site that Firebase Hosting serves:
//   npm run page              builds it for the deployment
//   npm run page -- --local   adds the pages about the local emulators, for `npm start`

import { fileURLToPath } from 'node:url';
import { buildSite } from '../page/build.ts';

const PUBLIC = fileURLToPath(new URL('../public/site', import.meta.url));

await buildSite(PUBLIC, { local: process.argv.includes('--local') });
