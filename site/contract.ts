// The parts of the published contract that the reference shows.

import * as z from 'zod';

const schemaSchema = z.object({
  $ref: z.string().optional(),
  type: z.string().optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  const: z.string().optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  required: z.array(z.string()).optional(),
  get items() {
    return schemaSchema.optional();
  },
  get anyOf() {
    return z.array(schemaSchema).optional();
  },
  get properties() {
    return z.record(z.string(), schemaSchema).optional();
  },
});
export type Schema = z.infer<typeof schemaSchema>;

const responseSchema = z.object({
  description: z.string(),
  content: z
    .record(
      z.string(),
      z.object({
        schema: schemaSchema,
        examples: z
          .record(z.string(), z.object({ summary: z.string(), value: z.unknown() }))
          .optional(),
      }),
    )
    .optional(),
});

const operationSchema = z.object({
  summary: z.string(),
  description: z.string(),
  parameters: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      schema: schemaSchema,
      examples: z.record(z.string(), z.object({ value: z.string() })).optional(),
    }),
  ),
  responses: z.record(z.string(), responseSchema),
});

export const contractSchema = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.object({ get: operationSchema })),
  components: z.object({
    headers: z.record(z.string(), z.object({ description: z.string() })),
    schemas: z.record(z.string(), schemaSchema),
    securitySchemes: z.record(z.string(), z.object({ name: z.string(), description: z.string() })),
  }),
});
export type Response = z.infer<typeof responseSchema>;
export type Operation = z.infer<typeof operationSchema>;
export type Contract = z.infer<typeof contractSchema>;
