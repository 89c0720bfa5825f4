import type { Usage } from '#money/usage.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { tokensFromThirds } from '#wire/bound/token-count.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, member, valueAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, memberOf } from '#wire/text/object-members.ts'
import { isNull, spanOf, textAt } from '#wire/wire-request.ts'
import { splice, type Edit } from '#wire/text/splice.ts'
import { costEdits } from '#wire/provider-cost.ts'
import { answerLimits } from '#wire/stream/frame-facts.ts'
import { thirdsOfWords } from '#wire/stream/count-unknown-frame.ts'
import { usageFromResponses } from './usage.ts'

/** @returns null for anything except a response: HTML, a cut body, an error or a failed response under status 200 */
export function readResponsesAnswer(text: ByteText, alias: string): WholeAnswer | null {
  const json = parseJson(text, answerLimits)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const output = member(json, 0, 'output')
  if (output < 0 || kindOf(json, output) !== kinds.array || hasFailed(json)) return null
  const { usage, hasReportedUsage } = usageAt(json, 0)
  return {
    usage,
    hasReportedUsage,
    answeredBy: textAt(json, member(json, 0, 'model')),
    outputTokens: usage && usage.output > 0 ? usage.output : tokensFromThirds(thirdsOfWords(json, output)),
    body: splice(text, editsOf(json, 0, alias)),
  }
}

/**
 * Returns the edits of a response for the client: the alias as the model name, without the provider's price. The
 * response is marked as not stored, because no request through the gateway can read or continue it by its ID
 * (docs/decisions/2026-11-23-stored-responses.md).
 */
export function editsOf(json: Json, response: Node, alias: string): readonly Edit[] {
  const model = member(json, response, 'model')
  const store = member(json, response, 'store')
  return [
    ...(model < 0 ? [] : [{ ...spanOf(json, model), text: byteTextOf(JSON.stringify(alias)) }]),
    ...(store < 0 || kindOf(json, store) !== kinds.true ? [] : [{ ...spanOf(json, store), text: 'false' }]),
    ...costEdits(json, member(json, response, 'usage')),
  ]
}

/** Returns the usage that a response reports. */
export function usageAt(json: Json, response: Node): { usage: Usage | null; hasReportedUsage: boolean } {
  const raw = response < 0 ? -1 : member(json, response, 'usage')
  if (raw < 0 || kindOf(json, raw) !== kinds.object) return { usage: null, hasReportedUsage: false }
  const tier = textAt(json, member(json, response, 'service_tier'))
  const tools = member(json, response, 'tool_usage')
  const search = tools < 0 ? -1 : member(json, tools, 'web_search')
  const count = search < 0 ? -1 : member(json, search, 'num_requests')
  const searches = count < 0 ? searchesIn(json, response) : valueAt(json, count)
  const usage = usageFromResponses(valueAt(json, raw), tier, searches)
  return { usage, hasReportedUsage: true }
}

/** Counts the searches in the output, for servers that report no count. Opening a found page is not a search. */
function searchesIn(json: Json, response: Node): number {
  return itemsOf(json, member(json, response, 'output')).filter((item) => {
    if (kindOf(json, item) !== kinds.object || textAt(json, member(json, item, 'type')) !== 'web_search_call')
      return false
    const action = memberOf(json, item, 'action')
    return (textAt(json, memberOf(json, action, 'type')) ?? 'search') === 'search'
  }).length
}

function hasFailed(json: Json): boolean {
  const error: Node = member(json, 0, 'error')
  if (error >= 0 && !isNull(json, error)) return true
  const status = textAt(json, member(json, 0, 'status'))
  return status !== null && isUnfinished(status)
}

/**
 * Whether this status means that a non-streaming response is incomplete. An unknown status does not: vendors add
 * values, and compatible servers spell them in their own ways (`complete`).
 */
export function isUnfinished(status: string): boolean {
  return unfinished.has(status)
}

const unfinished: ReadonlySet<string> = new Set(['failed', 'cancelled', 'queued', 'in_progress'])
