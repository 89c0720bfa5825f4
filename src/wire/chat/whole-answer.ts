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
import type { Json, Node } from '#wire/text/json-tape.ts'
import { tellsProvider } from '#wire/provider-error.ts'
import { removals } from '#wire/text/removals.ts'
import { isNull, spanOf, textAt } from '#wire/request.ts'
import { splice } from '#wire/text/splice.ts'
import { costEdits } from '#wire/stated-cost.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream.ts'
import { thirdsOfTexts } from '#wire/bound/output-count.ts'
import { isRecord, reportedUsage, usageFromChat } from './usage.ts'

/** @returns null for anything that is not a chat completion: HTML, a cut body, an error under status 200 */
export function readChatResponse(text: ByteText, alias: string): WholeAnswer | null {
  const json = parseJson(text)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const choices = member(json, 0, 'choices')
  if (choices < 0 || kindOf(json, choices) !== kinds.array) return null
  // An error under status 200, with or without a piece of an answer beside it.
  const first = inside(choices)
  if (isSaid(json, 0) || (first < after(json, choices) && isSaid(json, first))) return null
  const model = member(json, 0, 'model')
  const usages = usagesIn(json, choices)
  const tier = member(json, 0, 'service_tier')
  const groq = member(json, 0, 'x_groq')
  const reported = reportedUsage({
    choices: usages.map((usage) => ({ usage: valueAt(json, usage) })),
    x_groq: groq < 0 ? undefined : valueAt(json, groq),
  })
  const hasReportedUsage = isRecord(reported)
  const believed = usageFromChat(reported, textAt(json, tier))
  return {
    usage: believed,
    hasReportedUsage,
    outputTokens: believed ? believed.output : tokensFromThirds(thirdsOfTexts(json, choices)),
    body: splice(text, [
      ...(model < 0 ? [] : [{ ...spanOf(json, model), text: byteTextOf(JSON.stringify(alias)) }]),
      ...removals(json, 0, providerMembers(json)),
      ...usages.flatMap((usage) => costEdits(json, usage)),
    ]),
  }
}

/** At the top, then in the choices (Moonshot). */
export function usagesIn(json: Json, choices: Node): readonly Node[] {
  const usages = [member(json, 0, 'usage')]
  if (choices >= 0 && kindOf(json, choices) === kinds.array) {
    for (let one = inside(choices), end = after(json, choices); one < end; one = after(json, one))
      usages.push(member(json, one, 'usage'))
  }
  return usages.filter((usage) => usage >= 0)
}

function isSaid(json: Json, object: Node): boolean {
  if (kindOf(json, object) !== kinds.object) return false
  const error = member(json, object, 'error')
  return error >= 0 && !isNull(json, error)
}

/** Keys of the members in which providers and resellers name themselves. */
function providerMembers(json: Json): readonly Node[] {
  const found: Node[] = []
  for (let key = inside(0), end = after(json, 0); key < end; key = after(json, valueOf(key))) {
    // By its length first: a text of every key of every answer is dearer than all of this.
    const isCandidate = lengths.has(endOf(json, key) - startOf(json, key) - 2)
    if (isCandidate && tellsProvider.has(stringAt(json, key))) found.push(key)
  }
  return found
}

const lengths: ReadonlySet<number> = new Set([...tellsProvider].map((name) => name.length))
