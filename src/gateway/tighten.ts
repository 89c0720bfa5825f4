import type { Failure } from '#domain/errors.ts'
import { textOf } from '#wire/byte-text.ts'
import type { WireRequest } from '#wire/request.ts'
import type { Plan } from './configuration.ts'
import type { TokenCounter } from './ports.ts'

/**
 * A smaller bound of the text than a token per byte, by a tokenizer; null when there is none. Only asked
 * for when the first did not fit: it costs milliseconds, and most calls fit without.
 */
export async function tightened(
  request: WireRequest,
  plan: Plan,
  tokens: TokenCounter,
): Promise<number | null> {
  const { prose, textTokensMax } = request
  if (prose.tokensMax < proseTokensMin) return null
  const counted = await tokens.count(textOf(prose.text))
  if (counted === null) return null
  const proseTokens = Math.ceil(counted * factorOf(plan))
  return proseTokens < prose.tokensMax ? textTokensMax - prose.tokensMax + proseTokens : null
}

/** Whether a call that was refused so would be let in if it held less. */
export function isTooMuch({ code }: Failure): boolean {
  return (
    code === 'insufficient_credit' ||
    code === 'spend_limit_exceeded' ||
    code === 'outcome_capped' ||
    code === 'balance_held'
  )
}

/** Less than that is worth little money, whatever it is counted to be. */
const proseTokensMin = 256

/**
 * How far a model's own tokenizer may go beyond the one that we count with, o200k (tokens.md 2): that is
 * the very one of OpenAI's models up to GPT-5; Claude's newer ones were measured at 1.77 of it; of all
 * others half as much again is assumed.
 */
function factorOf({ target: { model, provider } }: Plan): number {
  if (provider === 'openai' && /^(?:gpt-4o|gpt-4\.1|gpt-5|o1|o3|o4)(?:-|$)/.test(model)) return 1
  return provider === 'anthropic' || /claude/i.test(model) ? 2 : 1.5
}
