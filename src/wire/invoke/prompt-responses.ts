/**
 * Converts responses and chunks between text completions and the families that continue a prompt
 * (docs/reference/wires.md "Other bodies at invoke"). The members of a response show its family.
 */
import {
  isObject,
  listOf,
  numberOrNull,
  objectOf,
  textOrNull,
  type JsonObject,
  type JsonValue,
} from '#wire/text/json-values.ts'
import { chunkTypes } from '#wire/names-of-wires-and-tasks.ts'
import type { PromptFamily } from './body-families.ts'

export interface TokenCounts {
  readonly input: number
  readonly output: number
}

interface Piece {
  readonly index: number
  readonly text: string
  /** A finish reason of text completions. Null if the piece does not end the answer. */
  readonly finish: string | null
}

/** @param prompt the prompt of the request, which Command repeats */
export function promptResponse(family: PromptFamily, response: JsonObject, prompt: JsonValue): JsonObject {
  const pieces = listOf(response['choices']).map(pieceOf)
  const counts = countsOf(response)
  const first = pieces[0] ?? pieceOf(null)
  switch (family) {
    case 'llama':
      return {
        generation: first.text,
        prompt_token_count: counts?.input ?? null,
        generation_token_count: counts?.output ?? null,
        stop_reason: reasonOf('llama', first.finish),
      }
    case 'mistral':
      return { outputs: pieces.map(({ finish, text }) => ({ text, stop_reason: reasonOf(family, finish) })) }
    case 'titan':
      return {
        inputTextTokenCount: counts?.input ?? null,
        results: pieces.map(({ finish, text }) => ({
          tokenCount: counts?.output ?? null,
          outputText: text,
          completionReason: reasonOf(family, finish),
        })),
      }
    case 'command':
      return {
        id: response['id'],
        prompt,
        generations: pieces.map(({ finish, index, text }) => ({
          id: `${String(response['id'])}-${index}`,
          text,
          finish_reason: reasonOf(family, finish),
        })),
      }
    default:
      return family satisfies never
  }
}

/**
 * Returns null for a chunk that the family does not have.
 * @param counts token counts for the last chunk of a stream
 */
export function promptChunk(
  family: PromptFamily,
  chunk: JsonObject,
  counts: TokenCounts | null,
): JsonObject | null {
  const [choice] = listOf(chunk['choices'])
  if (choice === undefined) return null
  const { finish, index, text } = pieceOf(choice)
  const reason = reasonOf(family, finish)
  switch (family) {
    case 'llama':
      return {
        generation: text,
        prompt_token_count: counts?.input ?? null,
        generation_token_count: counts?.output ?? null,
        stop_reason: reason,
      }
    case 'mistral':
      return { outputs: [{ text, stop_reason: reason }] }
    case 'titan':
      return {
        outputText: text,
        index,
        totalOutputTextTokenCount: counts?.output ?? null,
        completionReason: reason,
        inputTextTokenCount: counts?.input ?? null,
      }
    case 'command':
      return {
        ...(index > 0 && { index }),
        ...((text !== '' || finish === null) && { text }),
        ...(finish !== null && { finish_reason: reason }),
        is_finished: finish !== null,
      }
    default:
      return family satisfies never
  }
}

function pieceOf(choice: JsonValue): Piece {
  const { finish_reason: finish, index, text } = objectOf(choice)
  return { index: numberOrNull(index) ?? 0, text: textOrNull(text) ?? '', finish: textOrNull(finish) }
}

function reasonOf(family: PromptFamily, finish: string | null): string | null {
  const { filtered, length, stop } = reasons[family]
  if (finish === null) return null
  if (finish === 'stop') return stop
  if (finish === failedFinish && family === 'command') return 'ERROR'
  return finish === 'content_filter' ? filtered : length
}

interface Reasons {
  readonly stop: string
  readonly length: string
  readonly filtered: string
}

const reasons: Readonly<Record<PromptFamily, Reasons>> = {
  llama: { stop: 'stop', length: 'length', filtered: 'stop' },
  mistral: { stop: 'stop', length: 'length', filtered: 'stop' },
  titan: { stop: 'FINISH', length: 'LENGTH', filtered: 'CONTENT_FILTERED' },
  command: { stop: 'COMPLETE', length: 'MAX_TOKENS', filtered: 'ERROR_TOXIC' },
}

const finishOfReason: ReadonlyMap<string, string> = new Map(
  Object.values(reasons).flatMap(({ filtered, length, stop }) => [
    [filtered, 'content_filter'],
    [length, 'length'],
    [stop, 'stop'],
  ]),
)

/** Command's finish reasons of failed answers. */
const failures: ReadonlySet<string> = new Set(['ERROR', 'ERROR_LIMIT', 'USER_CANCEL'])

/** The finish reason with which compatible servers mark a choice that failed. */
const failedFinish = 'error'

/** Converts a response or a chunk to the format of text completions. Null if the object has the shape of no family. */
export function completionOf(response: JsonObject): JsonObject | null {
  const pieces = piecesIn(response)
  if (pieces === null) return null
  const counts = countsIn(response)
  return {
    id: textOrNull(response['id']) ?? '',
    object: chunkTypes.completions,
    created: 0,
    model: '',
    choices: pieces,
    ...(counts !== null && {
      usage: {
        prompt_tokens: counts.input,
        completion_tokens: counts.output,
        total_tokens: counts.input + counts.output,
      },
    }),
  }
}

function piecesIn(response: JsonObject): readonly JsonObject[] | null {
  const { completionReason, finish_reason, generation, generations, outputs, outputText, results } = response
  if (typeof generation === 'string') return [choiceOf(response, generation, response['stop_reason'])]
  if (typeof outputText === 'string') return [choiceOf(response, outputText, completionReason)]
  if (Array.isArray(outputs)) return choicesOf(outputs, 'text', 'stop_reason')
  if (Array.isArray(results)) return choicesOf(results, 'outputText', 'completionReason')
  if (Array.isArray(generations)) return choicesOf(generations, 'text', 'finish_reason')
  const { is_finished: isFinished, text } = response
  return typeof isFinished === 'boolean' ? [choiceOf(response, text ?? '', finish_reason)] : null
}

function choicesOf(list: JsonValue, text: string, reason: string): readonly JsonObject[] {
  return listOf(list)
    .filter(isObject)
    .map((answer, index) => choiceOf({ index, ...answer }, answer[text], answer[reason]))
}

function choiceOf({ index }: JsonObject, text: JsonValue, reason: JsonValue): JsonObject {
  const told = textOrNull(reason)
  const choice = { text, index: numberOrNull(index) ?? 0, logprobs: null }
  if (told !== null && failures.has(told))
    return { ...choice, finish_reason: failedFinish, error: { message: `The model failed with ${told}.` } }
  return { ...choice, finish_reason: told === null ? null : (finishOfReason.get(told) ?? 'stop') }
}

export const metricsName = 'amazon-bedrock-invocationMetrics'

function countsIn(response: JsonObject): TokenCounts | null {
  const metrics = objectOf(response[metricsName])
  const results = listOf(response['results']).map((result) => numberOrNull(objectOf(result)['tokenCount']))
  const summed = results.length === 0 ? null : results.reduce((a, b) => (a ?? NaN) + (b ?? NaN), 0)
  return (
    bothOf(metrics['inputTokenCount'], metrics['outputTokenCount']) ??
    bothOf(response['prompt_token_count'], response['generation_token_count']) ??
    bothOf(response['inputTextTokenCount'], summed)
  )
}

export function countsOf(response: JsonObject): TokenCounts | null {
  const { completion_tokens: output, prompt_tokens: input } = objectOf(response['usage'])
  return bothOf(input, output)
}

function bothOf(input: JsonValue, output: JsonValue): TokenCounts | null {
  const counts = { input: numberOrNull(input), output: numberOrNull(output) }
  return counts.input === null || counts.output === null || Number.isNaN(counts.output)
    ? null
    : { input: counts.input, output: counts.output }
}
