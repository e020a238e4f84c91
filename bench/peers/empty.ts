// The least that a function can be: what is left is the platform's own cost.

import { onRequest } from 'firebase-functions/https';

export const pohAttestationsEndpoint = onRequest((_request, response) => {
  response.json({});
});
