// Creates a certificate for Google's host names. Processes trust it through NODE_EXTRA_CA_CERTS.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** @returns the key and the certificate in PEM, and the path of a file with the certificate */
export async function createCertificate(names: readonly string[]) {
  const altNames = names.map((value) => ({ type: 2 as const, value }));
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'test double' }], {
    // Every new connection needs a signature, and EC keys sign faster than RSA keys.
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  const file = join(mkdtempSync(join(tmpdir(), 'certificate-')), 'certificate.pem');
  writeFileSync(file, cert);
  return { key, cert, file };
}
