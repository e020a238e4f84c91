// Keeps the emulators running with the demonstration data, and prints how to call the function.

import { runScript } from '../cli/terminal/failure.ts';
import { ENDPOINT_NAME } from '../contract/endpoint.ts';
import { DEMONSTRATION } from '../contract/examples.ts';
import { writeDemonstration } from './sandbox/demonstration.ts';
import { CHAIN_PORT, SITE_PORT } from './sandbox/emulatorAddresses.ts';
import { serveConsole, serveSite } from './sandbox/hosting.ts';
import { serveFunction } from './sandbox/servedFunction.ts';
import { startDemonstrationChain } from './sandbox/testChain.ts';
import { SAMPLE_VARIABLES } from './sandbox/testSubjects.ts';

const CONSOLE_PORT = 5003;

await runScript(async () => {
  await writeDemonstration();
  // The Functions emulator starts a process for each concurrent request, which slows many lookups down.
  const served = await serveFunction();
  served.process.stdout?.pipe(process.stdout);
  served.process.stderr?.pipe(process.stderr);
  const site = await serveSite(SITE_PORT, undefined, served.url.slice(0, -1));
  const chain = await startDemonstrationChain(CHAIN_PORT);
  const areas = await serveConsole(CONSOLE_PORT);
  const { key, project, wallet, email, token, adminEmail, walletlessEmail, password } =
    DEMONSTRATION;
  const addresses = { POH_URL: site.url.slice(0, -1), SOLANA_RPC_URL: chain.url };
  const variables = { ...addresses, ...SAMPLE_VARIABLES };
  const curl = (query: string): string =>
    `curl -H 'X-PoH-API-Key: ${key}' '${site.url}${ENDPOINT_NAME}?${query}'`;
  console.log(`
The endpoint is running, with the demonstration data. Call it from another terminal:

  ${curl(`wallet=${wallet}`)}
  ${curl(`email=${email}`)}
  ${curl(`token=${token}`)}

Or open the site for integrators in a browser. It has the guide, and clients to install:

  ${site.url}

To run the samples of the guide, set these variables in an empty folder:

${Object.entries(variables)
  .map(([name, value]) => `  export ${name}=${value}`)
  .join('\n')}

The two areas of the user interface. The password is "${password}":

  ${areas.url}admin/      as ${adminEmail}
  ${areas.url}identity/   as ${email}, or ${walletlessEmail}, who has no wallet yet
  ${areas.url}identity/?for=${encodeURIComponent(project)}
              a link that asks for a token for one project only

Press Ctrl-C to stop.`);
  return 0;
});
