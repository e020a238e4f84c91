// Loads a bundled file with V8's code cache, so that a starting instance compiles next to nothing.
// Without a cache, or with another Node's, the file is compiled as usual.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** The file is an expression: a function of these. It is ASCII, which is read fastest as latin1. */
export const FILE_BEGIN = '(function (exports, require, module) {';
export const FILE_END = '})';

const CHECKSUM_BYTES = 8;

/** Called with each file that is loaded, and its compiled script. */
export type OnLoaded = (file: string, script: Script) => void;

export const cachePath = (file: string): string => `${file}.cache`;

/**
 * Loads a bundled file as `require` does; those that it requires beside itself are loaded likewise.
 *
 * @returns its exports
 */
export function loadBundled<Exports>(file: string, onLoaded: OnLoaded = reportRejected): Exports {
  return load(file, onLoaded, new Map()) as Exports;
}

function load(file: string, onLoaded: OnLoaded, loaded: Map<string, object>): object {
  const known = loaded.get(file);
  if (known) return known;
  const source = readFileSync(file);
  const script = new Script(source.toString('latin1'), {
    filename: file,
    cachedData: readCache(file, source),
  });
  const module = { exports: {} };
  const requireInstalled = createRequire(file);
  const requireAny = (id: string): unknown =>
    id.startsWith('./') ? load(join(dirname(file), id), onLoaded, loaded) : requireInstalled(id);
  script.runInThisContext()(module.exports, requireAny, module);
  loaded.set(file, module.exports);
  onLoaded(file, script);
  return module.exports;
}

/**
 * V8 checks only the length of the source, and trusts the code that it is given: the checksum
 * ensures that both are complete, and belong together.
 */
function readCache(file: string, source: Buffer): Buffer | undefined {
  let stored: Buffer;
  try {
    stored = readFileSync(cachePath(file));
  } catch {
    return undefined;
  }
  // V8 wants the code at an address that is a multiple of eight.
  const code = stored.subarray(CHECKSUM_BYTES);
  return stored.subarray(0, CHECKSUM_BYTES).equals(checksum(source, code)) ? code : undefined;
}

/** @returns what is to be stored at the file's cache path */
export function cacheContent(file: string, code: Buffer): Buffer {
  return Buffer.concat([checksum(readFileSync(file), code), code]);
}

function checksum(source: Buffer, code: Buffer): Buffer {
  const bytes = Buffer.alloc(CHECKSUM_BYTES);
  bytes.writeUInt32LE(crc32(source), 0);
  bytes.writeUInt32LE(crc32(code), 4);
  return bytes;
}

/** Another version of Node, or other flags: the instance starts slower, and no worse. */
function reportRejected(file: string, { cachedDataRejected }: Script): void {
  if (!cachedDataRejected) return;
  const message = `the code cache of ${file} was made by another Node, or with other flags`;
  console.info(JSON.stringify({ severity: 'INFO', message }));
}
