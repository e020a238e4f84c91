// The name of each Firestore collection, once.

export const COLLECTIONS = {
  apiKeys: 'apiKeys',
  verificationTokens: 'verificationTokens',
  admins: 'admins',
  attestations: 'attestations',
} as const;
