// Finds httpx, which the Python client needs, for every version of Python.

import { spawnSync } from 'node:child_process';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Links httpx and what it needs, because all of it is pure Python. */
const LINK = `
import importlib.util, os, sys
if not importlib.util.find_spec("httpx"): sys.exit(1)
for name in "httpx httpcore h11 anyio sniffio idna certifi rfc3986 typing_extensions".split():
    if spec := importlib.util.find_spec(name):
        path = (spec.submodule_search_locations or [spec.origin])[0]
        os.symlink(path, os.path.join(sys.argv[1], os.path.basename(path)))
`;

/** A folder for PYTHONPATH; undefined if no Python has httpx. Debian's package is for the system's own Python. */
export const HTTPX = ['python3', '/usr/bin/python3']
  .map((program) => {
    const folder = temporaryFolder();
    return spawnSync(program, ['-c', LINK, folder]).status === 0 ? folder : undefined;
  })
  .find((folder) => folder !== undefined);
if (HTTPX === undefined)
  console.warn(
    '\n*** THE PYTHON CLIENT IS NOT TESTED: install httpx (Debian: python3-httpx). ***\n',
  );
