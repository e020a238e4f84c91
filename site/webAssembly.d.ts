// The names that the types of @shikijs/types use from the DOM's library, which Node's types lack.
declare namespace WebAssembly {
  type ImportValue = unknown;
  type Instance = { exports: Record<string, unknown> };
  type WebAssemblyInstantiatedSource = { instance: Instance };
}
