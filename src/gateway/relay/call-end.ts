import type { Failure } from '#domain/errors.ts'
import { totalInput, type Usage } from '#money/usage.ts'
import type { ByteText } from '#wire/text/byte-text.ts'

/** How the provider's part of a call ended, and the usage to charge. */
export type CallEnd =
  /** A complete response. `rest` is written after the settle has committed, and includes the charge. */
  | { readonly kind: 'answered'; readonly used: Used; readonly rest: (usage: Usage) => ByteText }
  /** The spend limit cut the stream. `rest` is its terminal frame. */
  | { readonly kind: 'cut'; readonly used: Used; readonly rest: (usage: Usage) => ByteText }
  /**
   * The client disconnected. The hang-up rule decided whether reading from the provider continued
   * (docs/guides/hang-up.md).
   */
  | { readonly kind: 'left'; readonly used: Used | null }
  /**
   * The provider failed. If `used` is null, the provider delivered nothing and nothing is charged. `spent` is then the
   * work that the provider did anyway, as far as known. The application bears its cost.
   */
  | {
      readonly kind: 'failed'
      readonly failure: Failure
      readonly used: Used | null
      readonly spent: Usage | null
    }

export interface Used {
  readonly usage: Usage
  readonly tokenSource: 'provider_reported' | 'estimated'
  /** Whether the input is the gateway's own count, which a tokenizer may still refine. */
  readonly isInputOurs: boolean
}

/**
 * Returns the provider's usage. The usage is marked as an estimate in three cases: the counts overlap, they contradict
 * one another, or the gateway's own count replaces a missing one.
 * @param own returns the gateway's own count of the whole call
 */
export function usedAsTold(told: Usage, own: () => Pick<Usage, 'input' | 'output'>): Used {
  const { lacks, ...usage } = told
  if (lacks === undefined) {
    const isEstimated = usage.isMediaWithin === true || usage.isAmbiguous === true
    return { usage, tokenSource: isEstimated ? 'estimated' : 'provider_reported', isInputOurs: false }
  }
  const { input, output } = own()
  return lacks === 'input'
    ? usedWithInput({ usage, tokenSource: 'estimated', isInputOurs: true }, input)
    : {
        usage: { ...usage, output: usage.output + output },
        tokenSource: 'estimated',
        isInputOurs: false,
      }
}

/** Replaces the count of the whole input. The provider has reported the rest of the usage. */
function usedWithInput(used: Used, tokens: number): Used {
  const { usage } = used
  const others = totalInput(usage) - usage.input
  return { ...used, usage: { ...usage, input: Math.max(0, tokens - others) } }
}

/** Returns the end with the tokenizer's count in place of the estimate. */
export function endWithInput(end: CallEnd, tokens: number): CallEnd {
  if (end.used?.isInputOurs !== true) return end
  return { ...end, used: usedWithInput(end.used, tokens) }
}

/** The error code of the usage record. A failed call has its own code. */
export const errorCodes: Readonly<Record<Exclude<CallEnd['kind'], 'failed'>, string | null>> = {
  answered: null,
  cut: 'spend_limit_exceeded',
  left: 'client_left',
}
