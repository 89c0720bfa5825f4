import { zeroUsage } from '#money/usage-counts.ts'
import { thirdsOfSealed, tokensFromThirds } from '#wire/bound/bound-tokens-of-any-text.ts'
import { usageFromResponses } from '#wire/responses/usage.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { readTaskAnswer } from '#wire/read-task-response.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { textOrNull } from '#wire/text/json-values.ts'
import type { WireRequest } from '#wire/wire-request.ts'

/** Items are counted like encrypted reasoning if no usage is reported. */
export function readCompacted(text: ByteText, { model }: WireRequest): WholeAnswer | null {
  return readTaskAnswer(text, model, ['output'], (member, _, value) => {
    const reported = member('usage')
    if (reported !== null)
      return {
        usage: usageFromResponses(reported, textOrNull(value('service_tier'))),
        hasReportedUsage: true,
      }
    const output = tokensFromThirds(thirdsOfSealed(JSON.stringify(value('output')).length))
    return { usage: { ...zeroUsage, output, lacks: 'input' }, hasReportedUsage: false }
  })
}
