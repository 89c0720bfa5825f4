// oxlint-disable-next-line typescript/triple-slash-reference -- an import cannot name a module without types
/// <reference path="./llhttp-wasm.d.ts" />
import { maxHeaderSize } from 'node:http'
import { ERROR, TYPE } from 'undici/lib/llhttp/constants.js'
import wasm from 'undici/lib/llhttp/llhttp-wasm.js'

/**
 * The headers that the gateway reads. The parser creates no text for other headers, because a response has about twenty
 * headers at large vendors.
 */
export const readHeaders = [
  'content-encoding',
  'content-length',
  'content-type',
  'keep-alive',
  'request-id',
  'retry-after',
  'retry-after-ms',
  'transfer-encoding',
  'x-amzn-bedrock-input-token-count',
  'x-amzn-bedrock-output-token-count',
  'x-amzn-requestid',
  'x-goog-upload-status',
  'x-goog-upload-url',
  'x-request-id',
] as const

type ReadHeader = (typeof readHeaders)[number]

/** The value of a repeated header is a list. */
export type ResponseHeaders = Readonly<Partial<Record<ReadHeader, string | string[]>>>

export interface ResponseHead {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly isUpgrade: boolean
  /** Whether the head of the response keeps the connection open. */
  readonly isKeptAlive: boolean
}

/** llhttp expects these return values of callbacks. */
export const next = { go: 0, withoutBody: 1, pause: ERROR.PAUSED ?? 0, fail: -1 } as const

/** If a callback throws an error, `execute` or `finish` fails. */
export interface ResponseParts {
  /** Also called for informational responses (1xx). */
  onStart(): number
  onHead(head: ResponseHead): number
  /** @param bytes may be used only until the callback returns */
  onBody(bytes: Uint8Array): number
  onEnd(): number
}

/** The codes equal those of undici's client. */
export class ResponseFault extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Uses llhttp, the parser of Node and undici, which checks the framing of responses strictly. For example, llhttp
 * rejects a response with both `Content-Length` and `Transfer-Encoding`.
 *
 * The fields of a head, and the fields of a trailer, must have less than 16 KiB (Node's `maxHeaderSize`). Trailers are
 * not returned.
 */
export class ResponseParser {
  readonly #parts: ResponseParts
  #pointer = llhttp.llhttp_alloc(TYPE.RESPONSE ?? 0)
  #headers: Partial<Record<ReadHeader, string | string[]>> = {}
  /** The header whose value is being read. Null if the gateway does not read the header. */
  #header: ReadHeader | null = null
  #value = ''
  /** The received part of a name that is not complete. */
  #partOfName = ''
  #fieldBytes = 0
  #fault: { readonly cause: unknown } | null = null

  constructor(parts: ResponseParts) {
    this.#parts = parts
  }

  /**
   * @param length number of bytes at the beginning of the buffer to parse
   * @returns the bytes after the position at which a callback has paused the parser; null if all bytes were parsed
   * @throws ResponseFault with a code `HPE_*` if the bytes are not an HTTP response
   */
  execute(buffer: Buffer, length: number): Buffer | null {
    if (current !== null) throw new Error('a parser was called inside a callback of a parser')
    buffer.copy(scratchFor(length), 0, 0, length)
    const start = scratchStart
    let result: number
    enter(this, buffer, length)
    try {
      result = llhttp.llhttp_execute(this.#pointer, start, length)
    } finally {
      leave()
    }
    if (result === ERROR.OK) return null
    if (result !== ERROR.PAUSED) throw this.#faultOf(result)
    return buffer.subarray(llhttp.llhttp_get_error_pos(this.#pointer) - start, length)
  }

  /** Afterwards, call `execute` with the remaining bytes. */
  resume(): void {
    llhttp.llhttp_resume(this.#pointer)
  }

  /**
   * Call this function when the server has closed the connection. A response whose length is not stated is then
   * complete.
   * @throws ResponseFault if the response is incomplete
   */
  finish(): void {
    let result: number
    enter(this, nothing, 0)
    try {
      result = llhttp.llhttp_finish(this.#pointer)
    } finally {
      leave()
    }
    if (result !== ERROR.OK && result !== ERROR.PAUSED) throw this.#faultOf(result)
  }

  /** Afterwards, no method may be called. */
  free(): void {
    llhttp.llhttp_free(this.#pointer)
    this.#pointer = 0
  }

  /** llhttp calls the following methods during `execute` and `finish`. */
  start(): number {
    try {
      return this.#parts.onStart()
    } catch (cause) {
      return this.#fail(cause)
    }
  }

  name(start: number, end: number): number {
    this.#addField()
    if (this.#partOfName !== '' || end === currentLength) this.#partOfName += latin1(start, end)
    else this.#header = readHeaderAt(start, end)
    return this.#count(end - start)
  }

  value(start: number, end: number): number {
    if (this.#partOfName !== '') {
      this.#header = readHeaderNamed(this.#partOfName)
      this.#partOfName = ''
    }
    if (this.#header !== null) this.#value += latin1(start, end)
    return this.#count(end - start)
  }

  head(status: number, isUpgrade: boolean, isKeptAlive: boolean): number {
    const headers = this.#endFields()
    try {
      return this.#parts.onHead({ status, headers, isUpgrade, isKeptAlive })
    } catch (cause) {
      return this.#fail(cause)
    }
  }

  body(start: number, end: number): number {
    try {
      return this.#parts.onBody(currentBytes.subarray(start, end))
    } catch (cause) {
      return this.#fail(cause)
    }
  }

  end(): number {
    this.#endFields()
    try {
      return this.#parts.onEnd()
    } catch (cause) {
      return this.#fail(cause)
    }
  }

  /** An error that is thrown through llhttp's functions would leave llhttp's stack inconsistent. */
  #fail(cause: unknown): number {
    this.#fault = { cause }
    return next.fail
  }

  #addField(): void {
    const header = this.#header
    if (header === null) return
    const known = this.#headers[header]
    this.#headers[header] =
      known === undefined ? this.#value : [...(typeof known === 'string' ? [known] : known), this.#value]
    this.#header = null
    this.#value = ''
  }

  #count(bytes: number): number {
    this.#fieldBytes += bytes
    if (this.#fieldBytes < maxHeaderSize) return next.go
    const message = `the headers of the response have ${maxHeaderSize} bytes or more`
    return this.#fail(new ResponseFault('UND_ERR_HEADERS_OVERFLOW', message))
  }

  #endFields(): ResponseHeaders {
    this.#addField()
    const headers = this.#headers
    this.#headers = {}
    this.#fieldBytes = 0
    return headers
  }

  #faultOf(result: number): unknown {
    const fault = this.#fault
    this.#fault = null
    if (fault !== null) return fault.cause
    const name = Object.entries(ERROR).find(([, value]) => value === result)?.[0] ?? String(result)
    const pointer = llhttp.llhttp_get_error_reason(this.#pointer)
    const memory = Buffer.from(llhttp.memory.buffer)
    const reason = pointer === 0 ? '' : memory.toString('latin1', pointer, memory.indexOf(0, pointer))
    return new ResponseFault(`HPE_${name}`, `the response does not match HTTP/1.1 (${reason})`)
  }
}

const headersByLength: readonly (readonly ReadHeader[])[] = Array.from(
  { length: Math.max(...readHeaders.map(({ length }) => length)) + 1 },
  (_, length) => readHeaders.filter((name) => name.length === length),
)

/** Compares the bytes, because creating a text for each name takes longer. */
function readHeaderAt(start: number, end: number): ReadHeader | null {
  for (const name of headersByLength[end - start] ?? []) if (isNameAt(name, start)) return name
  return null
}

function isNameAt(name: ReadHeader, start: number): boolean {
  for (let i = 0; i < name.length; i++) {
    const byte = currentBytes[start + i] ?? 0
    const isUpperCase = byte >= 0x41 && byte <= 0x5a
    if ((isUpperCase ? byte + 0x20 : byte) !== name.charCodeAt(i)) return false
  }
  return true
}

function readHeaderNamed(text: string): ReadHeader | null {
  const name = text.toLowerCase()
  return readHeaders.find((known) => known === name) ?? null
}

function latin1(start: number, end: number): string {
  return currentBytes.toString('latin1', start, end)
}

interface Llhttp extends Record<(typeof functions)[number], unknown> {
  readonly memory: { readonly buffer: ArrayBuffer }
  malloc(bytes: number): number
  free(pointer: number): void
  llhttp_alloc(type: number): number
  llhttp_free(parser: number): void
  llhttp_execute(parser: number, data: number, length: number): number
  llhttp_finish(parser: number): number
  llhttp_resume(parser: number): void
  llhttp_get_error_pos(parser: number): number
  llhttp_get_error_reason(parser: number): number
}

const functions = [
  'malloc',
  'free',
  'llhttp_alloc',
  'llhttp_free',
  'llhttp_execute',
  'llhttp_finish',
  'llhttp_resume',
  'llhttp_get_error_pos',
  'llhttp_get_error_reason',
] as const

const nothing: Buffer = Buffer.alloc(0)
let current: ResponseParser | null = null
/** `currentBytes` has a copy in the memory of llhttp. */
let currentBytes = nothing
let currentLength = 0
let currentStart = 0

function enter(parser: ResponseParser, bytes: Buffer, length: number): void {
  current = parser
  currentBytes = bytes
  currentLength = length
  currentStart = scratchStart
}

function leave(): void {
  current = null
  currentBytes = nothing
}

const llhttp = instantiate()
/** All parsers use this part of llhttp's memory, one after the other. */
let scratch = new Uint8Array(0)
let scratchStart = 0
let scratchSize = 0

function scratchFor(length: number): Uint8Array {
  if (length > scratchSize) {
    if (scratchStart !== 0) llhttp.free(scratchStart)
    scratchSize = Math.max(64 * 1024, length)
    scratchStart = llhttp.malloc(scratchSize)
    scratch = new Uint8Array(llhttp.memory.buffer, scratchStart, scratchSize)
  }
  // llhttp's memory has a new buffer after it has grown.
  if (scratch.buffer !== llhttp.memory.buffer)
    scratch = new Uint8Array(llhttp.memory.buffer, scratchStart, scratchSize)
  return scratch
}

function instantiate(): Llhttp {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm), {
    env: {
      wasm_on_url: () => next.go,
      wasm_on_status: () => next.go,
      wasm_on_message_begin: () => current?.start() ?? next.fail,
      wasm_on_header_field: (_: number, at: number, length: number) =>
        current?.name(at - currentStart, at - currentStart + length) ?? next.fail,
      wasm_on_header_value: (_: number, at: number, length: number) =>
        current?.value(at - currentStart, at - currentStart + length) ?? next.fail,
      wasm_on_headers_complete: (_: number, status: number, isUpgrade: number, isKeptAlive: number) =>
        current?.head(status, isUpgrade === 1, isKeptAlive === 1) ?? next.fail,
      wasm_on_body: (_: number, at: number, length: number) =>
        current?.body(at - currentStart, at - currentStart + length) ?? next.fail,
      wasm_on_message_complete: () => current?.end() ?? next.fail,
    },
  })
  for (const name of functions)
    if (typeof exports[name] !== 'function')
      throw new Error(
        `llhttp of the installed undici has no function ${name}; install the version of package.json`,
      )
  // The cast is safe, because the loop has checked the names. All versions of llhttp have the same numbers in their
  // interface.
  return exports as unknown as Llhttp
}
