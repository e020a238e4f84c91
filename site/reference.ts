// Writes the contract as Markdown for the page "Reference", which can be read without scripts.

import { openapiDocument } from './contract/document.ts';
import type { DocumentedResponse } from './contract/responses.ts';
import type { Schema } from './contract/schemas.ts';
import { SITE_ADDRESS } from './markdown.ts';

const { info, paths, components } = openapiDocument();
type Operation = (typeof paths)[string]['get'];

export function referenceMarkdown(): string {
  // The contract's description has an introduction, followed by sections.
  const [introduction = '', ...sections] = info.description.split(/^(?=# )/m);
  return [
    `# ${info.title}`,
    introduction.trim(),
    ...Object.entries(paths).map(([path, { get }]) => firstCall(path, get)),
    `The [guide](integrating.md) explains how to install a [client](clients.md), and which flag and which subject to use. This page describes version ${info.version} of the contract, which is also available as [openapi.json](openapi.json).`,
    ...Object.entries(paths).map(([path, { get }]) => operation(path, get)),
    ...sections.map((section) => `#${section.trim()}`),
    '## Objects',
    ...Object.entries(components.schemas).map(
      ([name, schema]) => `### ${name}\n\n${fieldTable(schema)}`,
    ),
  ].join('\n\n');
}

/** A command that returns a 200 for everyone with a key, because a wallet without attestations gets a 200 too. */
function firstCall(path: string, { parameters }: Operation): string {
  const [{ name, examples } = { name: '', examples: {} }] = parameters;
  const [example] = Object.values(examples ?? {});
  const url = `${SITE_ADDRESS}${path}?${name}=${example?.value}`;
  return `\`\`\`sh\nexport POH_KEY=   # from an admin of the platform\ncurl -H "X-PoH-API-Key: $POH_KEY" \\\n  '${url}'\n\`\`\``;
}

function operation(path: string, get: Operation): string {
  const { summary, description, parameters, responses } = get;
  return [
    `## ${summary}`,
    `\`\`\`http\nGET ${SITE_ADDRESS}${path}\n\`\`\``,
    ...Object.values(components.securitySchemes).map(
      (scheme) => `Header \`${scheme.name}\`, required. ${scheme.description}`,
    ),
    description,
    '### Query parameters',
    table(
      ['Name', 'Type', 'Meaning'],
      parameters.map(({ name, schema, description: meaning }) => [
        `\`${name}\``,
        typeText(schema),
        meaning,
      ]),
    ),
    '### Headers of every response',
    table(
      ['Name', 'Meaning'],
      Object.entries(components.headers).map(([name, header]) => [
        `\`${name}\``,
        header.description,
      ]),
    ),
    ...Object.entries(responses).map(([status, response]) => responseText(status, response)),
  ].join('\n\n');
}

function responseText(status: string, { description, content }: DocumentedResponse): string {
  const bodies = Object.values(content).map(({ schema, examples }) => [
    `Body: ${typeText(schema)}.`,
    ...Object.values(examples ?? {}).map(
      ({ summary, value }) =>
        `<details>\n<summary>Example: ${summary}</summary>\n\n` +
        `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n\n</details>`,
    ),
  ]);
  return [`### Response ${status}`, description, ...bodies.flat()].join('\n\n');
}

function fieldTable({ properties = {}, required = [] }: Schema): string {
  return table(
    ['Field', 'Type', 'Meaning'],
    Object.entries(properties).map(([name, schema]) => [
      `\`${name}\`${required.includes(name) ? '' : ', optional'}`,
      typeText(schema),
      schema.description ?? '',
    ]),
  );
}

/** Describes a schema in one phrase: `array of Attestation`, `string, date-time`. */
function typeText(schema: Schema): string {
  const { $ref, items, type = 'any', format } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (items) return `array of ${typeText(items)}`;
  return format === undefined ? type : `${type}, ${format}`;
}

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
