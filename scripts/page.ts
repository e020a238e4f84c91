// Makes public/, the page that Firebase Hosting serves: the contract, the renderer, our settings.

import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type FastifyPluginCallback, fastify } from 'fastify';
import { DEMONSTRATION } from '../testbed/demonstrationData.ts';
import { emulatedEndpoint } from '../testbed/emulatorAddresses.ts';

interface ScalarOptions {
  readonly routePrefix: string;
  readonly configuration: { readonly url: string };
}

const ROOT = new URL('../', import.meta.url);
const PUBLIC = new URL('public/', ROOT);

/** The renderer's one browser file. Its package hands it out over a route and in no other way. */
async function rendererScript(): Promise<string> {
  // Its types refer to the DOM's and to a package that it does not bring.
  const require = createRequire(import.meta.url);
  const scalar: FastifyPluginCallback<ScalarOptions> =
    require('@scalar/fastify-api-reference').default;
  const app = fastify();
  await app.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } });
  const answer = await app.inject('/js/scalar.js');
  await app.close();
  if (answer.statusCode !== 200) throw new Error('the renderer has no js/scalar.js');
  return answer.body;
}

rmSync(PUBLIC, { recursive: true, force: true });
mkdirSync(PUBLIC);
copyFileSync(new URL('page/index.html', ROOT), new URL('index.html', PUBLIC));
copyFileSync(new URL('page/page.css', ROOT), new URL('page.css', PUBLIC));
copyFileSync(new URL('docs/openapi.json', ROOT), new URL('openapi.json', PUBLIC));
writeFileSync(new URL('scalar.js', PUBLIC), await rendererScript());
await build({
  entryPoints: [fileURLToPath(new URL('page/page.ts', ROOT))],
  outfile: fileURLToPath(new URL('page.js', PUBLIC)),
  minify: true,
  define: {
    EMULATOR_SERVER: JSON.stringify(dirname(emulatedEndpoint())),
    DEMONSTRATION_KEY: JSON.stringify(DEMONSTRATION.key),
  },
  logLevel: 'warning',
});
