import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { outputTokensOf } from '#wire/stream/reported-or-counted-output.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, member } from '#wire/text/json-tape.ts'
import { textAt } from '#wire/wire-request.ts'
import { hasFailed } from './finish-reasons.ts'
import { reportedUsage } from './usage.ts'

export function readCohereResponse(text: ByteText): WholeAnswer | null {
  const json = parseJson(text)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const message = member(json, 0, 'message')
  if (message < 0 || kindOf(json, message) !== kinds.object) return null
  if (hasFailed(textAt(json, member(json, 0, 'finish_reason')))) return null
  const reported = reportedUsage(json, member(json, 0, 'usage'))
  return { ...reported, outputTokens: outputTokensOf(reported.usage, json, message), body: text }
}
