// Keeps the emulators up with the demonstration data, and says how to call the function.

import { DEMONSTRATION_PROGRAM } from '../sandbox/attestationRecord.ts';
import { writeDemonstration } from '../sandbox/demonstration.ts';
import { startDemonstrationChain } from '../sandbox/demonstrationChain.ts';
import { DEMONSTRATION } from '../sandbox/demonstrationData.ts';
import { CHAIN_PORT, SITE_PORT } from '../sandbox/emulatorAddresses.ts';
import { serveConsole, serveSite } from '../sandbox/hosting.ts';
import { runScript } from '../terminal/runScript.ts';

const CONSOLE_PORT = 5003;

await runScript(async () => {
  await writeDemonstration();
  const site = await serveSite(SITE_PORT);
  const chain = await startDemonstrationChain(CHAIN_PORT);
  const areas = await serveConsole(CONSOLE_PORT);
  const { key, wallet, email, token, adminEmail, walletlessEmail, password } = DEMONSTRATION;
  const curl = (query: string): string =>
    `curl -H 'X-PoH-API-Key: ${key}' '${site.url}pohAttestationsEndpoint?${query}'`;
  console.log(`
The endpoint is up, with the demonstration data in it. In another terminal:

  ${curl(`wallet=${wallet}`)}
  ${curl(`email=${email}`)}
  ${curl(`token=${token}`)}

Or in a browser: the site as integrators see it, with the guide and clients to install, and a page to try
lookups on:

  ${site.url}
  ${site.url}try.html

For the samples of the guide (docs/sandbox.md has the other values):

  export POH_URL=${site.url.slice(0, -1)}
  export POH_PROGRAM=${DEMONSTRATION_PROGRAM}
  export SOLANA_RPC_URL=${chain.url}

The two areas of the user interface, each account with the password "${password}":

  ${areas.url}admin/      as ${adminEmail}
  ${areas.url}identity/   as ${email}, or ${walletlessEmail}, who has no wallet yet

Ctrl-C stops it.`);
  // The emulators end this process when they are stopped.
  setInterval(() => undefined, 60_000);
  return 0;
});
