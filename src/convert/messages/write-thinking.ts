import type { JsonObject } from '#wire/text/json-values.ts'
import type { Effort, NeutralRequest } from '#convert/neutral-format.ts'
import type { ModelAbilities } from '#convert/known-restrictions-of-models.ts'

export interface Thinking {
  readonly thinking: JsonObject | null
  /** For `output_config`. */
  readonly effort: string | null
}

/**
 * Writes the requested reasoning in the form that the model accepts: an effort or a number of tokens
 * (docs/reference/conversions.md "Effort and thinking"). capabilities/adapt-request-to-wire.ts has already converted an
 * effort to tokens, or tokens to an effort.
 */
export function writeThinking(
  request: NeutralRequest,
  abilities: ModelAbilities,
  outputTokensMax: number,
): Thinking {
  const { reasoning } = request
  if (reasoning === null || abilities.thinking === 'none') return nothing
  const { effort, budgetTokens, isShown } = reasoning
  if (effort === 'none' || budgetTokens === 0) return { thinking: { type: 'disabled' }, effort: null }
  const mayThink = !isToolForced(request)
  if (abilities.thinking === 'adaptive') {
    const isWished = effort !== null || isShown === true
    const display = isShown === null ? {} : { display: isShown ? 'summarized' : 'omitted' }
    return {
      // A request to hide thoughts does not count as a request to think.
      thinking: mayThink && isWished ? { type: 'adaptive', ...display } : null,
      effort,
    }
  }
  const wanted =
    budgetTokens ?? (effort === null ? null : Math.min(budgets[effort], besideAnswer(outputTokensMax)))
  // The budget counts toward the maximum output, and has a minimum value.
  const budget = wanted === null ? 0 : Math.min(Math.max(wanted, budgetLeast), outputTokensMax - 1)
  if (!mayThink || budget < budgetLeast) return nothing
  return { thinking: { type: 'enabled', budget_tokens: budget }, effort: null }
}

const nothing: Thinking = { thinking: null, effort: null }

/** Token budgets by effort. The gateway defines these budgets, because vendors do not publish such numbers. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 4_096,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
}
const budgetLeast = 1_024

function besideAnswer(outputTokensMax: number): number {
  return outputTokensMax - Math.min(2_048, Math.ceil(outputTokensMax / 2))
}

/**
 * A model that must call a tool may not think before the call. The request still sends the effort, because the effort
 * also applies to the answer.
 */
function isToolForced({ toolChoice }: NeutralRequest): boolean {
  if (toolChoice === null) return false
  return (
    toolChoice.kind === 'required' ||
    toolChoice.kind === 'one' ||
    (toolChoice.kind === 'subset' && toolChoice.isRequired)
  )
}
