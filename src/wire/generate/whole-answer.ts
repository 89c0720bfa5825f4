import type { WholeAnswer } from '#wire/stream/answer-stream.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { tokensFromThirds } from '#wire/bound/token-count.ts'
import {
  after,
  inside,
  kindOf,
  kinds,
  member,
  parseJson,
  stringAt,
  valueAt,
  valueOf,
} from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { thirdsOfTexts } from '#wire/bound/output-count.ts'
import { spanOf } from '#wire/request.ts'
import { splice } from '#wire/text/splice.ts'
import { hasCounts, usageFromGenerate } from './usage.ts'

/**
 * A whole answer with the client's name of the model in it. One to a prompt that was blocked has no
 * candidates, and is an answer (wire.md T8).
 * @returns null for anything that is none: HTML, a cut body, an error under status 200
 */
export function readGenerateAnswer(text: ByteText, alias: string): WholeAnswer | null {
  const json = parseJson(text)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const candidates = member(json, 0, 'candidates')
  const hasCandidates = candidates >= 0 && kindOf(json, candidates) === kinds.array
  if (!hasCandidates && member(json, 0, 'promptFeedback') < 0) return null
  const model = member(json, 0, 'modelVersion')
  const usage = member(json, 0, 'usageMetadata')
  const reported = usage < 0 ? null : valueAt(json, usage)
  const believed = usageFromGenerate(reported)
  return {
    usage: believed,
    hasReportedUsage: hasCounts(reported),
    outputTokens: believed?.output ?? (hasCandidates ? tokensFromThirds(thirdsWritten(json, candidates)) : 0),
    body:
      model < 0 ? text : splice(text, [{ ...spanOf(json, model), text: byteTextOf(JSON.stringify(alias)) }]),
  }
}

/** What the model wrote: its parts without their signatures and data, which are no tokens of it. */
function thirdsWritten(json: Json, candidates: Node): number {
  let thirds = 0
  for (let one = inside(candidates), end = after(json, candidates); one < end; one = after(json, one)) {
    const content = member(json, one, 'content')
    const parts = content < 0 ? -1 : member(json, content, 'parts')
    if (parts < 0 || kindOf(json, parts) !== kinds.array) continue
    for (let part = inside(parts), last = after(json, parts); part < last; part = after(json, part))
      thirds += thirdsOfPart(json, part)
  }
  return thirds
}

function thirdsOfPart(json: Json, part: Node): number {
  let thirds = 0
  if (kindOf(json, part) !== kinds.object) return thirds
  for (let key = inside(part), end = after(json, part); key < end; key = after(json, valueOf(key))) {
    const name = stringAt(json, key)
    if (name !== 'thoughtSignature' && name !== 'inlineData') thirds += thirdsOfTexts(json, valueOf(key))
  }
  return thirds
}
