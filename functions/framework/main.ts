#!/usr/bin/env -S node --no-concurrent-recompilation
// Serves the deployed function. The packed folder has this file as its `@google-cloud/functions-framework`, whose
// command Google's builder starts, so that the server is ours from the first byte. An instance has one CPU, on which a
// second thread of the compiler is not faster, and its memory, 10 to 20 MiB, is never returned.

import { createServer } from 'node:http';
import { ENDPOINT_NAME } from '../../contract/endpoint.ts';
import { INSTANCE, log, prepareEndpoint } from '../src/instance.ts';
import { takeOver } from '../src/server.ts';

const MAX_PORT = 65_535;

const { env } = process;

function fail(message: string): never {
  log({ severity: 'ERROR', message: `The function did not start. ${message}`, ...INSTANCE });
  process.exit(1);
}

function openEndpoint() {
  try {
    return prepareEndpoint(env)();
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

if (env['FUNCTION_TARGET'] !== ENDPOINT_NAME) fail(`Set FUNCTION_TARGET to ${ENDPOINT_NAME}.`);
const port = Number(env['PORT']);
if (!/^[1-9]\d*$/.test(env['PORT'] ?? '') || port > MAX_PORT)
  fail(`Set PORT to a number from 1 to ${MAX_PORT}.`);

const server = createServer();
takeOver(server, openEndpoint());
server.once('error', ({ code }: NodeJS.ErrnoException) =>
  fail(`Port ${port} cannot be used (${code}).`),
);
server.listen(port, () =>
  log({ severity: 'INFO', message: 'started', ...INSTANCE, server: 'own' }),
);
