// An empty function: it measures the platform's own cost.

import { onRequest } from 'firebase-functions/https';

export const pohAttestationsEndpoint = onRequest((_request, response) => {
  response.json({});
});
