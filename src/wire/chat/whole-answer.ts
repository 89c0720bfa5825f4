import { tokensFromThirds } from '#wire/bound/token-count.ts'
import {
  after,
  endOf,
  inside,
  kindOf,
  kinds,
  member,
  parseJson,
  startOf,
  stringAt,
  valueAt,
  valueOf,
} from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { tellsProvider } from '#wire/provider-error.ts'
import { removals } from '#wire/text/removals.ts'
import { isNull, spanOf, textAt } from '#wire/request.ts'
import { splice, type Edit } from '#wire/text/splice.ts'
import { costEdits } from '#wire/stated-cost.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream.ts'
import { thirdsOfEveryText } from '#wire/stream/unknown-frame.ts'
import { isRecord, reportedUsage, usageFromChat } from './usage.ts'

/** @returns null for anything but a chat completion: HTML, a cut body, an error under status 200 */
export function readChatResponse(text: ByteText, alias: string): WholeAnswer | null {
  const json = parseJson(text)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const choices = member(json, 0, 'choices')
  if (choices < 0 || kindOf(json, choices) !== kinds.array) return null
  // An error under status 200, with or without a piece of an answer beside it.
  const first = inside(choices)
  if (isSaid(json, 0) || (first < after(json, choices) && isSaid(json, first))) return null
  const { usage, hasReportedUsage } = usageIn(json)
  return {
    usage,
    hasReportedUsage,
    outputTokens: usage ? usage.output : tokensFromThirds(thirdsOfEveryText(json, choices)),
    body: splice(text, editsOf(json, byteTextOf(JSON.stringify(alias)), false)),
  }
}

/** The usage of an answer or a chunk, wherever its server puts it. */
export function usageIn(json: Json): Pick<WholeAnswer, 'usage' | 'hasReportedUsage'> {
  const groq = member(json, 0, 'x_groq')
  const usages = usagesIn(json)
  if (groq < 0 && usages.length === 0) return { usage: null, hasReportedUsage: false }
  const reported = reportedUsage({
    choices: usages.map((usage) => ({ usage: valueAt(json, usage) })),
    x_groq: groq < 0 ? undefined : valueAt(json, groq),
  })
  const tier = textAt(json, member(json, 0, 'service_tier'))
  return { usage: usageFromChat(reported, tier), hasReportedUsage: isRecord(reported) }
}

/**
 * Edits of an answer or a chunk for the client: its own name of the model; without members that name the
 * provider or its price.
 * @param aliasJson the name with its quotes
 * @param cutsNull removes `"usage": null` as well, since only the gateway asked for the usage
 */
export function editsOf(json: Json, aliasJson: ByteText, cutsNull: boolean): readonly Edit[] {
  const edits: Edit[] = [...removals(json, 0, foreignMembers(json, cutsNull))]
  const model = member(json, 0, 'model')
  if (model >= 0) edits.push({ ...spanOf(json, model), text: aliasJson })
  for (const usage of usagesIn(json)) edits.push(...costEdits(json, usage))
  return edits
}

/** At the top, then in the choices (Moonshot). */
function usagesIn(json: Json): readonly Node[] {
  const usages: Node[] = []
  for (const object of [0, ...itemsOf(json, member(json, 0, 'choices'))]) {
    const usage = member(json, object, 'usage')
    if (usage >= 0 && kindOf(json, usage) === kinds.object) usages.push(usage)
  }
  return usages
}

function isSaid(json: Json, object: Node): boolean {
  if (kindOf(json, object) !== kinds.object) return false
  const error = member(json, object, 'error')
  return error >= 0 && !isNull(json, error)
}

/** Keys of the members that the client does not get. */
function foreignMembers(json: Json, cutsNull: boolean): readonly Node[] {
  const found: Node[] = []
  for (let key = inside(0), end = after(json, 0); key < end; key = after(json, valueOf(key))) {
    // By length first: making a text of every key of every answer costs more than the rest of this walk.
    const isCandidate = lengths.has(endOf(json, key) - startOf(json, key) - 2)
    if (isCandidate && tellsProvider.has(stringAt(json, key))) found.push(key)
    if (cutsNull && isNull(json, valueOf(key)) && stringAt(json, key) === 'usage') found.push(key)
  }
  return found
}

const lengths: ReadonlySet<number> = new Set([...tellsProvider].map((name) => name.length))
