import { tokensFromThirds } from '#wire/count.ts'
import { endOf, kindOf, kinds, member, parseJson, startOf, valueAt } from '#wire/json.ts'
import { textAt } from '#wire/request.ts'
import { splice } from '#wire/splice.ts'
import { byteTextOf } from '#wire/byte-text.ts'
import type { ByteText } from '#wire/byte-text.ts'
import type { WholeAnswer } from '#wire/answer.ts'
import { thirdsOfTexts } from '#wire/output-count.ts'
import { isRecord, reportedUsage, usageFromChat } from './usage.ts'

/** @returns null for anything that is not a chat completion: HTML, a cut body, an error under status 200 */
export function readChatResponse(text: ByteText, alias: string): WholeAnswer | null {
  const json = parseJson(text)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const choices = member(json, 0, 'choices')
  if (choices < 0 || kindOf(json, choices) !== kinds.array) return null
  const model = member(json, 0, 'model')
  const usage = member(json, 0, 'usage')
  const tier = member(json, 0, 'service_tier')
  const groq = member(json, 0, 'x_groq')
  const reported = reportedUsage({
    usage: usage < 0 ? undefined : valueAt(json, usage),
    x_groq: groq < 0 ? undefined : valueAt(json, groq),
  })
  const hasReportedUsage = isRecord(reported)
  const believed = usageFromChat(reported, textAt(json, tier))
  return {
    usage: believed,
    hasReportedUsage,
    outputTokens: believed ? believed.output : tokensFromThirds(thirdsOfTexts(json, choices)),
    body:
      model < 0
        ? text
        : splice(text, [
            { start: startOf(json, model), end: endOf(json, model), text: byteTextOf(JSON.stringify(alias)) },
          ]),
  }
}
