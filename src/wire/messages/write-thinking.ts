import type { Effort, JsonObject, NeutralRequest } from '#wire/neutral.ts'
import type { ModelAbilities } from './model-abilities.ts'

export interface Thinking {
  readonly thinking: JsonObject | null
  /** The word of `output_config`. */
  readonly effort: string | null
}

/** What a request's wish for reasoning is to a model (wire.md 5.3). */
export function writeThinking(
  request: NeutralRequest,
  abilities: ModelAbilities,
  outputTokensMax: number,
): Thinking {
  const { reasoning } = request
  if (reasoning === null || abilities.thinking === 'none') return nothing
  const { effort, budgetTokens, isShown } = reasoning
  if (effort === 'none') return { thinking: { type: 'disabled' }, effort: null }
  const mayThink = !isToolForced(request)
  if (abilities.thinking === 'adaptive') {
    const display = isShown === null ? {} : { display: isShown ? 'summarized' : 'omitted' }
    return {
      thinking: mayThink ? { type: 'adaptive', ...display } : null,
      effort: wordOf(effort ?? effortOf(budgetTokens), abilities),
    }
  }
  const wanted = budgetTokens ?? (effort === null ? null : budgets[effort])
  // The budget is part of the maximum, and there is a least one.
  const budget = wanted === null ? 0 : Math.min(Math.max(wanted, budgetLeast), outputTokensMax - 1)
  if (!mayThink || budget < budgetLeast || endsInUnsignedCalls(request)) return nothing
  return { thinking: { type: 'enabled', budget_tokens: budget }, effort: null }
}

const nothing: Thinking = { thinking: null, effort: null }

/** Ours: vendors give no numbers for words. */
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

/** The word for a number, where a model takes words only. */
function effortOf(budgetTokens: number | null): Effort | null {
  if (budgetTokens === null) return null
  if (budgetTokens <= budgets.low) return 'low'
  return budgetTokens <= budgets.medium ? 'medium' : 'high'
}

function wordOf(effort: Effort | null, { hasHighestEfforts }: ModelAbilities): string | null {
  if (effort === 'minimal') return 'low'
  // The one above `high` is a later word than the one above that.
  return effort === 'xhigh' && !hasHighestEfforts ? 'high' : effort
}

/** A model that must call a tool may not think before. */
function isToolForced({ toolChoice }: NeutralRequest): boolean {
  if (toolChoice === null) return false
  return (
    toolChoice.kind === 'required' ||
    toolChoice.kind === 'one' ||
    (toolChoice.kind === 'subset' && toolChoice.isRequired)
  )
}

/**
 * A model with a budget wants its own thoughts before the calls that are being answered. Where they are not
 * there (another provider had them, or a client has lost them) it would refuse the request if it were to think.
 */
function endsInUnsignedCalls({ turns }: NeutralRequest): boolean {
  const results = turns.at(-1)
  const calls = turns.at(-2)
  if (results?.role !== 'user' || calls?.role !== 'assistant') return false
  return (
    results.parts.some(({ kind }) => kind === 'tool_result') &&
    calls.parts.some(({ kind }) => kind === 'tool_call') &&
    !calls.parts.some((part) => part.kind === 'reasoning' && part.opaque?.wire === 'messages')
  )
}
