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
  /** False pauses the decoder until `resume`. */
  onData(bytes: Uint8Array): boolean
  onEnd(): void
  onFault(cause: Error): void
}

/** Limits on what an encoded answer may decode to. */
interface DecodingLimits {
  readonly bytesMax: number
  /** The largest ratio of decoded to encoded bytes, checked once more than `freeBytes` were decoded. */
  readonly ratioMax: number
  readonly freeBytes: number
}

/**
 * Frames of a stream repeat themselves: 20 to 60 times fewer bytes are usual. A small body that expands a thousand
 * times is an attack. Whole answers and single frames have lower limits of their own.
 */
const defaultLimits: DecodingLimits = {
  bytesMax: 256 * 1024 * 1024,
  ratioMax: 200,
  freeBytes: 4 * 1024 * 1024,
}

/**
 * Decodes the body of an answer that came encoded although `identity` was requested (some CDNs and servers ignore
 * that). Each piece is decoded and handed on as it arrives. A body that ends early is no fault here, as in browsers and
 * curl: the wire knows whether an answer is complete.
 */
export class ContentDecoder {
  readonly #engine: (firstByte: number) => Transform
  readonly #sink: DecodedSink
  readonly #limits: DecodingLimits
  /** Created with the first bytes, since they tell the two kinds of `deflate` apart. */
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
    // A copy: the bytes are the caller's again when this returns, and zlib reads them later.
    if (stream.write(Uint8Array.from(bytes))) return true
    stream.once('drain', onDrain)
    return false
  }

  /** No more bytes come; `onEnd` follows the last decoded piece. */
  end(): void {
    if (this.#isOver) return
    if (this.#stream) this.#stream.end()
    else this.#over(() => this.#sink.onEnd())
  }

  resume(): void {
    this.#stream?.resume()
  }

  /** Ends the work; nothing more is called. */
  destroy(): void {
    this.#isOver = true
    this.#stream?.destroy()
  }

  #start(firstByte: number): Transform {
    const stream = this.#engine(firstByte)
    stream.on('data', this.#onData)
    stream.on('end', () => this.#over(() => this.#sink.onEnd()))
    stream.on('error', (cause: Error) => this.#fault(new Error('the answer cannot be decoded', { cause })))
    this.#stream = stream
    return stream
  }

  readonly #onData = (bytes: Uint8Array): void => {
    if (this.#isOver) return
    this.#decodedBytes += bytes.length
    const { bytesMax, freeBytes, ratioMax } = this.#limits
    if (this.#decodedBytes > bytesMax)
      return this.#fault(new Error(`the answer decodes to more than ${bytesMax} bytes`))
    if (this.#decodedBytes > freeBytes && this.#decodedBytes > this.#encodedBytes * ratioMax)
      return this.#fault(new Error(`the answer decodes to more than ${ratioMax} times its size`))
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

/** What is decoded so far is handed on at once, and a missing end is no fault. */
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

/** By the name of the encoding in lower case. */
const engines: Readonly<Record<string, (firstByte: number) => Transform>> = {
  gzip: () => createGunzip(flushing),
  'x-gzip': () => createGunzip(flushing),
  // Named after a zlib stream, but some servers send its contents alone; 8 is the method of every zlib stream.
  deflate: (first) => ((first & 0x0f) === 8 ? createInflate(flushing) : createInflateRaw(flushing)),
  br: () => createBrotliDecompress(brotliFlushing),
  zstd: () => createZstdDecompress(zstdFlushing),
}
