import { isPlausible, zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { numberOrNull, objectOf } from '#wire/text/json-values.ts'
import { readTaskAnswer, type ReportedUsage } from '#wire/read-task-response.ts'
import { statedCost } from '#wire/provider-stated-cost.ts'
import type { WireRequest } from '#wire/wire-request.ts'

/** Voyage calls the results `data`. */
export function readRerank(text: ByteText, { model, uses }: WireRequest): WholeAnswer | null {
  return readTaskAnswer(text, model, ['results', 'data'], (member) => {
    const usage = objectOf(member('usage'))
    const { billed_units: billed, tokens: read } = objectOf(objectOf(member('meta')))
    const { search_units: units, total_tokens: billedTokens } = objectOf(billed)
    const tokens =
      usage.total_tokens ?? usage.prompt_tokens ?? billedTokens ?? objectOf(read).input_tokens ?? null
    return usageOf(tokens, units ?? usage.search_units ?? null, uses?.searchUnits ?? 0, statedCost(usage))
  })
}

/**
 * Returns the usage of a reranking in tokens, in search units, or in both (docs/reference/wires.md "Responses of
 * rerankings").
 * @param held search units of the hold, which count if the provider reports only tokens
 */
function usageOf(
  tokens: unknown,
  units: unknown,
  held: number,
  stated: Pick<Usage, 'statedCostNanos'>,
): ReportedUsage {
  if (tokens === null && units === null) return { usage: null, hasReportedUsage: false }
  const input = tokens === null ? 0 : (numberOrNull(tokens) ?? -1)
  const searchUnits = units === null ? held : (numberOrNull(units) ?? -1)
  // A price without a rate for search units bills tokens. The gateway counts them if the provider reports none.
  const lacks = tokens === null && ({ lacks: 'input' } as const)
  const usage: Usage = { ...zeroUsage, input, searchUnits, ...lacks, ...stated }
  return { usage: isPlausible(usage) ? usage : null, hasReportedUsage: true }
}
