import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import type { Transform } from 'node:stream'

/** Receives the decoded bytes, then exactly one of `onEnd` and `onFault`. */
interface DecodedSink {
  /** Returning false pauses the decoder until `resume`. */
  onData(bytes: Uint8Array): boolean
  onEnd(): void
  onFault(cause: Error): void
}

/** Limits on the decoded size of an encoded response. */
interface DecodingLimits {
  readonly bytesMax: number
  /** Maximum ratio of decoded to encoded bytes. Checked after more than `freeBytes` were decoded. */
  readonly ratioMax: number
  readonly freeBytes: number
}

/**
 * Frames of a stream are repetitive, so compression by a factor of 20 to 60 is usual. A small body that expands a
 * thousand times is an attack. Non-streaming responses and single frames have lower limits of their own.
 */
const defaultLimits: DecodingLimits = {
  bytesMax: 256 * 1024 * 1024,
  ratioMax: 200,
  freeBytes: 4 * 1024 * 1024,
}

/**
 * Decodes the body of a response that is encoded although `identity` was requested. Some CDNs and servers ignore that
 * header. Each piece is decoded and passed on when it arrives. A body that ends early is not an error here, as in
 * browsers and curl. The wire detects whether a response is complete.
 */
export class ContentDecoder {
  readonly #engine: (firstByte: number) => Transform
  readonly #sink: DecodedSink
  readonly #limits: DecodingLimits
  /** Created when the first bytes arrive, because they distinguish the two kinds of `deflate`. */
  #stream: Transform | null = null
  #encodedBytes = 0
  #decodedBytes = 0
  #isOver = false

  private constructor(engine: (firstByte: number) => Transform, sink: DecodedSink, limits: DecodingLimits) {
    this.#engine = engine
    this.#sink = sink
    this.#limits = limits
  }

  /** @returns null if the encoding is unknown, or is a list of several */
  static of(encoding: string, sink: DecodedSink, limits = defaultLimits): ContentDecoder | null {
    const engine = engines[encoding]
    return engine === undefined ? null : new ContentDecoder(engine, sink, limits)
  }

  /** @returns false if the caller should wait for `onDrain` before it writes more */
  write(bytes: Uint8Array, onDrain: () => void): boolean {
    if (this.#isOver || bytes.length === 0) return true
    this.#encodedBytes += bytes.length
    const stream = this.#stream ?? this.#start(bytes[0] ?? 0)
    // Copy the bytes. The caller may reuse them after this call, and zlib reads them later.
    if (stream.write(Uint8Array.from(bytes))) return true
    stream.once('drain', onDrain)
    return false
  }

  /** Called after the last byte. `onEnd` follows the last decoded piece. */
  end(): void {
    if (this.#isOver) return
    if (this.#stream) this.#stream.end()
    else this.#over(() => this.#sink.onEnd())
  }

  resume(): void {
    this.#stream?.resume()
  }

  /** Stops decoding. No callback is called afterwards. */
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

/** Decoded bytes are passed on immediately, and a missing end is not an error. */
const flushing = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const brotliFlushing = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
}
const zstdFlushing = {
  flush: constants.ZSTD_e_flush,
  finishFlush: constants.ZSTD_e_flush,
  // The largest window that HTTP allows (RFC 9659): 8 MiB.
  params: { [constants.ZSTD_d_windowLogMax]: 23 },
}

/** Decoders by lower-case name of the encoding. */
const engines: Readonly<Record<string, (firstByte: number) => Transform>> = {
  gzip: () => createGunzip(flushing),
  'x-gzip': () => createGunzip(flushing),
  // `deflate` means a zlib stream, but some servers send its contents alone. 8 is the method of every zlib stream.
  deflate: (first) => ((first & 0x0f) === 8 ? createInflate(flushing) : createInflateRaw(flushing)),
  br: () => createBrotliDecompress(brotliFlushing),
  zstd: () => createZstdDecompress(zstdFlushing),
}
