import type { WholeAnswer } from '#wire/stream/answer-stream.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { tokensFromThirds } from '#wire/bound/token-count.ts'
import { kindOf, kinds, member, parseJson } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { isNull, spanOf, textAt } from '#wire/request.ts'
import { splice } from '#wire/text/splice.ts'
import { costEdits } from '#wire/stated-cost.ts'
import { answerLimits } from './limits.ts'
import { isUnfinished } from './status.ts'
import { thirdsOfItems } from './output-text.ts'
import { usageAt } from './usage-at.ts'

/** @returns null for anything that is not an answer: HTML, a cut body, an error or a failed response under status 200 */
export function readResponsesAnswer(text: ByteText, alias: string): WholeAnswer | null {
  const json = parseJson(text, answerLimits)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const output = member(json, 0, 'output')
  if (output < 0 || kindOf(json, output) !== kinds.array || hasFailed(json)) return null
  const model = member(json, 0, 'model')
  const { usage, hasReportedUsage } = usageAt(json, 0)
  return {
    usage,
    hasReportedUsage,
    outputTokens: usage ? usage.output : tokensFromThirds(thirdsOfItems(json, output)),
    body: splice(text, [
      ...(model < 0 ? [] : [{ ...spanOf(json, model), text: byteTextOf(JSON.stringify(alias)) }]),
      ...costEdits(json, member(json, 0, 'usage')),
    ]),
  }
}

function hasFailed(json: Json): boolean {
  const error: Node = member(json, 0, 'error')
  if (error >= 0 && !isNull(json, error)) return true
  const status = textAt(json, member(json, 0, 'status'))
  return status !== null && isUnfinished(status)
}
