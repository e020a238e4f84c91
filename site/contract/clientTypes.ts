// Writes the contract's types, words and codes for the clients, from the schemas of the OpenAPI document.

import { ERROR_CODES, ERRORS } from '../../functions/src/errors.ts';
import { ATTESTATION_TYPES } from '../../records/attestation.ts';
import { componentSchemas, type Schema } from './schemas.ts';

const { Attestation: attestation = {}, LookupResult: result = {} } = componentSchemas();

const fieldsOf = ({ properties = {}, required = [] }: Schema) =>
  Object.entries(properties).map(([name, { type = '', description = '' }]) => ({
    name,
    type,
    isRequired: required.includes(name),
    description,
  }));

/** A comment above a field, in lines of at most 120 characters. */
function comment(text: string): string {
  const line = `  /** ${text} */`;
  if (line.length <= 120) return line;
  return `  /**\n${text.replaceAll(/(.{1,115})(?: |$)/g, '   * $1\n')}   */`;
}

const TYPESCRIPT: Readonly<Record<string, string>> = { array: 'Attestation[]', integer: 'number' };

const entries = (fields: readonly (readonly [string, unknown])[]): string =>
  fields.map(([name, value]) => `  ${name}: ${value},\n`).join('');

const TYPE_NUMBERS = Object.entries(ATTESTATION_TYPES).map(
  ([name, { number }]) => [name, number] as const,
);

export function typescriptTypes(): string {
  const typeOf = (name: string, schema: Schema): string => {
    const lines = fieldsOf(schema).map(
      ({ name: field, type, isRequired, description }) =>
        `${comment(description)}\n  ${field}${isRequired ? '' : '?'}: ${TYPESCRIPT[type] ?? type};\n`,
    );
    return `export interface ${name} {\n${lines.join('')}}\n`;
  };
  const required = (name: string, schema: Schema): string => {
    const fields = fieldsOf(schema).filter(({ isRequired }) => isRequired);
    const types = fields.map(({ name: field, type }) => [field, `'${type}'`] as const);
    return `/** The types of the fields that it must have. */\nexport const ${name} = {\n${entries(types)}} as const;\n`;
  };
  return [
    typeOf('Attestation', attestation),
    `/** The body of a 200. */\n${typeOf('ResultBody', result)}`,
    required('ATTESTATION_FIELDS', attestation),
    required('RESULT_FIELDS', result),
    `/** The numbers of the attestation types. */\nexport const ATTESTATION_TYPE = {\n${entries(TYPE_NUMBERS)}} as const;\n`,
    `/** The codes, and whether a request with the same key may succeed with another subject. */\nexport const IS_ABOUT_SUBJECT = {\n${entries(ERROR_CODES.map((code) => [code, ERRORS[code].isAboutSubject]))}} as const;`,
  ].join('\n');
}

const PYTHON: Readonly<Record<string, string>> = {
  array: 'list[Attestation]',
  boolean: 'bool',
  integer: 'int',
  string: 'str',
};

/** Editors show no comments on the fields of a TypedDict, so the contract describes them. */
const SEE = '    """openapi.json on the site describes each field."""\n\n';

export function pythonTypes(): string {
  const typeOf = (name: string, schema: Schema): string => {
    const fields = (isRequired: boolean): string[] =>
      fieldsOf(schema)
        .filter((field) => field.isRequired === isRequired)
        .map(({ name: field, type }) => `    ${field}: ${PYTHON[type] ?? type}\n`);
    const [required, optional] = [fields(true), fields(false)];
    // Python 3.9 has no type for one optional field, so they are in a class of their own.
    return optional.length === 0
      ? `class ${name}(TypedDict):\n${SEE}${required.join('')}`
      : `class _Required${name}(TypedDict):\n${required.join('')}\n\nclass ${name}(_Required${name}, total=False):\n${SEE}${optional.join('')}`;
  };
  const pairs = (values: readonly (readonly [string, unknown])[]): string =>
    values.map(([name, value]) => `    "${name}": ${value},\n`).join('');
  const notAbout = ERROR_CODES.filter((code) => !ERRORS[code].isAboutSubject);
  return [
    `${typeOf('Attestation', attestation)}\n`,
    `${typeOf('ResultBody', result)}\n`,
    `# The numbers of the attestation types.\n_ATTESTATION_TYPE = {\n${pairs(TYPE_NUMBERS)}}\n`,
    `# The codes with which a request with the same key fails for every subject.\n_NOT_ABOUT_SUBJECT = ${JSON.stringify(notAbout).replaceAll(',', ', ')}`,
  ].join('\n');
}
