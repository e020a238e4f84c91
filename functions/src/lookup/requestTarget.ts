/** A raw request target (RFC 9112, 3.2), not decoded. The query has no question mark. */
export interface RequestTarget {
  readonly path: string;
  readonly query: string;
}

/** Splits a target. The absolute form (`http://host/path`) is accepted too. */
export function splitTarget(target: string): RequestTarget {
  const [path, ...query] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  return { path: path || '/', query: query.join('?') };
}
