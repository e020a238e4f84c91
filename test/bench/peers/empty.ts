// An empty function, which shows the cost of Google Cloud itself.

import { onRequest } from 'firebase-functions/https';

export const pohAttestationsEndpoint = onRequest((_request, response) => {
  response.json({});
});
