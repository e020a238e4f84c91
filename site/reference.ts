// Writes the first page and the page "Reference" from the contract, as Markdown with HTML for columns.

import { OPERATION, openapiDocument, PATH } from './contract/document.ts';
import { firstExample } from './contract/examples.ts';
import { type DocumentedResponse, table } from './contract/responses.ts';
import type { Schema } from './contract/schemas.ts';
import { SITE_ADDRESS } from './markdown.ts';

const { info, components } = openapiDocument();

/** The contract's description has an introduction, followed by sections. */
const [introduction = '', ...chapters] = info.description.split(/^(?=# )/m);

/** A command that returns a 200 for everyone with a key, because a wallet without attestations gets a 200 too. */
const REQUEST = `\`\`\`sh\ncurl -H "X-PoH-API-Key: $POH_KEY" \\\n  '${SITE_ADDRESS}${PATH}?wallet=${firstExample.wallet}'\n\`\`\``;

const fence = (value: unknown, name = ''): string =>
  `\`\`\`json ${name}\n${JSON.stringify(value, null, 2)}\n\`\`\``;

const columns = (left: readonly string[], right: readonly string[]): string =>
  ['<div class="pair">\n<div>', ...left, '</div>\n<div>', ...right, '</div>\n</div>'].join('\n\n');

/** @param changed the date of the contract's version */
export const homeMarkdown = (changed: string): string =>
  [
    `# ${info.title}`,
    '<p class="lead">One request tells your server whether a person is a verified human, and which proposals they voted on or supported.</p>',
    columns(
      [
        '**Request**',
        REQUEST,
        `<ul class="ways">
<li><a href="guide.html">Guide</a> Make the first lookup, then gate a vote, a grant or a sign-up.</li>
<li><a href="reference.html">Reference</a> Every parameter, field, status and error code.</li>
<li><a href="clients.html">Clients</a> For TypeScript and Python.</li>
</ul>`,
        `The [contract](openapi.json) (OpenAPI 3.1) has version **${info.version}** of ${changed}. A change that would break your client is [announced](changes.md) 90 days ahead.`,
      ],
      ['**Response**', fence(firstExample)],
    ),
  ].join('\n\n');

export function referenceMarkdown(): string {
  // Each object is described where it is first returned.
  const described = new Set<string>();
  return [
    '# Reference',
    introduction.trim(),
    `This page shows version ${info.version} of the contract, which is also available as [openapi.json](openapi.json).`,
    `## ${OPERATION.summary}`,
    columns(
      [
        `\`\`\`http\nGET ${PATH}\n\`\`\``,
        ...Object.values(components.securitySchemes).map(
          ({ name, description }) => `Header \`${name}\`, required. ${description}`,
        ),
        OPERATION.description,
      ],
      [REQUEST],
    ),
    '### Query parameters',
    table(
      ['Name', 'Type', 'Meaning'],
      OPERATION.parameters.map(({ name, schema, description }) => [
        `\`${name}\``,
        typeText(schema),
        description,
      ]),
    ),
    ...Object.entries(OPERATION.responses).map(([status, response]) =>
      responseText(status, response, described),
    ),
    "## Headers of the service's responses",
    table(
      ['Name', 'Meaning'],
      Object.entries(components.headers).map(([name, header]) => [
        `\`${name}\``,
        header.description,
      ]),
    ),
    ...chapters.map((chapter) => `#${chapter.trim()}`),
  ].join('\n\n');
}

function responseText(
  status: string,
  { description, content }: DocumentedResponse,
  described: Set<string>,
): string {
  const bodies = Object.values(content);
  const objects = bodies.flatMap(({ schema }) => objectTexts(schema, described));
  const examples = bodies.flatMap((body) => Object.values(body.examples ?? {}));
  const code = examples.map(({ summary, value }) => fence(value, summary));
  return [`## Response ${status}`, columns([description, ...objects], code)].join('\n\n');
}

/** The tables of an object and of the objects in it. */
function objectTexts({ $ref = '' }: Schema, described: Set<string>): string[] {
  const name = nameOf($ref);
  const schema = components.schemas[name];
  if (schema === undefined || described.has(name)) return [];
  described.add(name);
  const { properties = {}, required = [] } = schema;
  const rows = Object.entries(properties).map(([field, each]) => [
    `\`${field}\`${required.includes(field) ? '' : ', optional'}`,
    typeText(each),
    each.description ?? '',
  ]);
  const inner = Object.values(properties).flatMap(({ items }) =>
    items === undefined ? [] : objectTexts(items, described),
  );
  return [`### ${name}`, table(['Field', 'Type', 'Meaning'], rows), ...inner];
}

const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

/** Describes a schema in one phrase: `array of Attestation`, `string, date-time`. */
function typeText({ $ref, items, type = 'any', format }: Schema): string {
  if ($ref !== undefined) return `[${nameOf($ref)}](#${nameOf($ref).toLowerCase()})`;
  if (items) return `array of ${typeText(items)}`;
  return format === undefined ? type : `${type}, ${format}`;
}
