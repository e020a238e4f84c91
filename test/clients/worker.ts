// Looks up subjects in a process of a cluster or in a thread. See driver.ts.

import { parentPort, workerData } from 'node:worker_threads';
import { Client } from '../../clients/typescript/index.ts';

const { url, key, group } = workerData ?? JSON.parse(process.env['TASK'] ?? '');
const client = new Client({ url, key });
const found = [];
for (const subject of group) found.push((await client.lookUp(subject)).hasVerifiedHuman);
if (parentPort) parentPort.postMessage(found);
else process.send?.(found);
