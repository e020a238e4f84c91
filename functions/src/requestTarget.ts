// Reads a raw request target (RFC 9112, 3.2).

export interface RequestTarget {
  /** Not decoded. */
  readonly path: string;
  /** Without its question mark, not decoded. */
  readonly query: string;
}

/** Where the function is served: behind an address that names it, and behind one that does not. */
const SERVED_PATHS: ReadonlySet<string> = new Set(['/', '/pohAttestationsEndpoint']);
/** Stands for every path that is not served, and is itself not served. */
export const UNSERVED_PATH = '/unserved';
/** Stands for a request that is not valid HTTP; a client that requests it gets `not_found`. */
export const MALFORMED_PATH = '/malformed';

/** Splits a target; its absolute form (`http://host/path`) is as good as the plain one. */
export function splitTarget(target: string): RequestTarget {
  const local = target.replace(/^https?:\/\/[^/?]*/i, '');
  const [path, ...query] = local.split('?');
  return { path: path || '/', query: query.join('?') };
}

export const isServed = (path: string): boolean => SERVED_PATHS.has(path);
