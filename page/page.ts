// Owns the reference in the browser: the renderer's settings, and where lookups may be tried.

declare const Scalar: {
  createApiReference(selector: string, configuration: object): unknown;
};

/** Filled in by the build (scripts/page.ts). */
declare const EMULATOR_SERVER: string;
declare const DEMONSTRATION_KEY: string;

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const isLocal = LOOPBACK.includes(location.hostname);

const where = document.querySelector('#where');
if (where) {
  where.textContent = isLocal
    ? 'Trying a lookup here asks the local emulators.'
    : 'Lookups can be tried on the local emulators only (npm start): keys belong on servers.';
}

Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  // The first server is the one that lookups are tried on.
  ...(isLocal && {
    servers: [{ url: EMULATOR_SERVER, description: 'Local emulators' }],
  }),
  hideTestRequestButton: !isLocal,
  authentication: {
    preferredSecurityScheme: 'apiKey',
    ...(isLocal && { securitySchemes: { apiKey: { value: DEMONSTRATION_KEY } } }),
  },
  // Nothing but this page's own files and the emulators is ever asked.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  hideDarkModeToggle: false,
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
});
