import { isPlausible, zeroUsage, type Usage } from '#money/usage.ts'
import { openaiErrorFrame } from '#wire/openai-error.ts'
import { providerErrorOf } from '#wire/provider-error.ts'
import type { FailedFrame, Frame, FrameReader } from '#wire/stream/frame-reader.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { kindOf, kinds, member, valueAt, type Json } from '#wire/text/json-tape.ts'
import { numberOrNull, objectOf, type JsonObject } from '#wire/text/json-values.ts'
import type { WireError } from '#wire/wire-error.ts'
import { isNull, textAt, type WireRequest } from '#wire/wire-request.ts'
import { usageOfSpeech } from './sound-stream.ts'
import { SpokenLength } from './spoken-length.ts'

/** Reads the events of speech (docs/reference/wires.md "Speech"): pieces of sound, and the end with the usage. */
export class SpeechFrameReader implements FrameReader {
  hasReportedUsage = false
  readonly answeredBy = null

  readonly #characters: number
  readonly #length = new SpokenLength('')
  #reported: Usage | null = null

  constructor({ uses }: WireRequest) {
    this.#characters = uses?.characters ?? 0
  }

  get usage(): Usage | null {
    if (this.hasReportedUsage) return this.#reported
    return this.#length.isEmpty ? null : usageOfSpeech(this.#characters, this.#length)
  }

  read(json: Json): Frame | FailedFrame {
    const type = textAt(json, member(json, 0, 'type'))
    const error = member(json, 0, 'error')
    if (type === 'error' || (error >= 0 && !isNull(json, error)))
      return { place: 'failed', failure: providerErrorOf(valueAt(json, 0)) }
    const usage = member(json, 0, 'usage')
    if (usage >= 0 && kindOf(json, usage) === kinds.object) this.#readUsage(objectOf(valueAt(json, usage)))
    if (type === 'speech.audio.done') return { place: 'end', isShown: false, thirds: 0, isLast: true }
    const audio = textAt(json, member(json, 0, 'audio'))
    if (audio !== null) this.#length.add(Buffer.from(audio, 'base64').toString('latin1'))
    // The tokens of speech are held apart from the output, so no frame has output.
    return { place: 'answer', isShown: audio !== null, thirds: 0 }
  }

  /** Only the event of this format completes speech. */
  ending(): null {
    return null
  }

  spendTail(_usage: Usage, error: WireError, requestId: string): ByteText {
    return openaiErrorFrame(error, requestId)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return openaiErrorFrame(error, requestId)
  }

  #readUsage(reported: JsonObject): void {
    const output = numberOrNull(reported.output_tokens) ?? -1
    const usage: Usage = {
      ...zeroUsage,
      characters: this.#characters,
      input: numberOrNull(reported.input_tokens) ?? -1,
      output,
      audioOutput: output,
    }
    this.hasReportedUsage = true
    this.#reported = isPlausible(usage) ? usage : null
  }
}
