// A document's values: from Firestore's messages to JavaScript's own.

export interface WireDocument {
  /** Its full resource name. */
  readonly name: string;
  readonly fields: Readonly<Record<string, WireValue>>;
}

type Int64 = number | { toNumber(): number };

/** At most one of these is the value's own; the others are defaults that it inherits. */
interface WireValue {
  readonly stringValue: string;
  readonly timestampValue: { readonly seconds: Int64; readonly nanos: number };
  readonly integerValue: Int64;
  readonly booleanValue: boolean;
  readonly doubleValue: number;
}

/**
 * A document's fields as plain values: text, numbers, booleans and instants (`toMillis`, as the
 * SDK's). A value of another kind is null: no record of ours has one.
 */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf({ fields }: WireDocument): Fields {
  const plain: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) plain[name] = plainValue(fields[name] as WireValue);
  return plain;
}

function plainValue(wire: WireValue): unknown {
  if (Object.hasOwn(wire, 'stringValue')) return wire.stringValue;
  if (Object.hasOwn(wire, 'timestampValue')) return new Instant(wire.timestampValue);
  if (Object.hasOwn(wire, 'integerValue')) return numberOf(wire.integerValue);
  if (Object.hasOwn(wire, 'booleanValue')) return wire.booleanValue;
  if (Object.hasOwn(wire, 'doubleValue')) return wire.doubleValue;
  return null;
}

const numberOf = (int64: Int64): number => (typeof int64 === 'number' ? int64 : int64.toNumber());

class Instant {
  readonly #timestamp: WireValue['timestampValue'];

  constructor(timestamp: WireValue['timestampValue']) {
    this.#timestamp = timestamp;
  }

  /** @returns milliseconds since the epoch, rounded down, as by the SDK */
  toMillis(): number {
    const { seconds, nanos } = this.#timestamp;
    return numberOf(seconds) * 1_000 + Math.floor(nanos / 1_000_000);
  }
}
