// Owns reading a raw request target (RFC 9112, 3.2).

export interface RequestTarget {
  /** Not decoded. */
  readonly path: string;
  /** Without its question mark, not decoded. */
  readonly query: string;
}

/** Splits a target; its absolute form (`http://host/path`) is as good as the plain one. */
export function splitTarget(target: string): RequestTarget {
  const local = target.replace(/^https?:\/\/[^/?]*/i, '');
  const [path, ...query] = local.split('?');
  return { path: path || '/', query: query.join('?') };
}
