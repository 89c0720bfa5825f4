import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { outputTokensOf } from '#wire/stream/reported-or-counted-output.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, member } from '#wire/text/json-tape.ts'
import { splice } from '#wire/text/apply-edits.ts'
import { invokedModel, traceEdits } from './frame-reader.ts'
import { reportedUsage } from './usage.ts'

export function readConverseResponse(text: ByteText, alias: string): WholeAnswer | null {
  const json = parseJson(text)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const output = member(json, 0, 'output')
  const message = output < 0 ? -1 : member(json, output, 'message')
  const content = message < 0 ? -1 : member(json, message, 'content')
  if (content < 0 || kindOf(json, content) !== kinds.array) return null
  const reported = reportedUsage(json, 0)
  return {
    ...reported,
    answeredBy: invokedModel(json, 0),
    outputTokens: outputTokensOf(reported.usage, json, content),
    body: splice(text, traceEdits(json, 0, alias)),
  }
}
