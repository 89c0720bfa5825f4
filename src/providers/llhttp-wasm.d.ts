/** The package undici contains the compiled parser llhttp without type declarations. */
declare module 'undici/lib/llhttp/llhttp-wasm.js' {
  const bytes: Uint8Array<ArrayBuffer>
  export default bytes
}

/** TypeScript declares these types only in its library for browsers. */
declare namespace WebAssembly {
  const Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  class Instance {
    constructor(module: object, imports: Record<string, Record<string, (...numbers: number[]) => number>>)
    readonly exports: Record<string, unknown>
  }
}
