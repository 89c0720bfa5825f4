/**
 * Converts requests for text completions to Bedrock's `invoke`, whose body formats for prompts depend on the model
 * (docs/reference/conversions.md "Text completions").
 */
import { ChatFrameReader } from '#wire/chat/frame-reader.ts'
import { completionChunks, completions } from '#wire/completions/wire.ts'
import { bodyOfPrompt, promptFamilyOf, promptFormats } from '#wire/invoke/prompt-bodies.ts'
import { completionOf } from '#wire/invoke/prompt-responses.ts'
import type { AnswerStream, WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { member, type Json } from '#wire/text/json-tape.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { isAbsent, parseObject, printValue } from '#wire/text/json-values.ts'
import {
  bodyOf,
  refuseForRoute,
  spanOf,
  unlessRefused,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'

interface CompletionConversion {
  readonly wire: 'invoke_prompt'
  readonly lost: readonly string[]
  readonly needsMaximum: boolean
  readonly body: (model: string, outputTokensMax: number | null) => ByteText
  /** Null if the text is not a valid response. */
  readonly readAnswer: (text: ByteText) => WholeAnswer | null
  readonly openStream: () => AnswerStream
}

interface ResponseHead {
  readonly id: string
  /** In seconds since 1970. */
  readonly created: number
}

/** @param model the provider's model, which determines the family of the body */
export function convertCompletions(
  request: WireRequest,
  model: string,
  head: ResponseHead,
): CompletionConversion | RequestFault {
  return unlessRefused(() => {
    const family = promptFamilyOf(model)
    if (family === null) return refuseForRoute('model', 'the provider of this model has no text completions')
    const asked = bodyOf(request)
    const { title } = promptFormats[family]
    if (typeof asked['prompt'] !== 'string')
      refuseForRoute('prompt', `${title} at Bedrock reads one prompt as a string. Send one string`)
    for (const name of changingAnswer)
      if (!isAbsent(asked[name]) && asked[name] !== false)
        refuseForRoute(name, `${title} at Bedrock does not have the field. Omit the field`)
    if (request.choices > 1 && family !== 'command')
      refuseForRoute('n', `${title} at Bedrock writes one answer per request. Omit the field`)
    const written = (max: number | null) => bodyOfPrompt(family, asked, max)
    return {
      wire: 'invoke_prompt',
      lost: [...(request.lost ?? []), ...written(null).lost],
      needsMaximum: request.outputTokensMax === null,
      body: (_, max) => byteTextOf(printValue(written(max).body)),
      readAnswer(text) {
        const response = parseObject(textOf(text))
        const completion = response && completionOf(response)
        if (completion === null) return null
        return completions.readAnswer(byteTextOf(printValue({ ...completion, ...head, model })), request)
      },
      openStream: () => new PassThroughStream(new ChunkReader(request, head)),
    }
  })
}

/** The adapter of Bedrock has already converted the provider's chunks (providers/bedrock-stream-to-events.ts). */
class ChunkReader extends ChatFrameReader {
  readonly #head: ResponseHead

  constructor({ model, wantsReport, wantsUsage }: WireRequest, head: ResponseHead) {
    super(model, wantsUsage, completionChunks, wantsReport)
    this.#head = head
  }

  override read(json: Json): ReturnType<ChatFrameReader['read']> {
    // Do not remember the shape of a chunk, because a remembered shape would contain only the edits of the first chunk.
    const frame = super.read(json, false)
    if (frame.place === 'failed' || frame.place === 'broken') return frame
    const edits = Object.entries(this.#head).flatMap(([name, value]) => {
      const node = member(json, 0, name)
      return node < 0 ? [] : [{ ...spanOf(json, node), text: byteTextOf(JSON.stringify(value)) }]
    })
    return { ...frame, edits: [...edits, ...(frame.edits ?? [])] }
  }
}

/** A request with one of these fields, which change the answer, is rejected for models that do not have the field. */
const changingAnswer = ['suffix', 'echo', 'best_of', 'logprobs']
