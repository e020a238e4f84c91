// Writes what follows from the code: the contract, the version of every package, and the generated parts of the
// clients and the documents, which are between two marks.
//   npm run generate      writes them
//   npm run check         runs this with --check, which only names the files that differ

import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { firstExample } from '../../contract/examples.ts';
import { ATTESTATION_TYPES } from '../../contract/result.ts';
import { pythonTypes, typescriptTypes } from './clientTypes.ts';
import { openapiDocument, VERSION } from './document.ts';
import { errorTable, table } from './responses.ts';

const CONTRACT = 'docs/openapi.json';

/** The generated parts, by the file that they follow from and the kind of file that they are in. */
const PARTS: Readonly<Record<string, () => string>> = {
  'contract/schemas.ts in .ts': typescriptTypes,
  'contract/schemas.ts in .py': pythonTypes,
  'contract/errors.ts in .md': errorTable,
  'contract/examples.ts in .md': () =>
    `<!-- by hand -->\n\`\`\`json\n${JSON.stringify(firstExample, null, 2)}\n\`\`\``,
  'contract/result.ts in .md': () =>
    table(
      ['Type', 'Name', 'The holder', '`contextHashHex`'],
      Object.entries(ATTESTATION_TYPES).map(([name, { number, meaning, contextHash }]) => [
        ...[number, `\`${name}\``, meaning, contextHash],
      ]),
    ),
};

const PART =
  /^([^\w\n]* generated from (\S+) by npm run generate\b.*\n)[\s\S]*?^([^\w\n]* end of the generated part)/gm;
/** Where the version is: in the package files, in the clients' sources, and in the addresses of their archives. */
const VERSIONS = [
  /("name": "poh-attestations",\n\s*"version": ")[^"]+/g,
  /^(export const VERSION = '|__version__ = ")[^'"]+/gm,
  /(\bpoh[-_]attestations-)\d+\.\d+\.\d+/g,
];

function generate(file: string, text: string): string {
  return VERSIONS.reduce(
    (rest, pattern) => rest.replaceAll(pattern, `$1${VERSION}`),
    text,
  ).replaceAll(PART, (_, begin: string, source: string, end: string) => {
    const part = PARTS[`${source} in ${extname(file)}`];
    if (!part) throw new Error(`${file}: nothing is generated from ${source}. Correct the mark.`);
    return `${begin}${part()}\n${end}`;
  });
}

interface Contract {
  readonly info: { readonly version: string };
}

/** Whether two contracts have the same first two numbers, although they differ in more than words. */
export function needsNewNumber(published: Contract, contract: Contract): boolean {
  const firstNumbers = ({ info }: Contract): string => info.version.replace(/\.\d+$/, '');
  return (
    firstNumbers(published) === firstNumbers(contract) && formOf(published) !== formOf(contract)
  );
}

/** @returns the contract without its words; the examples of errors are named after their codes */
const formOf = ({ info: _, ...contract }: Contract): string =>
  JSON.stringify(contract, (name, value) => {
    if (['description', 'summary', 'example'].includes(name)) return undefined;
    return name === 'examples' ? Object.keys(value) : value;
  });

/** @returns the exit status */
function generateAll(isCheck: boolean): number {
  const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const published = read(CONTRACT);
  const contract = openapiDocument();
  if (published !== '' && needsNewNumber(JSON.parse(published), contract)) {
    console.error(
      `The contract changed in more than words, so it needs a new second number. Add a heading with it to docs/changes.md. If ${VERSION} was never deployed, delete ${CONTRACT} instead.`,
    );
    return 1;
  }
  const files = globSync('{package*.json,docs/*.md,clients/{typescript,python}/**/*.{json,py,ts}}');
  const generated = [
    { file: CONTRACT, before: published, after: `${JSON.stringify(contract, null, 2)}\n` },
    ...files.map((file) => ({ file, before: read(file), after: generate(file, read(file)) })),
  ];
  const changed = generated.filter(({ before, after }) => before !== after);
  for (const { file, after } of changed) {
    console.log(`${file} ${isCheck ? 'is out of date. Run `npm run generate`.' : 'was written'}`);
    if (!isCheck) writeFileSync(file, after);
  }
  return isCheck && changed.length > 0 ? 1 : 0;
}

if (import.meta.main) process.exitCode = generateAll(process.argv.includes('--check'));
