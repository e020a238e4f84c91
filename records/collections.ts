// The name of each Firestore collection, once.

export const COLLECTIONS = {
  apiKeys: 'apiKeys',
  verificationTokens: 'verificationTokens',
  attestations: 'attestations',
} as const;
