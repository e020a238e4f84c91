// Writes the contract:
//   npm run openapi       writes docs/openapi.json
//   npm run check         runs this with --check, which only reports whether the file is current

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { openapiDocument } from './document.ts';

const FILE = new URL('../../docs/openapi.json', import.meta.url);
const text = `${JSON.stringify(openapiDocument(), null, 2)}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, text);
} else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
  console.error('docs/openapi.json is out of date. Run `npm run openapi`.');
  process.exitCode = 1;
}
