// Writes the contract's types, words and codes for the clients, from the schemas of the OpenAPI document.

import { ERRORS } from '../../contract/errors.ts';
import { componentSchemas, type Schema } from './schemas.ts';

const { Attestation: attestation = {}, LookupResult: result = {} } = componentSchemas();

/** Writes the fields that are required, and those that are not, as text. */
function fieldsOf(
  { properties = {}, required = [] }: Schema,
  write: (name: string, field: Schema, isRequired: boolean) => string,
): [required: string, optional: string] {
  const textOf = (isRequired: boolean): string =>
    Object.entries(properties)
      .filter(([name]) => required.includes(name) === isRequired)
      .map(([name, field]) => write(name, field, isRequired))
      .join('');
  return [textOf(true), textOf(false)];
}

/** A comment above a field, in lines of at most 120 characters. */
function comment(text: string): string {
  const line = `  /** ${text} */`;
  if (line.length <= 120) return line;
  return `  /**\n${text.replaceAll(/(.{1,115})(?: |$)/g, '   * $1\n')}   */`;
}

/** The status and the message of each code, as the lines of an object. */
const codes = (): string =>
  Object.entries(ERRORS)
    .map(([code, { status, message }]) => {
      const line = `  ${code}: [${status}, '${message}'],\n`;
      return line.length > 101 ? `  ${code}: [\n    ${status},\n    '${message}',\n  ],\n` : line;
    })
    .join('');

const aboutSubject = (): string[] =>
  Object.entries(ERRORS).flatMap(([code, { isAboutSubject }]) => (isAboutSubject ? [code] : []));

/** Examples of the values of each type, from which TypeScript infers it. */
const TYPESCRIPT: Readonly<Record<string, string>> = {
  array: '[] as Attestation[]',
  boolean: 'false',
  integer: '0',
  string: "''",
};

export function typescriptTypes(): string {
  const typeOf = (name: string, example: string, schema: Schema): string => {
    const [required, optional] = fieldsOf(schema, (field, { type = '', ...more }, isRequired) => {
      const { description = '', examples = [] } = more;
      // Editors complete the known texts, and types allow others.
      const known = examples.map((value) => `'${value}' | `).join('');
      const text = type === 'string' && known ? `'' as ${known}(string & {})` : TYPESCRIPT[type];
      const line = isRequired ? `${field}: ${text},` : `${field}?: ${type};`;
      return `${comment(description)}\n  ${line}\n`;
    });
    const members = optional && ` & {\n${optional}}`;
    return `/** An example of the fields that it must have. */\nconst ${example} = {\n${required}};\n
export type ${name} = typeof ${example}${members};\n`;
  };
  return [
    typeOf('Attestation', 'ATTESTATION', attestation),
    typeOf('ResultBody', 'RESULT', result),
    `/** The status of each code, what it means, and what to do. */\nexport const CODES = {\n${codes()}} as const;`,
    `/** Refused with one of these, another subject may get a result. */\nexport const ABOUT_SUBJECT = [\n  '${aboutSubject().join("',\n  '")}',\n];`,
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
  const write = (name: string, { type = '' }: Schema): string => `    ${name}: ${PYTHON[type]}\n`;
  const typeOf = (name: string, schema: Schema): string => {
    const [required, optional] = fieldsOf(schema, write);
    // Python 3.9 has no type for one optional field, so they are in a class of their own.
    return optional === ''
      ? `class ${name}(TypedDict):\n${required}`
      : `class _Required${name}(TypedDict):\n${required}\n\nclass ${name}(_Required${name}, total=False):\n${optional}`;
  };
  const types = `${typeOf('Attestation', attestation)}\n\n${typeOf('ResultBody', result)}`;
  const codes = Object.entries(ERRORS).map(
    ([code, { status, message }]) => `    "${code}": (${status}, "${message}"),\n`,
  );
  return `${types}\n\n# The status of each code, what it means, and what to do.\nCODES = {\n${codes.join('')}}\n
# Refused with one of these, another subject may get a result.\nABOUT_SUBJECT = ("${aboutSubject().join('", "')}")`;
}
