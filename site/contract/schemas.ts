// The contract's schemas, which zod converts from the code's schemas to JSON Schema. They are open for later
// additions. Tests also validate responses against closed schemas.

import * as z from 'zod';
import {
  attestationSchema,
  errorBodySchema,
  lookupResultSchema,
  SUBJECT_PARAMETERS,
} from '../../functions/contract.ts';
import type { ErrorCode } from '../../functions/src/errors.ts';
import { MODES } from '../../functions/src/subject.ts';
import { EXAMPLE_SUBJECTS } from './examples.ts';
export const schemaReference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/**
 * Opens closed lists. Types, statuses and codes may be added, and generated clients would refuse
 * values outside a closed list.
 */
function open(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  const { enum: values, minimum = 0, maximum } = jsonSchema;
  if (values) {
    jsonSchema.examples = values;
    delete jsonSchema.enum;
  }
  if (maximum !== undefined) {
    jsonSchema.examples = Array.from(
      { length: maximum - minimum + 1 },
      (_, step) => minimum + step,
    );
    delete jsonSchema.maximum;
  }
}

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
    open(jsonSchema);
  },
} as const;

/** The published names of the bodies. All error statuses share one body. */
export const LOOKUP_RESULT = 'LookupResult';
export const ERROR_BODY = 'ErrorBody';

const published = z.registry<{ id: string }>();
published.add(attestationSchema, { id: 'Attestation' });
published.add(lookupResultSchema, { id: LOOKUP_RESULT });
published.add(errorBodySchema, { id: ERROR_BODY });

/** The parts of a JSON Schema that the contract uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
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

/** Exactly the fields of a 200 today, without any other field, type or status. */
export const closedLookupResult = () => z.toJSONSchema(lookupResultSchema);

/** @param codes the codes that a response of this status may have today */
export const closedErrorBody = (codes: readonly ErrorCode[]) =>
  z.toJSONSchema(errorBodySchema.extend({ code: z.enum(codes) }));

/** The query parameters, in the order in which they are checked. */
export const subjectParameters = () =>
  MODES.map((mode) => {
    const {
      $schema,
      description = '',
      ...schema
    } = z.toJSONSchema(SUBJECT_PARAMETERS[mode], JSON_SCHEMA);
    return {
      name: mode,
      in: 'query',
      description,
      schema: schema as Schema,
      examples: {
        demonstration: { value: EXAMPLE_SUBJECTS[mode] },
      },
    };
  });
