import { appendAll } from '#convert/append-all.ts'
import { printValue, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { AnswerEncoder, EncoderOptions } from '#convert/codec-interface.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { CandidateWriter, joinedParts, partsOf } from './write-candidate.ts'
import { generateErrorFrame } from '#wire/generate/errors.ts'
import { closing, failedClosing, framed } from '#wire/generate/frames-as-events-or-array.ts'
import { logprobsToGenerate } from './convert-logprobs.ts'
import { usageToGenerate } from '#wire/generate/usage.ts'

/**
 * Converts neutral events to a stream of generateContent responses. Each tool call is written in one piece, because
 * clients of the generate wire expect complete arguments. The usage and the finish reasons of all candidates are not
 * written until `tail` is called.
 */
export class GenerateEncoder implements AnswerEncoder {
  readonly #isJsonArray: boolean
  readonly #ids: JsonObject
  /** The JSON before the text of a chunk that contains only one text of candidate 0. */
  readonly #before: ByteText
  readonly #behind: ByteText
  readonly #candidates = new Map<number, CandidateWriter>()
  readonly #hidesThoughts: boolean
  #isFirst = true

  constructor({ alias, callId, isJsonArray, request }: EncoderOptions) {
    this.#isJsonArray = isJsonArray
    this.#hidesThoughts = request.reasoning?.isShown === false
    this.#ids = { modelVersion: alias, responseId: callId }
    this.#before = '{"candidates":[{"content":{"parts":[{"text":'
    this.#behind = byteTextOf(`}],"role":"model"},"index":0}],${printValue(this.#ids).slice(1)}`)
  }

  write(event: NeutralEvent): ByteText {
    if (!('choice' in event)) return ''
    const writer = this.#writerOf(event.choice)
    if (event.kind === 'text' && event.choice === 0 && !writer.isHolding) {
      if (event.text === '') return ''
      return this.#framed(this.#before + byteTextOf(JSON.stringify(event.text)) + this.#behind)
    }
    const candidate = writer.take(event)
    return candidate ? this.#framed(this.#answerOf([candidate])) : ''
  }

  /** Writes the finish reasons of all candidates in one chunk, because clients read the usage from the last chunk. */
  tail(usage: Usage): ByteText {
    const finished = [...this.#candidates.values()].map((writer) => writer.last())
    const answer = this.#answerOf(finished, usage)
    return this.#framed(answer) + closing(this.#isJsonArray, false)
  }

  /** Writes no finish reason, because a finish reason would mark the answer as complete. */
  spendTail(usage: Usage, error: WireError, requestId: string): ByteText {
    return this.#lastWords([this.#answerOf([], usage), generateErrorFrame(error, requestId)], error)
  }

  errorTail(error: WireError, requestId: string): ByteText {
    return this.#lastWords([generateErrorFrame(error, requestId)], error)
  }

  #lastWords(answers: readonly ByteText[], { code }: WireError): ByteText {
    return framed(this.#isJsonArray, answers, this.#isFirst) + failedClosing(this.#isJsonArray, code)
  }

  #framed(answer: ByteText): ByteText {
    const frame = framed(this.#isJsonArray, [answer], this.#isFirst)
    this.#isFirst = false
    return frame
  }

  #answerOf(candidates: readonly JsonObject[], usage?: Usage): ByteText {
    const answer = {
      ...(candidates.length > 0 && { candidates }),
      ...(usage && { usageMetadata: usageToGenerate(usage) }),
      ...this.#ids,
    }
    return byteTextOf(printValue(answer))
  }

  #writerOf(choice: number): CandidateWriter {
    const known = this.#candidates.get(choice)
    if (known) return known
    const writer = new CandidateWriter(choice, this.#hidesThoughts)
    this.#candidates.set(choice, writer)
    return writer
  }
}

/** Each choice becomes one candidate, with adjacent texts joined. */
export function encodeGenerateAnswer(
  events: readonly NeutralEvent[],
  { alias, callId, request }: EncoderOptions,
): JsonObject {
  const choices = new Map<number, { writer: CandidateWriter; parts: JsonObject[]; tokens: JsonValue[] }>()
  let usage: Usage | null = null
  // A client that did not request thoughts gets only their signature, so that it can send the signature back.
  const hidesThoughts = request.reasoning?.isShown === false
  for (const event of events) {
    if (event.kind === 'usage') usage = event.usage
    if (!('choice' in event)) continue
    const known = choices.get(event.choice)
    const one = known ?? { writer: new CandidateWriter(event.choice, hidesThoughts), parts: [], tokens: [] }
    choices.set(event.choice, one)
    if (event.kind === 'logprobs') appendAll(one.tokens, event.tokens)
    else appendAll(one.parts, partsOf(one.writer.take(event)?.content))
  }
  const candidates = [...choices.values()].map(({ writer, parts, tokens }) => {
    const { content, ...end } = writer.last()
    const signed = partsOf(content).filter(({ thoughtSignature }) => thoughtSignature !== undefined)
    const all = joinedParts([...parts, ...signed])
    return {
      content: { ...(all.length > 0 && { parts: all }), role: 'model' },
      ...end,
      ...(tokens.length > 0 && { logprobsResult: logprobsToGenerate(tokens) }),
    }
  })
  return {
    candidates,
    ...(usage && { usageMetadata: usageToGenerate(usage) }),
    modelVersion: alias,
    responseId: callId,
  }
}
