import { zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { AnswerStream, StreamState } from '#wire/stream/answer-stream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { SpokenLength } from './spoken-length.ts'

/** The last bytes of speech are withheld until the request is settled. */
export class SoundStream implements AnswerStream {
  state: StreamState = 'open'
  hasDelivered = false
  textChunks = 0
  readonly accepts = /^(?:audio\/.+|application\/octet-stream)?$/
  readonly failure = null
  readonly hasReportedUsage = false
  readonly droppedFrames = 0
  /** The hold covers the tokens of speech separately from the output. */
  readonly outputTokens = 0
  readonly outputTokensSure = 0

  readonly #characters: number
  readonly #length: SpokenLength
  #held: ByteText = ''

  constructor({ responseType = '', uses }: WireRequest) {
    this.#characters = uses?.characters ?? 0
    this.#length = new SpokenLength(responseType)
  }

  get usage(): Usage | null {
    return this.#length.isEmpty ? null : usageOfSpeech(this.#characters, this.#length)
  }

  push(chunk: ByteText): ByteText {
    this.#length.add(chunk)
    this.textChunks++
    const bytes = this.#held + chunk
    const at = Math.max(0, bytes.length - endBytes)
    this.#held = bytes.slice(at)
    this.hasDelivered ||= at > 0
    return bytes.slice(0, at)
  }

  end(): ByteText {
    if (!this.#length.isEmpty) this.state = 'done'
    return ''
  }

  tail(): ByteText {
    return this.#held
  }

  /** Sound cannot contain an error, so the gateway closes the connection instead. */
  spendTail(): ByteText {
    return ''
  }

  errorTail(): ByteText {
    return ''
  }
}

/** If no usage is reported, the gateway itself counts the tokens of the text. */
export function usageOfSpeech(characters: number, { tokens }: SpokenLength): Usage {
  return { ...zeroUsage, characters, output: tokens, audioOutput: tokens, lacks: 'input' }
}

/** Number of bytes at the end of the sound that are withheld. In the usual formats, a frame has more bytes. */
const endBytes = 64
