// What `users forget` cannot remove.

/** What holds data about a person, and what happens to it. */
export const REMAINS: readonly (readonly [what: string, happens: string])[] = [
  [
    'attestations of the wallet',
    'Kept. They are copies of public accounts on the chain. Lookups by wallet still return them',
  ],
  [
    "a revoked admin's record, and API keys that name the person",
    'Kept, because they record who could create and revoke keys. To remove a contact or an address, edit the field in the Firebase console',
  ],
  [
    "the function's log",
    'Contains no subject. A warning about an invalid attestation names its document, whose id may be derived from the wallet',
  ],
  [
    "Google Cloud's request logs and Data Access audit logs",
    'May contain an address, token or wallet, if you keep them',
  ],
  [
    'backups, point-in-time recovery and daily copies',
    "Keep deleted data for at most four weeks. Note the person's uid for so long, and forget them again if you restore data",
  ],
  [
    'responses that integrators keep as evidence',
    'Contain the address, token or wallet. Ask the integrators that may have looked the person up',
  ],
  [
    'your files',
    'Exports of accounts, lists of keys and the history of your shell may name the person',
  ],
  ['the chain', 'Public and permanent. Only the issuer of an attestation can revoke it'],
];
