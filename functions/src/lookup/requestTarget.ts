// Splits a raw request target (RFC 9112, 3.2).

export interface RequestTarget {
  /** Not decoded. */
  readonly path: string;
  /** Without its question mark, not decoded. */
  readonly query: string;
}

/** @param target as sent; its absolute form (`http://host/path`) is accepted too */
export function splitTarget(target: string): RequestTarget {
  const local = target.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = local.indexOf('?');
  if (mark < 0) return { path: local || '/', query: '' };
  return { path: local.slice(0, mark) || '/', query: local.slice(mark + 1) };
}
