// oxlint-disable-next-line typescript/triple-slash-reference -- an import cannot name a module without types
/// <reference path="./llhttp-wasm.d.ts" />
import { maxHeaderSize } from 'node:http'
import { ERROR, TYPE } from 'undici/lib/llhttp/constants.js'
import wasm from 'undici/lib/llhttp/llhttp-wasm.js'

export interface ResponseHead {
  readonly status: number
  /** Names are in lower case. The value of a repeated header is a list. */
  readonly headers: ResponseHeaders
  readonly isUpgrade: boolean
  /** Whether the head of the response keeps the connection open. */
  readonly isKeptAlive: boolean
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

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
  #headers = noHeaders()
  #name = ''
  #value = ''
  #isInName = false
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
    enter(this, buffer)
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
    enter(this, nothing)
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

  name(text: string): number {
    if (!this.#isInName) this.#addField()
    this.#isInName = true
    this.#name += text
    return this.#count(text)
  }

  value(text: string): number {
    this.#isInName = false
    this.#value += text
    return this.#count(text)
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
    if (this.#name === '') return
    const name = this.#name.toLowerCase()
    const known = this.#headers[name]
    this.#headers[name] =
      known === undefined ? this.#value : [...(typeof known === 'string' ? [known] : known), this.#value]
    this.#name = ''
    this.#value = ''
    this.#isInName = false
  }

  #count(text: string): number {
    this.#fieldBytes += text.length
    if (this.#fieldBytes < maxHeaderSize) return next.go
    const message = `the headers of the response have ${maxHeaderSize} bytes or more`
    return this.#fail(new ResponseFault('UND_ERR_HEADERS_OVERFLOW', message))
  }

  #endFields(): ResponseHeaders {
    this.#addField()
    const headers = this.#headers
    this.#headers = noHeaders()
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

function noHeaders(): Record<string, string | string[] | undefined> {
  // The object has no prototype, because a header may have any name, such as `constructor`.
  return Object.create(null) as Record<string, undefined>
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
let currentStart = 0

function enter(parser: ResponseParser, bytes: Buffer): void {
  current = parser
  currentBytes = bytes
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
  const text = (at: number, length: number): string =>
    currentBytes.toString('latin1', at - currentStart, at - currentStart + length)
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm), {
    env: {
      wasm_on_url: () => next.go,
      wasm_on_status: () => next.go,
      wasm_on_message_begin: () => current?.start() ?? next.fail,
      wasm_on_header_field: (_: number, at: number, length: number) =>
        current?.name(text(at, length)) ?? next.fail,
      wasm_on_header_value: (_: number, at: number, length: number) =>
        current?.value(text(at, length)) ?? next.fail,
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
