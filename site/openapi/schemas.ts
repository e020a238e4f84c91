// The contract's schemas, which zod converts from the code's schemas to JSON Schema. They are open for later
// additions.

import * as z from 'zod';
import { MODES } from '../../contract/endpoint.ts';
import { DEMONSTRATION } from '../../contract/examples.ts';
import {
  attestationSchema,
  errorBodySchema,
  lookupResultSchema,
  SUBJECT_PARAMETERS,
} from '../../contract/schemas.ts';

export const schemaReference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const JSON_SCHEMA = {
  target: 'draft-2020-12',
  // Objects stay open, because fields may be added later and clients have to tolerate them.
  io: 'input',
  uri: (id: string) => schemaReference(id).$ref,
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    // JavaScript's largest integer is not a limit of the field.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    // These formats say nearly everything. Their patterns of hundreds of characters only obscure it.
    if (jsonSchema.format === 'uuid') delete jsonSchema.pattern;
    if (jsonSchema.format === 'date-time') jsonSchema.pattern = '\\.\\d{3}Z$';
    // Closed lists are opened. Types, statuses and codes may be added, and generated clients would refuse others.
    const { enum: values, minimum = 0, maximum } = jsonSchema;
    if (values) jsonSchema.examples = values;
    if (maximum) {
      jsonSchema.examples = Array.from({ length: maximum - minimum + 1 }, (_, n) => minimum + n);
    }
    delete jsonSchema.enum;
    delete jsonSchema.maximum;
  },
} as const;

const published = z.registry<{ id: string }>();
published.add(attestationSchema, { id: 'Attestation' });
published.add(lookupResultSchema, { id: 'LookupResult' });
published.add(errorBodySchema, { id: 'ErrorBody' });

/** The parts of a JSON Schema that the contract uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export function componentSchemas(): Record<string, Schema> {
  const { schemas } = z.toJSONSchema(published, JSON_SCHEMA);
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema as Schema]),
  );
}

/** The query parameters, in the order in which they are checked. */
export const subjectParameters = () =>
  MODES.map((name) => {
    const json = z.toJSONSchema(SUBJECT_PARAMETERS[name], JSON_SCHEMA);
    const { $schema, description = '', ...schema } = json;
    const example = DEMONSTRATION[name];
    return { name, in: 'query', description, schema: schema as Schema, example };
  });
