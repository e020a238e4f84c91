// Writes the first page and the page "Reference" from the contract, as Markdown with HTML for columns.

import { basename } from 'node:path';
import { ENDPOINT_PATH, KEY_HEADER } from '../contract/endpoint.ts';
import { errorExample, firstExample } from '../contract/examples.ts';
import type { Operator } from '../tools/deployment.ts';
import { escapeHtml, highlight, SITE_ADDRESS } from './markdown.ts';
import { OPERATION, openapiDocument, VERSION, VERSION_DATE } from './openapi/document.ts';
import { table } from './openapi/responses.ts';
import type { Schema } from './openapi/schemas.ts';

const { info, components } = openapiDocument();

/** The contract's description has an introduction and a section about errors. */
const [introduction = '', errors = ''] = info.description.split(/^(?=# )/m);

/** A command that returns a 200 for everyone with a key, because a wallet without attestations gets a 200 too. */
const REQUEST = `\`\`\`sh\ncurl -G ${SITE_ADDRESS}${ENDPOINT_PATH} \\\n  -H "${KEY_HEADER}: $POH_KEY" \\\n  -d wallet=${firstExample.wallet}\n\`\`\``;

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** As HTML, because Markdown's blocks of code have no marks. */
const SHORT_RESPONSE = `<pre><code>${highlight(
  json({ ...firstExample, attestations: [] }).replace('[]', '[ … ]'),
  'json',
).replace(/ *<[^>]*>&quot;hasVerifiedHuman.*/, '<mark>$&</mark>')}</code></pre>`;

const columns = (left: readonly string[], right: readonly string[]): string =>
  ['<div class="pair">\n<div>', ...left, '</div>\n<div>', ...right, '</div>\n</div>'].join('\n\n');

/** @param operator is named and linked to as far as it is known */
export function homeMarkdown({ name, help }: Operator): string {
  const who = escapeHtml(name) || 'the operator';
  const ask = help && `<a class="button" href="${escapeHtml(help)}">Ask ${who} for a key</a>`;
  const helper = help ? `[${who}](${help})` : who;
  return [
    '# Know that each voter is a real human',
    'One request tells a governance platform whether a person is a verified human, and which proposals they voted on or supported.',
    `<p class="actions"><a class="button" href="/guide.html">Read the guide</a>${ask}</p>`,
    columns(['**Request**', REQUEST], ['**Response, shortened**', SHORT_RESPONSE]),
    `## Three steps

1. **Get an API key** from ${helper}, who runs this service.
2. **Call the endpoint** from your server, with a wallet, an e-mail address or a token of the person. The
   [guide](integrating.md) shows the first call, and the [clients](clients.md) for TypeScript and Python do it for you.
3. **Gate**: admit the person only if \`hasVerifiedHuman\` is true.

## Before you start

- **Limits:** a key may be limited to some kinds of lookup, to a time, and to a number of reads per second.
- **Network:** the attestations are on Solana devnet, a test network. A response is as current as the service's copy.
- **Stability:** the [contract](openapi.json) has version ${VERSION} of ${VERSION_DATE}. A change that would break your
  client is [announced](changes.md) 90 days ahead. The [reference](contract.md) has every field and error.`,
  ].join('\n\n');
}

/** browser/status.ts fills it in. */
export const STATUS_MARKDOWN = `# Status

Lookups read a copy of the attestations on the chain, the mirror. This is how current it is.

<div id="mirror" role="status">This part of the page needs JavaScript.</div>

**If the mirror is behind**, \`hasVerifiedHuman\` is false for people who were verified since then. Ask them to come back
later. Whoever is shown as verified still counts, unless a notice above says otherwise.

This state is written every hour, and each attestation is compared with the chain every day. The
[guide](integrating.md#handle-failures) says what to do when lookups fail.`;

/** @param contract the document that the page ends with */
export function referenceMarkdown(contract: string): string {
  const { 200: found, default: platform } = OPERATION.responses;
  const headers: Readonly<Record<string, { readonly description: string }>> = Object.assign(
    {},
    ...Object.values(OPERATION.responses).map((response) => response.headers),
    components.headers,
  );
  return [
    '# Reference',
    introduction.trim(),
    `This page shows version ${info.version} of the contract, which is also available as [openapi.json](openapi.json).`,
    `## ${OPERATION.summary}`,
    columns(
      [
        `\`\`\`http\nGET ${ENDPOINT_PATH}\n\`\`\``,
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
    '## Response 200',
    columns(
      [found.description, objectText('LookupResult'), objectText('Attestation')],
      Object.values(found.content['application/json'].examples).map(({ summary, value }) =>
        example(summary, value),
      ),
    ),
    `#${errors.trim()}`,
    columns([objectText('ErrorBody')], [example('An error', errorExample('missing_subject'))]),
    'The [guide](integrating.md#handle-failures) lists the codes.',
    "## Google Cloud's own responses",
    platform.description,
    '## Headers of responses',
    'Every response of the service has the first three.',
    table(
      ['Name', 'Meaning'],
      Object.entries(headers).map(([name, { description }]) => [`\`${name}\``, description]),
    ),
    contract.replaceAll(/^#/gm, '##'),
  ].join('\n\n');
}

const example = (summary: string, value: unknown): string =>
  `**${summary}**\n\n\`\`\`json\n${json(value)}\n\`\`\``;

function objectText(name: string): string {
  const { properties = {}, required = [] } = components.schemas[name] ?? {};
  const rows = Object.entries(properties).map(([field, each]) => [
    `\`${field}\`${required.includes(field) ? '' : ', optional'}`,
    typeText(each),
    each.description ?? '',
  ]);
  return `### ${name}\n\n${table(['Field', 'Type', 'Meaning'], rows)}`;
}

/** Describes a schema in one phrase: `array of Attestation`, `string, date-time`. */
function typeText({ $ref, items, type = 'any', format }: Schema): string {
  if ($ref !== undefined) return `[${basename($ref)}](#${basename($ref).toLowerCase()})`;
  if (items) return `array of ${typeText(items)}`;
  return format === undefined ? type : `${type}, ${format}`;
}
