// An empty function, which shows the cost of the platform itself.

import { onRequest } from 'firebase-functions/https';

export const pohAttestationsEndpoint = onRequest((_request, response) => {
  response.json({});
});
