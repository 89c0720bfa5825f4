import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import type { Transform } from 'node:stream'

/** After all bytes, exactly one of `onEnd` and `onFault` is called. */
interface DecodedSink {
  /** Returns false to pause the decoder until `resume` is called. */
  onData(bytes: Uint8Array): boolean
  onEnd(): void
  onFault(cause: Error): void
}

interface DecodingLimits {
  readonly bytesMax: number
  /** The ratio is checked only after `freeBytes` were decoded. */
  readonly ratioMax: number
  readonly freeBytes: number
}

/**
 * Streams contain repetitive events, so their decoded size is usually 20 to 60 times their encoded size. If a small
 * body expands a thousand times, it is an attack. Non-streaming responses and single events have separate, lower size
 * limits.
 */
const defaultLimits: DecodingLimits = {
  bytesMax: 256 * 1024 * 1024,
  ratioMax: 200,
  freeBytes: 4 * 1024 * 1024,
}

/**
 * Requests ask for the encoding `identity`, but some CDNs and servers send another encoding. The decoder accepts a body
 * that ends early, as browsers do. The reader of the wire detects an incomplete response.
 */
export class ContentDecoder {
  readonly #engine: (firstByte: number) => Transform
  readonly #sink: DecodedSink
  readonly #limits: DecodingLimits
  /** Null until the first bytes arrive, which distinguish the two kinds of `deflate`. */
  #stream: Transform | null = null
  #encodedBytes = 0
  #decodedBytes = 0
  #isOver = false

  private constructor(engine: (firstByte: number) => Transform, sink: DecodedSink, limits: DecodingLimits) {
    this.#engine = engine
    this.#sink = sink
    this.#limits = limits
  }

  /** @returns null if the encoding is unknown or is a list of several encodings */
  static of(encoding: string, sink: DecodedSink, limits = defaultLimits): ContentDecoder | null {
    const engine = engines[encoding]
    return engine === undefined ? null : new ContentDecoder(engine, sink, limits)
  }

  /** @returns false if the caller should not write more before `onDrain` is called */
  write(bytes: Uint8Array, onDrain: () => void): boolean {
    if (this.#isOver || bytes.length === 0) return true
    this.#encodedBytes += bytes.length
    const stream = this.#stream ?? this.#start(bytes[0] ?? 0)
    // Copy the bytes, because the caller may reuse its buffer before zlib reads the bytes.
    if (stream.write(Uint8Array.from(bytes))) return true
    stream.once('drain', onDrain)
    return false
  }

  /** `onEnd` is called after the last decoded piece. */
  end(): void {
    if (this.#isOver) return
    if (this.#stream) this.#stream.end()
    else this.#over(() => this.#sink.onEnd())
  }

  resume(): void {
    this.#stream?.resume()
  }

  /** No callback is called afterwards. */
  destroy(): void {
    this.#isOver = true
    this.#stream?.destroy()
  }

  #start(firstByte: number): Transform {
    const stream = this.#engine(firstByte)
    stream.on('data', this.#onData)
    stream.on('end', () => this.#over(() => this.#sink.onEnd()))
    stream.on('error', (cause: Error) => this.#fault(new Error('the response cannot be decoded', { cause })))
    this.#stream = stream
    return stream
  }

  readonly #onData = (bytes: Uint8Array): void => {
    if (this.#isOver) return
    this.#decodedBytes += bytes.length
    const { bytesMax, freeBytes, ratioMax } = this.#limits
    if (this.#decodedBytes > bytesMax)
      return this.#fault(new Error(`the response decodes to more than ${bytesMax} bytes`))
    if (this.#decodedBytes > freeBytes && this.#decodedBytes > this.#encodedBytes * ratioMax)
      return this.#fault(new Error(`the response decodes to more than ${ratioMax} times its size`))
    if (!this.#sink.onData(bytes)) this.#stream?.pause()
  }

  #fault(cause: Error): void {
    this.#over(() => this.#sink.onFault(cause))
    this.#stream?.destroy()
  }

  #over(tell: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    tell()
  }
}

/** These options return decoded bytes immediately and accept a body without an end. */
const flushing = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const brotliFlushing = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
}
const zstdFlushing = {
  flush: constants.ZSTD_e_flush,
  finishFlush: constants.ZSTD_e_flush,
  // The largest window that HTTP allows for zstd is 8 MiB (RFC 9659).
  params: { [constants.ZSTD_d_windowLogMax]: 23 },
}

const engines: Readonly<Record<string, (firstByte: number) => Transform>> = {
  gzip: () => createGunzip(flushing),
  'x-gzip': () => createGunzip(flushing),
  // The encoding `deflate` is a zlib stream, but some servers send raw deflate data without the zlib header. The low
  // four bits of a zlib header's first byte are always 8.
  deflate: (first) => ((first & 0x0f) === 8 ? createInflate(flushing) : createInflateRaw(flushing)),
  br: () => createBrotliDecompress(brotliFlushing),
  zstd: () => createZstdDecompress(zstdFlushing),
}
