/** A raw request target (RFC 9112, 3.2), not decoded; the query without its question mark. */
export interface RequestTarget {
  readonly path: string;
  readonly query: string;
}

/** Splits a target; its absolute form (`http://host/path`) is accepted too. */
export function splitTarget(target: string): RequestTarget {
  const [path, ...query] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  return { path: path || '/', query: query.join('?') };
}
