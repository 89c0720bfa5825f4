import type { Usage } from '#money/usage.ts'
import { tokensFromThirds } from '#wire/bound/token-count.ts'
import { openaiErrorFrame } from '#wire/openai-error.ts'
import { providerErrorOf } from '#wire/provider-error.ts'
import { thirdsOfWords } from '#wire/stream/count-unknown-frame.ts'
import type { FailedFrame, Frame, FrameReader } from '#wire/stream/frame-reader.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { kindOf, kinds, member, valueAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { objectOf } from '#wire/text/json-values.ts'
import type { WireError } from '#wire/wire-error.ts'
import { isNull, textAt, type WireRequest } from '#wire/wire-request.ts'
import { usageOfTranscript } from './response.ts'

/** Reads the events of a transcription: pieces of text, and the end with the usage. */
export class TranscriptionFrameReader implements FrameReader {
  hasReportedUsage = false
  readonly answeredBy = null

  readonly #request: WireRequest
  #reported: Usage | null = null
  #hasBegun = false
  #thirds = 0

  constructor(request: WireRequest) {
    this.#request = request
  }

  /** Until the usage is reported, the usage of the text that has arrived. */
  get usage(): Usage | null {
    if (this.hasReportedUsage) return this.#reported
    if (!this.#hasBegun) return null
    return usageOfTranscript(null, null, tokensFromThirds(this.#thirds), this.#request).usage
  }

  read(json: Json): Frame | FailedFrame {
    const type = textAt(json, member(json, 0, 'type')) ?? ''
    const error = member(json, 0, 'error')
    if (type === 'error' || (error >= 0 && !isNull(json, error)))
      return { place: 'failed', failure: providerErrorOf(valueAt(json, 0)) }
    this.#hasBegun = true
    if (type.endsWith('.done')) {
      this.#readUsage(json, member(json, 0, 'usage'))
      return { place: 'end', isShown: false, thirds: 0, isLast: true }
    }
    const delta = member(json, 0, 'delta')
    const text = delta < 0 ? member(json, 0, 'text') : delta
    const thirds = text < 0 ? 0 : thirdsOfWords(json, text)
    // Segments repeat the text of pieces.
    if (!type.endsWith('.segment')) this.#thirds += thirds
    // The tokens of a transcript are held apart from the output, so no frame has output.
    return { place: thirds > 0 ? 'answer' : 'beside', isShown: thirds > 0, thirds: 0 }
  }

  /** Only the event of this format completes a transcript. */
  ending(): null {
    return null
  }

  spendTail(_usage: Usage, error: WireError, requestId: string): ByteText {
    return openaiErrorFrame(error, requestId)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return openaiErrorFrame(error, requestId)
  }

  #readUsage(json: Json, usage: Node): void {
    if (usage < 0 || kindOf(json, usage) !== kinds.object) return
    const written = tokensFromThirds(this.#thirds)
    const read = usageOfTranscript(objectOf(valueAt(json, usage)), null, written, this.#request)
    this.hasReportedUsage = read.hasReportedUsage
    this.#reported = read.usage
  }
}
