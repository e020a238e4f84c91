// Runs the samples of docs/clients.md for frameworks, each as a server of its framework from the npm registry or Debian. Run it with
// `npm run test:guide`.

import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { DEMONSTRATION } from '../../contract/examples.ts';
import { writeDemonstration } from '../../tools/sandbox/demonstration.ts';
import { listen } from '../../tools/sandbox/freePort.ts';
import { startServer } from '../../tools/sandbox/servedFunction.ts';
import { makeGuideProject, type Project, shell } from './guide.ts';
import { readSamples, saveSample } from './samples.ts';

let project: Project;
let env: Record<string, string>;

let asked = 0;
/** The service, except that it is down for one token and refuses the key for another. */
const platform = createServer(async ({ url = '', headers }, response) => {
  asked += 1;
  if (url.includes('down')) return void response.writeHead(503, { 'Retry-After': '60' }).end();
  const key = url.includes('revoked-key') ? 'none' : String(headers['x-poh-api-key']);
  const found = await fetch(project.address + url, { headers: { 'X-PoH-API-Key': key } });
  response.writeHead(found.status, { 'Content-Type': 'application/json' });
  response.end(await found.text());
});

const WORKER = `
import { Miniflare } from 'miniflare';
const { POH_URL, POH_KEY, PORT, DATE } = process.env;
const options = { modules: true, scriptPath: 'worker.bundle.js', compatibilityDate: DATE };
await new Miniflare({ ...options, port: Number(PORT), bindings: { POH_URL, POH_KEY } }).ready;`;
const DJANGO = `
from django.conf import settings
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="x")
import django_gate
from django.core.wsgi import get_wsgi_application
from django.urls import path
urlpatterns = [path("gate", django_gate.gate)]
application = get_wsgi_application()`;

interface Framework {
  readonly title: string;
  readonly prepare?: () => Promise<unknown>;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly isMissing?: boolean;
}

/** A Python that has the frameworks. Debian's packages are for the system's own. */
const PYTHON = ['python3', '/usr/bin/python3'].find(
  (python) =>
    spawnSync(python, ['-c', 'import django, fastapi, gunicorn, httpx, uvicorn']).status === 0,
);

const FRAMEWORKS: readonly Framework[] = [
  // The first caches what `fetch` returns, the second prerenders what reads no request.
  ...[['14.2.35', '18', {}] as const, ['16.4.6', '19', { cacheComponents: true }] as const].map(
    ([version, react, config]) => ({
      title: `Next.js ${version}`,
      prepare: async () => {
        cpSync(join(project.folder, 'route.js'), join(project.folder, 'app/gate/route.js'));
        const settings = `export default ${JSON.stringify(config)};`;
        writeFileSync(join(project.folder, 'next.config.mjs'), settings);
        await shell(project, `npm install next@${version} react@${react} react-dom@${react}`);
        // `npm init` makes a package of CommonJS, unlike Next.js.
        await shell(project, 'npm pkg delete type; rm -rf .next; npx next build', env);
      },
      command: [process.execPath, 'node_modules/next/dist/bin/next', 'start'],
    }),
  ),
  { title: 'Express', command: [process.execPath, 'express.mjs'] },
  ...['2024-01-01', '2026-01-01'].map((DATE) => ({
    title: `Workers of ${DATE}`,
    prepare: () =>
      build({
        entryPoints: [join(project.folder, 'worker.js')],
        outfile: join(project.folder, 'worker.bundle.js'),
        bundle: true,
        format: 'esm',
        conditions: ['workerd', 'worker'],
      }),
    command: [process.execPath, 'serveWorker.mjs'],
    env: { DATE },
  })),
  ...[
    ['FastAPI', 'uvicorn fastapi_gate:app --port "$PORT"'],
    ['Django', 'gunicorn --preload --workers 2 --bind "127.0.0.1:$PORT" serve_django'],
  ].map(([title = '', words]) => ({
    title,
    command: ['bash', '-c', `exec ${PYTHON} -m ${words}`],
    isMissing: PYTHON === undefined,
  })),
];

beforeAll(async () => {
  await writeDemonstration();
  project = await makeGuideProject();
  env = {
    POH_URL: `http://127.0.0.1:${await listen(platform)}`,
    POH_KEY: DEMONSTRATION.key,
    PYTHONPATH: project.folder,
    NEXT_TELEMETRY_DISABLED: '1',
  };
  // The emulator starts the function at the first request.
  await fetch(`${project.address}/pohAttestationsEndpoint`);
  for (const sample of readSamples('docs/clients.md')) {
    saveSample(sample, project.folder, project.address);
  }
  writeFileSync(join(project.folder, 'serveWorker.mjs'), WORKER);
  writeFileSync(join(project.folder, 'serve_django.py'), DJANGO);
  await shell(project, 'npm install express@5 miniflare@4');
}, 600_000);

afterAll(async () => {
  platform.close();
  await project.site.stop();
});

describe.each(FRAMEWORKS)('$title', ({ prepare, command, env: more, isMissing }) => {
  test('admits humans, and says what the others have to do', async ({ skip }) => {
    skip(isMissing === true, 'It needs django, fastapi, gunicorn, httpx and uvicorn.');
    await prepare?.();
    const server = await startServer(command, {
      cwd: project.folder,
      env: { ...process.env, ...env, ...more },
    });
    // Not with `stop`, which would orphan the workers of a server.
    onTestFinished(() => void server.process.kill());
    await server.listening;
    const gate = async (token: string): Promise<string> => {
      const response = await fetch(`${server.url}gate?token=${token}`);
      return `${response.status} ${await response.text()}`;
    };
    asked = 0;
    for (const _ of ['looked up', 'not cached'])
      expect(await gate(DEMONSTRATION.token)).toMatch(/^200 .*true/);
    expect(asked).toBe(2);
    expect(await gate(DEMONSTRATION.revokedToken)).toMatch(/^400 .*token_not_found/);
    expect(await gate('')).toMatch(/^400 .*missing_subject/);
    expect(await gate('down')).toMatch(/^503 .*try again later/);
    expect(await gate('revoked-key')).toMatch(/^500 /);
  }, 300_000);
});
