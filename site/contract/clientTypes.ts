// Writes the contract's types, words and codes for the clients, from the schemas of the OpenAPI document.

import { ERROR_CODES } from '../../functions/src/errors.ts';
import { componentSchemas, type Schema } from './schemas.ts';

const { Attestation: attestation = {}, LookupResult: result = {} } = componentSchemas();

/** Writes the fields that are required, and those that are not, as text. */
function fieldsOf(
  { properties = {}, required = [] }: Schema,
  write: (name: string, type: string, description: string, isRequired: boolean) => string,
): [required: string, optional: string] {
  const textOf = (isRequired: boolean): string =>
    Object.entries(properties)
      .filter(([name]) => required.includes(name) === isRequired)
      .map(([name, { type = '', description = '' }]) => write(name, type, description, isRequired))
      .join('');
  return [textOf(true), textOf(false)];
}

/** A comment above a field, in lines of at most 120 characters. */
function comment(text: string): string {
  const line = `  /** ${text} */`;
  if (line.length <= 120) return line;
  return `  /**\n${text.replaceAll(/(.{1,115})(?: |$)/g, '   * $1\n')}   */`;
}

/** Examples of the values of each type, from which TypeScript infers it. */
const TYPESCRIPT: Readonly<Record<string, string>> = {
  array: '[] as Attestation[]',
  boolean: 'false',
  integer: '0',
  string: "''",
};

export function typescriptTypes(): string {
  const typeOf = (name: string, example: string, schema: Schema): string => {
    const [required, optional] = fieldsOf(schema, (field, type, description, isRequired) => {
      const line = isRequired ? `${field}: ${TYPESCRIPT[type]},` : `${field}?: ${type};`;
      return `${comment(description)}\n  ${line}\n`;
    });
    const members = optional && ` & {\n${optional}}`;
    return `/** An example of the fields that it must have. */\nconst ${example} = {\n${required}};\n
export type ${name} = typeof ${example}${members};\n`;
  };
  const codes = ERROR_CODES.map((code) => `  | '${code}'\n`).join('');
  return [
    typeOf('Attestation', 'ATTESTATION', attestation),
    typeOf('ResultBody', 'RESULT', result),
    `/** A code of the contract, or \`not_the_service\`. Codes may be added, so decide by the status if you do not know one. */
export type Code =\n${codes}  | 'not_the_service'\n  | (string & {});`,
  ].join('\n');
}

const PYTHON: Readonly<Record<string, string>> = {
  array: 'list[Attestation]',
  boolean: 'bool',
  integer: 'int',
  string: 'str',
};

export function pythonTypes(): string {
  // Editors show no comments on the fields of a TypedDict, so the contract describes them.
  const write = (name: string, type: string): string => `    ${name}: ${PYTHON[type] ?? type}\n`;
  const typeOf = (name: string, schema: Schema): string => {
    const [required, optional] = fieldsOf(schema, write);
    // Python 3.9 has no type for one optional field, so they are in a class of their own.
    return optional === ''
      ? `class ${name}(TypedDict):\n${required}`
      : `class _Required${name}(TypedDict):\n${required}\n\nclass ${name}(_Required${name}, total=False):\n${optional}`;
  };
  return `${typeOf('Attestation', attestation)}\n\n${typeOf('ResultBody', result)}`.trimEnd();
}
