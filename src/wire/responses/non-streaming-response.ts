import type { Usage } from '#money/usage-counts.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { tokensFromThirds } from '#wire/bound/bound-tokens-of-any-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, member, numberAt, valueAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, typeOf } from '#wire/text/members-of-tape-nodes.ts'
import type { ObjectIds, ProviderIds, ResponseIds } from '#wire/types-of-replaced-ids.ts'
import { isNull, spanOf, textAt } from '#wire/wire-request.ts'
import { splice, type Edit } from '#wire/text/apply-edits.ts'
import { costEdits } from '#wire/provider-stated-cost.ts'
import { answerLimits } from '#wire/stream/frame-reader-interface.ts'
import { anyCode, containerEdits, noCode, withSessions, type CodeFacts } from './code-containers.ts'
import { thirdsOfOutput, withImages } from './generated-images.ts'
import { usageFromResponses } from './usage.ts'

export function readResponsesAnswer(
  text: ByteText,
  alias: string,
  { code = noCode, ids = {}, isBackground = false }: Reading = {},
): WholeAnswer | null {
  const json = parseJson(text, answerLimits)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const output = member(json, 0, 'output')
  if (output < 0 || kindOf(json, output) !== kinds.array) return null
  const runningId = isBackground && isRunning(json) ? textAt(json, member(json, 0, 'id')) : null
  if (runningId === null && hasFailed(json)) return null
  const { containers, responses } = ids
  const { usage, hasReportedUsage } = usageAt(json, 0, code)
  return {
    usage,
    hasReportedUsage,
    ...(runningId !== null && { runningId }),
    answeredBy: textAt(json, member(json, 0, 'model')),
    outputTokens: usage && usage.output > 0 ? usage.output : tokensFromThirds(thirdsOfOutput(json, output)),
    body: splice(text, [
      ...editsOf(json, 0, {
        alias,
        ids: responses,
        conversations: ids.conversations,
        tokens: responses === undefined ? null : tokensAt(json, 0),
      }),
      ...(containers === undefined ? [] : containerEdits(json, 0, containers)),
    ]),
  }
}

/** Facts about the request that are needed to read its response. */
export interface Reading {
  readonly ids?: ProviderIds | undefined
  /** Whether the response is generated even if the client disconnects. */
  readonly isBackground?: boolean | undefined
  readonly code?: CodeFacts
}

interface Shown {
  readonly alias: string
  /** Absent if the response is not stored for the client. */
  readonly ids: ResponseIds | undefined
  /** Absent if the response belongs to no conversation of the client. */
  readonly conversations?: ObjectIds | undefined
  /** Input and output tokens; null if the response is in a stream. */
  readonly tokens: number | null
}

/**
 * The edits write the alias as the model name, and remove the provider's price. A stored response gets an ID that only
 * this client can use. Any other response is marked as not stored, because the gateway rejects later requests with its
 * ID (docs/decisions/2026-11-23-stored-responses.md).
 */
export function editsOf(json: Json, response: Node, shown: Shown): readonly Edit[] {
  const { alias, ids } = shown
  const model = member(json, response, 'model')
  const store = member(json, response, 'store')
  const isStored = store >= 0 && kindOf(json, store) === kinds.true
  return [
    ...(model < 0 ? [] : [textEdit(json, model, alias)]),
    ...(isStored && ids === undefined ? [{ ...spanOf(json, store), text: 'false' }] : []),
    ...(ids === undefined ? [] : idEdits(json, response, { ids, isStored, tokens: shown.tokens })),
    ...conversationEdits(json, response, shown.conversations),
    ...costEdits(json, member(json, response, 'usage')),
  ]
}

function conversationEdits(json: Json, response: Node, ids: ObjectIds | undefined): readonly Edit[] {
  const place = ids === undefined ? -1 : member(json, member(json, response, 'conversation'), 'id')
  const id = textAt(json, place)
  return ids === undefined || id === null ? [] : [textEdit(json, place, ids.idOf(id))]
}

/**
 * Converts a stored response, the confirmation of its deletion, or its input. Null if the text is not a JSON object.
 */
export function readStored(
  text: ByteText,
  alias: string,
  { containers, conversations, responses }: StoredIds,
): ByteText | null {
  const json = parseJson(text, answerLimits)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const model = member(json, 0, 'model')
  return splice(text, [
    ...(model < 0 ? [] : [textEdit(json, model, alias)]),
    ...idEdits(json, 0, { ids: responses, isStored: true, tokens: null }),
    ...(containers === undefined ? [] : containerEdits(json, 0, containers)),
    ...conversationEdits(json, 0, conversations),
    ...costEdits(json, member(json, 0, 'usage')),
  ])
}

/** Converts the provider's IDs to Tollgate's IDs, for an account that stores responses. */
export type StoredIds = ProviderIds & Required<Pick<ProviderIds, 'responses'>>

export interface BackgroundReport {
  /** `failed` means that the response ended without an answer. Null if the response has not ended. */
  readonly end: 'canceled' | 'completed' | 'failed' | null
  readonly usage: Usage | null
  readonly answeredBy: string | null
  readonly outputTokens: number
}

/**
 * An unknown status means that the response is still being generated, because otherwise its usage could be lost. Null
 * if the text is not a response.
 */
export function readBackgroundReport(text: ByteText): BackgroundReport | null {
  const json = parseJson(text, answerLimits)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const status = textAt(json, member(json, 0, 'status'))
  if (status === null) return null
  const output = member(json, 0, 'output')
  return {
    end: ends.get(status) ?? null,
    usage: usageAt(json, 0, anyCode).usage,
    answeredBy: textAt(json, member(json, 0, 'model')),
    outputTokens: output < 0 ? 0 : tokensFromThirds(thirdsOfOutput(json, output)),
  }
}

const ends: ReadonlyMap<string, BackgroundReport['end']> = new Map([
  ['completed', 'completed'],
  ['incomplete', 'completed'],
  ['failed', 'failed'],
  ['cancelled', 'canceled'],
])

function isRunning(json: Json): boolean {
  const status = textAt(json, member(json, 0, 'status'))
  return status === 'queued' || status === 'in_progress'
}

export function tokensOfStored(text: ByteText): number | null {
  const json = parseJson(text, answerLimits)
  return 'reason' in json || kindOf(json, 0) !== kinds.object ? null : tokensAt(json, 0)
}

function idEdits(
  json: Json,
  response: Node,
  { ids, isStored, tokens }: { ids: ResponseIds; isStored: boolean; tokens: number | null },
): readonly Edit[] {
  const own = member(json, response, 'id')
  const previous = member(json, response, 'previous_response_id')
  const [id, previousId] = [textAt(json, own), textAt(json, previous)]
  return [
    ...(id === null || !isStored ? [] : [textEdit(json, own, ids.idOf(id, tokens))]),
    ...(previousId === null ? [] : [textEdit(json, previous, ids.previousIdOf(previousId))]),
  ]
}

function textEdit(json: Json, node: Node, text: string): Edit {
  return { ...spanOf(json, node), text: byteTextOf(JSON.stringify(text)) }
}

/**
 * The counts of the provider include everything that the model read and wrote. Null if the counts are not plausible.
 */
function tokensAt(json: Json, response: Node): number | null {
  const usage = member(json, response, 'usage')
  if (usage < 0 || kindOf(json, usage) !== kinds.object) return null
  const [input, output] = ['input_tokens', 'output_tokens'].map((name) => {
    const node = member(json, usage, name)
    return node >= 0 && kindOf(json, node) === kinds.number ? numberAt(json, node) : -1
  }) as [number, number]
  const isPlausible = Number.isSafeInteger(input + output) && input >= 0 && output >= 0
  return isPlausible ? input + output : null
}

/** Adds uses of tools that the output shows but the reported usage omits. */
export function usageAt(
  json: Json,
  response: Node,
  code: CodeFacts,
): { usage: Usage | null; hasReportedUsage: boolean } {
  const raw = response < 0 ? -1 : member(json, response, 'usage')
  if (raw < 0 || kindOf(json, raw) !== kinds.object) return { usage: null, hasReportedUsage: false }
  const tier = textAt(json, member(json, response, 'service_tier'))
  const tools = member(json, response, 'tool_usage')
  const search = tools < 0 ? -1 : member(json, tools, 'web_search')
  const count = search < 0 ? -1 : member(json, search, 'num_requests')
  const searches = count < 0 ? searchesIn(json, response) : valueAt(json, count)
  const usage = usageFromResponses(valueAt(json, raw), tier, searches)
  return {
    usage: withImages(
      withSessions(usage && { ...usage, fileSearches: fileSearchesIn(json, response) }, json, response, code),
      json,
      response,
    ),
    hasReportedUsage: true,
  }
}

/** OpenAI bills each search in files, but no usage report includes these searches. */
function fileSearchesIn(json: Json, response: Node): number {
  return itemsOf(json, member(json, response, 'output')).filter(
    (item) => typeOf(json, item, '') === 'file_search_call',
  ).length
}

/** For servers that report no count of searches. Opening a found page is not a search. */
function searchesIn(json: Json, response: Node): number {
  return itemsOf(json, member(json, response, 'output')).filter((item) => {
    if (kindOf(json, item) !== kinds.object || textAt(json, member(json, item, 'type')) !== 'web_search_call')
      return false
    const action = member(json, item, 'action')
    return (textAt(json, member(json, action, 'type')) ?? 'search') === 'search'
  }).length
}

function hasFailed(json: Json): boolean {
  const error: Node = member(json, 0, 'error')
  if (error >= 0 && !isNull(json, error)) return true
  const status = textAt(json, member(json, 0, 'status'))
  return status !== null && isUnfinished(status)
}

/**
 * An unknown status counts as complete, because vendors add statuses, and some servers spell them differently
 * (`complete`).
 */
export function isUnfinished(status: string): boolean {
  return unfinished.has(status)
}

const unfinished: ReadonlySet<string> = new Set(['failed', 'cancelled', 'queued', 'in_progress'])
