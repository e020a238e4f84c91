// Builds public/site, the site that Firebase Hosting serves:
//   npm run page              as it is deployed
//   npm run page -- --local   with the pages about the local emulators, as `npm start` serves it

import { fileURLToPath } from 'node:url';
import { buildSite } from '../page/build.ts';

const PUBLIC = fileURLToPath(new URL('../public/site', import.meta.url));

await buildSite(PUBLIC, { local: process.argv.includes('--local') });
