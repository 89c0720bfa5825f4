import type { Usage } from '#money/usage-counts.ts'
import { tokensFromThirds } from '#wire/bound/bound-tokens-of-any-text.ts'
import { thirdsOfWords } from '#wire/stream/count-tokens-by-bytes.ts'
import type { Frame } from '#wire/stream/frame-reader-interface.ts'
import { OpenaiEventReader } from '#wire/stream/openai-task-event-reader.ts'
import { kindOf, kinds, member, valueAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { objectOf } from '#wire/text/json-values.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { usageOfTranscript } from './response.ts'

export class TranscriptionFrameReader extends OpenaiEventReader {
  readonly #request: WireRequest
  #hasBegun = false
  #thirds = 0

  constructor(request: WireRequest) {
    super()
    this.#request = request
  }

  /** Until the provider reports a usage, the usage is computed from the text that has arrived. */
  get usage(): Usage | null {
    if (this.hasReportedUsage) return this.reported
    if (!this.#hasBegun) return null
    return usageOfTranscript(null, null, tokensFromThirds(this.#thirds), this.#request).usage
  }

  protected readEvent(json: Json, type: string): Frame {
    this.#hasBegun = true
    if (type.endsWith('.done')) {
      this.#readUsage(json, member(json, 0, 'usage'))
      return { place: 'end', isShown: false, thirds: 0, isLast: true }
    }
    const delta = member(json, 0, 'delta')
    const text = delta < 0 ? member(json, 0, 'text') : delta
    const thirds = text < 0 ? 0 : thirdsOfWords(json, text)
    // Segments repeat text that has already arrived in pieces.
    if (!type.endsWith('.segment')) this.#thirds += thirds
    // The hold covers the tokens of a transcript separately, so no frame counts as output.
    return { place: thirds > 0 ? 'answer' : 'beside', isShown: thirds > 0, thirds: 0 }
  }

  #readUsage(json: Json, usage: Node): void {
    if (usage < 0 || kindOf(json, usage) !== kinds.object) return
    const written = tokensFromThirds(this.#thirds)
    const read = usageOfTranscript(objectOf(valueAt(json, usage)), null, written, this.#request)
    this.hasReportedUsage = read.hasReportedUsage
    this.reported = read.usage
  }
}
