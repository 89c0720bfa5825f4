/** The parser llhttp, compiled to WebAssembly. The package undici contains it, without types. */
declare module 'undici/lib/llhttp/llhttp-wasm.js' {
  const bytes: Uint8Array<ArrayBuffer>
  export default bytes
}

/** The part of WebAssembly that the parser needs. TypeScript only has these types together with those of browsers. */
declare namespace WebAssembly {
  const Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  class Instance {
    constructor(module: object, imports: Record<string, Record<string, (...numbers: number[]) => number>>)
    readonly exports: Record<string, unknown>
  }
}
