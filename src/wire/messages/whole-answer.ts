import type { WholeAnswer } from '#wire/stream/answer-stream.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { tokensFromThirds } from '#wire/bound/token-count.ts'
import { kindOf, kinds, member, parseJson, valueAt } from '#wire/text/json-tape.ts'
import { thirdsOfTexts } from '#wire/bound/output-count.ts'
import { splice } from '#wire/text/splice.ts'
import { costEdits } from '#wire/stated-cost.ts'
import { modelPlaces } from './model-spans.ts'
import { usageFromMessages } from './usage.ts'

/** @returns null for anything that is not a message: HTML, a cut body, an error under status 200 */
export function readMessagesResponse(text: ByteText, alias: string): WholeAnswer | null {
  const json = parseJson(text)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const content = member(json, 0, 'content')
  if (content < 0 || kindOf(json, content) !== kinds.array) return null
  const usage = member(json, 0, 'usage')
  const hasReportedUsage = usage >= 0 && kindOf(json, usage) === kinds.object
  const believed = hasReportedUsage ? usageFromMessages(valueAt(json, usage)) : null
  return {
    usage: believed,
    hasReportedUsage,
    outputTokens: believed ? believed.output : tokensFromThirds(thirdsOfTexts(json, content)),
    body: splice(text, [
      ...modelPlaces(json, 0, usage, null).map((span) => ({
        ...span,
        text: byteTextOf(JSON.stringify(alias)),
      })),
      ...costEdits(json, usage),
    ]),
  }
}
