import { soundFormat, soundSeconds } from '#wire/bound/sound-length.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { tokensPerSecond } from './speech-tokens.ts'

/**
 * Estimates the length of speech, for a response that reports no usage. The start of the file shows the bytes per
 * second, from which the size of the file gives the length.
 */
export class SpokenLength {
  readonly #isPcm: boolean
  #start: ByteText = ''
  #bytes = 0

  constructor(type: string) {
    this.#isPcm = type === 'audio/pcm'
  }

  add(bytes: ByteText): void {
    this.#bytes += bytes.length
    if (this.#start.length < startBytesMax) this.#start += bytes
  }

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  get tokens(): number {
    return Math.ceil(this.#seconds * tokensPerSecond)
  }

  get #seconds(): number {
    if (this.#isPcm) return this.#bytes / pcmBytesPerSecond
    const start = Buffer.from(this.#start, 'latin1')
    const format = soundFormat(start)
    if (format === 'wav') return soundSeconds(start, format, this.#bytes) ?? this.#bytes / pcmBytesPerSecond
    const seconds = format === null ? null : soundSeconds(start, format, start.length)
    return seconds === null
      ? this.#bytes / usualBytesPerSecond
      : (seconds * this.#bytes) / Math.max(1, start.length)
  }
}

/** The size of about 13 seconds of MP3. */
const startBytesMax = 256 * 1024
/** PCM has 24,000 samples of 16 bits per second. */
const pcmBytesPerSecond = 48_000
/** MP3 usually has 128 kbit/s. */
const usualBytesPerSecond = 16_000
