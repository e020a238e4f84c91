// Checks that a body is a result of the service, so that no other response admits anybody.

import { type Attestation, type LookupResult, REQUIRED } from './contract.ts';

export const isResult = (body: unknown): body is LookupResult =>
  fits<LookupResult>(body, REQUIRED.LookupResult) &&
  body.attestations.every((entry) => fits<Attestation>(entry, REQUIRED.Attestation));

function fits<T>(value: unknown, fields: Readonly<Record<string, string>>): value is T {
  if (typeof value !== 'object' || value === null) return false;
  const found = new Map(Object.entries(value));
  return Object.entries(fields).every(([name, type]) => {
    const field: unknown = found.get(name);
    if (type === 'integer') return Number.isInteger(field);
    return type === 'array' ? Array.isArray(field) : typeof field === type;
  });
}
