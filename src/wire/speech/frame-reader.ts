import { isPlausible, zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { Frame } from '#wire/stream/frame-reader-interface.ts'
import { OpenaiEventReader } from '#wire/stream/openai-task-event-reader.ts'
import { kindOf, kinds, member, valueAt, type Json } from '#wire/text/json-tape.ts'
import { numberOrNull, objectOf, type JsonObject } from '#wire/text/json-values.ts'
import { textAt, type WireRequest } from '#wire/wire-request.ts'
import { usageOfSpeech } from './sound-stream.ts'
import { SpokenLength } from './spoken-length.ts'

export class SpeechFrameReader extends OpenaiEventReader {
  readonly #characters: number
  readonly #length = new SpokenLength('')

  constructor({ uses }: WireRequest) {
    super()
    this.#characters = uses?.characters ?? 0
  }

  get usage(): Usage | null {
    if (this.hasReportedUsage) return this.reported
    return this.#length.isEmpty ? null : usageOfSpeech(this.#characters, this.#length)
  }

  protected readEvent(json: Json, type: string): Frame {
    const usage = member(json, 0, 'usage')
    if (usage >= 0 && kindOf(json, usage) === kinds.object) this.#readUsage(objectOf(valueAt(json, usage)))
    if (type === 'speech.audio.done') return { place: 'end', isShown: false, thirds: 0, isLast: true }
    const audio = textAt(json, member(json, 0, 'audio'))
    if (audio !== null) this.#length.add(Buffer.from(audio, 'base64').toString('latin1'))
    // The hold covers the tokens of speech separately, so no frame counts as output.
    return { place: 'answer', isShown: audio !== null, thirds: 0 }
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
    this.reported = isPlausible(usage) ? usage : null
  }
}
