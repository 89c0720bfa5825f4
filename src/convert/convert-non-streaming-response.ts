import { objectOf, printValue, textOrNull, type JsonObject } from '#wire/text/json-values.ts'
import { zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { thirdsOfText, tokensFromThirds } from '#wire/bound/bound-tokens-of-any-text.ts'
import type { NeutralEvent } from './neutral-format.ts'

/**
 * @param inputEstimate input tokens reported to the client if the provider reports no usage
 * @returns null if the provider returned an error or an unreadable tool call, or if the answer is not complete
 */
export function convertedAnswer(
  events: readonly NeutralEvent[],
  encode: (events: readonly NeutralEvent[]) => JsonObject,
  inputEstimate: number,
): WholeAnswer | null {
  let usage: Usage | null = null
  let hasReportedUsage = false
  let isFinished = false
  let thirds = 0
  for (const event of events) {
    if (event.kind === 'error') return null
    if (event.kind === 'usage') {
      hasReportedUsage = true
      usage = event.usage
    } else if (event.kind === 'finish') {
      if (event.reason === 'bad_tool_call') return null
      isFinished = true
    } else thirds += thirdsOfEvent(event)
  }
  if (!isFinished) return null
  const isCounted = usage !== null && usage.lacks !== 'output' && usage.output > 0
  const outputTokens = isCounted && usage !== null ? usage.output : tokensFromThirds(thirds)
  const bodyWith = (charged: Usage): ByteText =>
    byteTextOf(printValue(encode([...events, { kind: 'usage', usage: charged }])))
  if (usage === null || usage.lacks !== undefined) {
    const body = bodyWith({ ...zeroUsage, input: inputEstimate, output: outputTokens })
    return { usage, hasReportedUsage, outputTokens, body, bodyWith }
  }
  return { usage, hasReportedUsage, outputTokens, body: bodyWith(usage) }
}

/**
 * The name is at the top level, or in the message or response object of the frame. Null if the response or frame names
 * no model.
 */
export function statedModel({ message, model, modelVersion, response }: JsonObject): string | null {
  return (
    textOrNull(model) || textOrNull(modelVersion) || textOrNull(objectOf(message ?? response).model) || null
  )
}

/** The result is in thirds of a token. */
export function thirdsOfEvent(event: NeutralEvent): number {
  switch (event.kind) {
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'arguments':
      return thirdsOfText(event.text)
    case 'tool_call':
      return thirdsOfText(event.name)
    default:
      return 0
  }
}
