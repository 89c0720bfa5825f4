import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import type { AnswerDecoder, DecoderOptions } from '#convert/codec-interface.ts'
import { isAbsent, isObject, listOf, objectOf, printValue, textOrNull } from '#wire/text/json-values.ts'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { providerErrorOf, unnamedError } from '#wire/read-provider-error.ts'
import { finishOf } from './finish-reasons.ts'
import { logprobsFromGenerate } from './convert-logprobs.ts'
import { PartialArgs } from './streamed-function-arguments.ts'
import { precedesItsText, readThoughtSignature } from '#wire/generate/thought-signatures.ts'
import type { Usage } from '#money/usage-counts.ts'
import { countsOutput, hasCounts, usageFromGenerate } from '#wire/generate/usage.ts'

/**
 * Streamed chunks and non-streaming responses have the same format (docs/reference/wires.md "Answers on the generate
 * wire").
 *
 * On the generate wire, a signature is a field of a part. The neutral event of a signature precedes a tool call, but
 * follows a text or a thought. Tool calls arrive complete, except from Vertex, which streams their arguments in pieces.
 */
export class GenerateDecoder implements AnswerDecoder {
  /** Always false, because the generate wire has no end marker and the usage may arrive after the finish reason. */
  isOver = false

  readonly #options: DecoderOptions
  readonly #choices = new Map<number, Choice>()
  readonly #lost = new Set<string>()
  /** Choices that this frame has finished. Another candidate with the same number is another answer. */
  #finishedNow = new Set<number>()
  #isStarted = false
  #calls = 0
  #events: NeutralEvent[] = []
  #report: JsonValue

  constructor(options: DecoderOptions) {
    this.#options = options
  }

  get inputUsage(): Usage | null {
    return hasCounts(this.#report) ? usageFromGenerate(this.#report) : null
  }

  push(frame: JsonObject): readonly NeutralEvent[] {
    this.#events = []
    this.#finishedNow.clear()
    if (!isAbsent(frame.error)) return [{ kind: 'error', error: providerErrorOf(frame) ?? unnamedError }]
    if (!this.#isStarted) {
      this.#isStarted = true
      this.#add({ kind: 'start', id: typeof frame.responseId === 'string' ? frame.responseId : null })
    }
    const candidates = listOf(frame.candidates)
    const report = frame.usageMetadata
    if (!isAbsent(report)) this.#report = report
    // The first chunks count only the prompt although text has already arrived, so their counts are not used as the
    // final usage.
    const isFinal = candidates.some((candidate) => typeof objectOf(candidate).finishReason === 'string')
    if (hasCounts(report) && (isFinal || candidates.length === 0 || countsOutput(report)))
      this.#add({ kind: 'usage', usage: usageFromGenerate(report) })
    for (const candidate of candidates) if (isObject(candidate)) this.#readCandidate(candidate)
    this.#readFeedback(frame.promptFeedback)
    return this.#events
  }

  end(): readonly NeutralEvent[] {
    this.isOver = true
    this.#events = []
    for (const choice of this.#choices.values()) if (choice.hasContinued) this.#finish(choice)
    return this.#events
  }

  #add(event: NeutralEvent): void {
    this.#events.push(event)
  }

  #lose(what: string): void {
    if (this.#lost.has(what)) return
    this.#lost.add(what)
    this.#add({ kind: 'lost', what })
  }

  /** The response to a blocked prompt has no candidates (docs/reference/wires.md "Answers on the generate wire"). */
  #readFeedback(feedback: JsonValue): void {
    if (!isObject(feedback) || typeof feedback.blockReason !== 'string') return
    if (this.#choices.size > 0) return
    this.#choiceOf(0).finishReason = 'SAFETY'
    this.#add({ kind: 'finish', choice: 0, reason: 'filtered', stopSequence: null })
  }

  #readCandidate(candidate: JsonObject): void {
    const number = typeof candidate.index === 'number' ? candidate.index : 0
    const choice = this.#choiceOf(number)
    if (this.#finishedNow.has(number)) return
    const before = this.#events.length
    for (const part of listOf(objectOf(candidate.content).parts))
      if (isObject(part)) this.#readPart(choice, part)
    const tokens = logprobsFromGenerate(candidate.logprobsResult)
    if (tokens.length > 0) this.#add({ kind: 'logprobs', choice: number, tokens })
    this.#readSources(number, candidate)
    const { finishReason } = candidate
    const isFinish = typeof finishReason === 'string' && finishReason !== ''
    if (isFinish) this.#endCall(choice)
    // Some servers send a finish reason before the answer, or with each piece of the answer.
    if (choice.finishReason !== null && this.#events.length > before) choice.hasContinued = true
    if (!isFinish) return
    this.#finishedNow.add(number)
    if (choice.finishReason !== null && !choice.hasContinued) return
    choice.finishReason = finishReason
    this.#finish(choice)
  }

  #finish(choice: Choice): void {
    if (choice.finishReason === null) return
    choice.hasContinued = false
    const reason = finishOf(choice.finishReason, choice.slots > 0)
    this.#add({ kind: 'finish', choice: choice.number, reason, stopSequence: null })
  }

  #readPart(choice: Choice, part: JsonObject): void {
    const { text, thought, thoughtSignature, functionCall } = part
    const { number } = choice
    const read =
      typeof thoughtSignature === 'string' && thoughtSignature !== ''
        ? readThoughtSignature(thoughtSignature, this.#options.origin)
        : null
    const signature: NeutralEvent | null = read && { kind: 'signature', choice: number, signature: read }
    if (isObject(functionCall)) {
      this.#readCall(choice, functionCall, signature)
      return
    }
    const isBefore =
      read !== null && typeof text === 'string' && text !== '' && thought !== true && precedesItsText(read)
    if (signature && isBefore) this.#add(signature)
    if (typeof text === 'string') {
      if (text !== '') this.#add({ kind: thought === true ? 'reasoning' : 'text', choice: number, text })
    } else for (const kind of Object.keys(part)) if (!marks.has(kind)) this.#lose(kind)
    if (signature && !isBefore) this.#add(signature)
  }

  #readCall(choice: Choice, call: JsonObject, signature: NeutralEvent | null): void {
    const { name, id, args, partialArgs, willContinue } = call
    if (typeof name === 'string' && name !== '') {
      this.#endCall(choice)
      if (signature) this.#add(signature)
      const pieces = args === undefined || args === null ? new PartialArgs() : null
      choice.call = { name, id: typeof id === 'string' && id !== '' ? id : null, args, pieces }
    }
    if (!choice.call) return
    choice.call.pieces?.add(partialArgs)
    if (willContinue !== true) this.#endCall(choice)
  }

  /**
   * Vertex may omit the last piece of a tool call. The call then ends when the next call or the finish reason arrives.
   */
  #endCall(choice: Choice): void {
    const { call, number } = choice
    if (!call) return
    choice.call = null
    const slot = choice.slots++
    const id = call.id ?? `${this.#options.callIdPrefix}${this.#calls}`
    this.#calls++
    this.#add({ kind: 'tool_call', choice: number, slot, id, name: call.name, isCustom: false })
    const text = call.pieces?.text ?? printValue(call.args)
    this.#add({ kind: 'arguments', choice: number, slot, text })
    this.#add({ kind: 'tool_call_end', choice: number, slot })
  }

  /** Google's positions of sources are byte offsets within a part, not positions in the text. */
  #readSources(choice: number, candidate: JsonObject): void {
    for (const chunk of listOf(objectOf(candidate.groundingMetadata).groundingChunks)) {
      const { image, maps, retrievedContext, web } = objectOf(chunk)
      const { sourceUri, title, uri } = objectOf(web ?? maps ?? retrievedContext ?? image)
      const url = uri ?? sourceUri
      // Other wires have no citations of stored documents.
      if (isObject(web) || (typeof url === 'string' && isWebAddress.test(url))) this.#cite(choice, url, title)
      else if (textOrNull(url)) this.#lose('groundingChunks')
    }
    const { citationSources, citations } = objectOf(candidate.citationMetadata)
    for (const source of [...listOf(citationSources), ...listOf(citations)]) {
      const { uri, title } = objectOf(source)
      this.#cite(choice, uri, title)
    }
  }

  #cite(choice: number, uri: JsonValue, title: JsonValue): void {
    if (typeof uri !== 'string' || uri === '') return
    const citation = { url: uri, title: typeof title === 'string' ? title : null, start: null, end: null }
    this.#add({ kind: 'citation', choice, citation })
  }

  #choiceOf(number: number): Choice {
    const known = this.#choices.get(number)
    if (known) return known
    const choice: Choice = { number, slots: 0, call: null, finishReason: null, hasContinued: false }
    this.#choices.set(number, choice)
    return choice
  }
}

const isWebAddress = /^https?:/i

interface Choice {
  readonly number: number
  slots: number
  call: Call | null
  finishReason: string | null
  /** Whether output has followed the last finish event. */
  hasContinued: boolean
}

interface Call {
  readonly name: string
  readonly id: string | null
  readonly args: JsonValue
  /** Null if the arguments arrived complete. */
  readonly pieces: PartialArgs | null
}

const marks = new Set(['thought', 'thoughtSignature', 'videoMetadata', 'mediaResolution', 'partMetadata'])

export function decodeGenerateAnswer(
  body: JsonObject,
  options: DecoderOptions,
): readonly NeutralEvent[] | null {
  if (!Array.isArray(body.candidates) && !isObject(body.promptFeedback)) return null
  const decoder = new GenerateDecoder(options)
  return [...decoder.push(body), ...decoder.end()]
}
