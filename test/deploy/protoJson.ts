// Validates JSON against a message of Google's published API definitions (google-proto-files), as their
// servers read it (protobuf's JSON mapping). Stricter than protobufjs, which skips what it does not know.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Enum, type Field, MapField, Root, Type } from 'protobufjs';

const PROTOS = dirname(createRequire(import.meta.url).resolve('google-proto-files/package.json'));
const DURATION = /^-?\d+(\.\d{1,9})?s$/;

/** @param file its path in google-proto-files; @param name the message's full name */
export function loadMessage(file: string, name: string): Type {
  const root = new Root();
  root.resolvePath = (_origin, target) => join(PROTOS, target);
  root.loadSync(file).resolveAll();
  return root.lookupType(name);
}

/** @returns each error with its path; none when it is a message of this type */
export function validationErrors(type: Type, value: unknown, path = type.name): string[] {
  if (type.fullName === '.google.protobuf.Duration') {
    return typeof value === 'string' && DURATION.test(value) ? [] : [`${path} is no duration`];
  }
  if (type.fullName === '.google.protobuf.DoubleValue') return scalarErrors('double', value, path);
  if (!isObject(value)) return [`${path} is no object`];
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(type.fields, key));
  const twice = type.oneofsArray.filter(
    ({ oneof }) => oneof.filter((name) => Object.hasOwn(value, camelCase(name))).length > 1,
  );
  return [
    ...unknown.map((key) => `${path}.${key} is unknown to ${type.fullName}`),
    ...twice.map(({ name }) => `${path} has more than one of ${name}`),
    ...type.fieldsArray
      .filter((field) => Object.hasOwn(value, field.name))
      .flatMap((field) => fieldErrors(field, value[field.name], `${path}.${field.name}`)),
  ];
}

function fieldErrors(field: Field, value: unknown, path: string): string[] {
  if (field instanceof MapField) {
    if (!isObject(value)) return [`${path} is no map`];
    return Object.entries(value).flatMap(([key, one]) => valueErrors(field, one, `${path}.${key}`));
  }
  if (!field.repeated) return valueErrors(field, value, path);
  if (!Array.isArray(value)) return [`${path} is no list`];
  return value.flatMap((one, index) => valueErrors(field, one, `${path}[${index}]`));
}

function valueErrors(field: Field, value: unknown, path: string): string[] {
  const type = field.resolvedType;
  if (type instanceof Type) return validationErrors(type, value, path);
  if (!(type instanceof Enum)) return scalarErrors(field.type, value, path);
  const known = typeof value === 'string' && Object.hasOwn(type.values, value);
  return known ? [] : [`${path} is none of ${Object.keys(type.values).join(', ')}`];
}

function scalarErrors(type: string, value: unknown, path: string): string[] {
  const expected = type === 'bool' ? 'boolean' : type === 'string' ? 'string' : 'number';
  return typeof value === expected ? [] : [`${path} is no ${type}`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
