// The names of the Firestore collections.

export const COLLECTIONS = {
  apiKeys: 'apiKeys',
  verificationTokens: 'verificationTokens',
  admins: 'admins',
  attestations: 'attestations',
} as const;
