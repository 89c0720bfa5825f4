/** The parser llhttp, compiled to WebAssembly. The package undici contains the parser without type declarations. */
declare module 'undici/lib/llhttp/llhttp-wasm.js' {
  const bytes: Uint8Array<ArrayBuffer>
  export default bytes
}

/** The part of WebAssembly that the parser needs. TypeScript declares these types only in its library for browsers. */
declare namespace WebAssembly {
  const Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  class Instance {
    constructor(module: object, imports: Record<string, Record<string, (...numbers: number[]) => number>>)
    readonly exports: Record<string, unknown>
  }
}
