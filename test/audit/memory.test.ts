// Audits a mirror of 100,000 documents, one way and both ways, and checks the findings and the memory.

import type { Firestore } from 'firebase-admin/firestore';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMONSTRATION_PROGRAM } from '../../tools/sandbox/attestationRecord.ts';
import { TestChain } from '../../tools/sandbox/testChain.ts';
import { spawnAdmin } from '../admin/adminCommand.ts';
import { LONG_RUN } from '../support/amount.ts';
import { openOwnProject } from '../support/ownProject.ts';
import { auditDocument } from './auditCommand.ts';
import { seedValidMirror } from './mirror.ts';
import { PLANTED_DOCUMENTS, PLANTED_UNMIRRORED, type Planted, plantFindings } from './plants.ts';

const DOCUMENTS = 100_000;
/**
 * The limit on the heap. The audit needs about 40 MiB, and 10 MiB more for the addresses of 100,000
 * documents. Keeping the documents would take another 50 MiB. The list of 100,000 accounts takes 24 MiB,
 * and twice that while it is parsed.
 */
const HEAP_MIB = { 'one way': 80, 'both ways': 160 } as const;
const MEMORY_MAX_MIB = 512;

describe.runIf(LONG_RUN)(`${DOCUMENTS} documents`, () => {
  let project: string;
  let db: Firestore;
  let chain: TestChain;
  let planted: Planted[];

  beforeAll(async () => {
    ({ project, db } = openOwnProject());
    chain = await TestChain.start();
    planted = await plantFindings(db, chain);
    await seedValidMirror(db, chain, DOCUMENTS - PLANTED_DOCUMENTS);
  });
  afterAll(async () => {
    await chain[Symbol.asyncDispose]();
    await db.terminate();
  });

  test.each(['one way', 'both ways'] as const)('%s', async (ways) => {
    const both = ways === 'both ways';
    const words = ['--firebase-project', project, 'attestations', 'audit', '--json'];
    const { stdout } = await spawnAdmin(
      [
        ...[...words, '--rpc', chain.url, '--program', DEMONSTRATION_PROGRAM],
        ...(both ? ['--both-ways'] : []),
      ],
      { nodeOptions: [`--max-old-space-size=${HEAP_MIB[ways]}`] },
    );
    const { findings, summary } = auditDocument.parse(JSON.parse(stdout));
    expect(summary).toMatchObject({ complete: true, documents: DOCUMENTS });
    const unmirrored = Array(both ? PLANTED_UNMIRRORED : 0).fill('missing_in_mirror ');
    const found = findings.map(({ kind, document }) => `${kind} ${document}`);
    expect(found.sort()).toEqual(
      [...planted.map(({ kind, document }) => `${kind} ${document}`), ...unmirrored].sort(),
    );
    expect(summary.peakMemoryMiB).toBeLessThanOrEqual(MEMORY_MAX_MIB);
    console.log(
      `${ways}, ${DOCUMENTS} documents: ${summary.seconds} s, ${summary.peakMemoryMiB} MiB.`,
    );
  });
});
