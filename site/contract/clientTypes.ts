// Generates the clients' types in TypeScript, Python and Go from the contract's objects. Each has a
// table of the fields that a response must have.

import { componentSchemas, LOOKUP_RESULT } from './wireSchemas.ts';

interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly items?: { readonly $ref?: string };
}

interface Field {
  readonly name: string;
  readonly text: string;
  readonly isRequired: boolean;
  /** `array` is an array of attestations. */
  readonly type: keyof typeof TYPES;
}

const TYPES = {
  array: { ts: 'Attestation[]', python: 'List[Attestation]', go: '[]Attestation' },
  boolean: { ts: 'boolean', python: 'bool', go: 'bool' },
  integer: { ts: 'number', python: 'int', go: 'int' },
  string: { ts: 'string', python: 'str', go: 'string' },
} as const;
const PYTHON_KINDS = { array: 'list', boolean: 'bool', integer: 'int', string: 'str' } as const;

const TEXT_WIDTH = 92;
/** There is no type for error bodies, because clients check each field of those by hand. */
const OBJECTS = ['Attestation', LOOKUP_RESULT];

/** gofmt aligns the values of a map. */
const GO_KEY_WIDTH = Math.max(...OBJECTS.map((object) => `"${object}":`.length));

const isType = (type: string | undefined): type is keyof typeof TYPES =>
  type !== undefined && type in TYPES;

function fieldsOf(object: string): Field[] {
  const { properties = {}, required = [] } = componentSchemas()[object] ?? {};
  return Object.entries(properties).map(([name, schema]) => {
    const { type, description: text = '', items } = schema as FieldSchema;
    const isOther = type === 'array' && items?.$ref?.endsWith('/Attestation') !== true;
    if (!isType(type) || isOther) throw new Error(`no client has a type for ${object}.${name}`);
    return { name, text, type, isRequired: required.includes(name) };
  });
}

/** @returns the text in lines of at most `TEXT_WIDTH` characters */
function wrap(text: string, before: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trimStart();
    if (before.length + line.length > TEXT_WIDTH) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines.map((line) => `${before}${line}`).join('\n');
}

const objects = (write: (object: string, fields: readonly Field[]) => string): string =>
  OBJECTS.map((object) => write(object, fieldsOf(object))).join('\n');

export function typescriptTypes(): string {
  const interfaces = objects((object, fields) => {
    const lines = fields.map(({ name, text, type, isRequired }) => {
      const comment = `  /**\n${wrap(text, '   * ')}\n   */\n`;
      return `${comment}  ${name}${isRequired ? '' : '?'}: ${TYPES[type].ts};`;
    });
    return `export interface ${object} {\n${lines.join('\n')}\n}\n`;
  });
  const shapes = objects((object, fields) => {
    const required = fields.filter(({ isRequired }) => isRequired);
    return `  ${object}: {\n${required.map(({ name, type }) => `    ${name}: '${type}',`).join('\n')}\n  },`;
  });
  return `${interfaces}\n/** The fields that a response must have. */\nexport const REQUIRED = {\n${shapes}\n} as const;\n`;
}

export function pythonTypes(): string {
  const classes = objects((object, fields) => {
    const lines = fields.map(
      ({ name, text, type }) => `${wrap(text, '    # ')}\n    ${name}: ${TYPES[type].python}`,
    );
    return `class ${object}(TypedDict, total=False):\n${lines.join('\n')}\n\n`;
  });
  const shapes = objects((object, fields) => {
    const required = fields.filter(({ isRequired }) => isRequired);
    const kinds = required.map(({ name, type }) => `        "${name}": ${PYTHON_KINDS[type]},`);
    return `    "${object}": {\n${kinds.join('\n')}\n    },`;
  });
  return `\n${classes}\n# The fields that a response must have.\n_REQUIRED = {\n${shapes}\n}\n`;
}

const goName = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}`;

export function goTypes(): string {
  const structs = objects((object, fields) => {
    const lines = fields.map(({ name, text, type, isRequired }) => {
      const tag = `\`json:"${name}${isRequired ? '' : ',omitempty'}"\``;
      return `${wrap(text, '\t// ')}\n\t${goName(name)} ${TYPES[type].go} ${tag}`;
    });
    const comment = `// ${object} is an object of the contract.\n`;
    return `${comment}type ${object} struct {\n${lines.join('\n')}\n}\n`;
  });
  const names = objects((object, fields) => {
    const required = fields.filter(({ isRequired }) => isRequired);
    const key = `"${object}":`.padEnd(GO_KEY_WIDTH);
    return `\t${key} {${required.map(({ name }) => `"${name}"`).join(', ')}},`;
  });
  return `\n${structs}\n// The fields that a response must have.\nvar required = map[string][]string{\n${names}\n}\n`;
}
