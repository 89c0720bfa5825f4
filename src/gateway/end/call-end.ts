import type { Failure } from '#domain/errors.ts'
import { totalInput, type Usage } from '#money/usage.ts'
import type { ByteText } from '#wire/text/byte-text.ts'

/** How a provider's part of a call ended, and the usage to charge. */
export type CallEnd =
  /** A whole answer. `rest` is written once the settle has committed, and states what is charged. */
  | { readonly kind: 'answered'; readonly used: Used; readonly rest: (usage: Usage) => ByteText }
  /** Spend cut the stream. `rest` is its terminal frame. */
  | { readonly kind: 'cut'; readonly used: Used; readonly rest: (usage: Usage) => ByteText }
  /** The client left; the hang-up rule decided whether the provider was read on (docs/guides/hang-up.md). */
  | { readonly kind: 'left'; readonly used: Used | null }
  /**
   * The provider failed. `used` null: it delivered nothing, and nothing is charged. `spent` is then what the provider
   * did all the same, as far as is known: a cost of the application.
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
  /** The input is the gateway's own count, which a tokenizer may still refine. */
  readonly isInputOurs: boolean
}

/**
 * The provider's usage. It is an estimate if the counts overlap, if they contradict one another, or if one is missing
 * and the gateway's own count takes its place.
 * @param own the gateway's own count of the whole call
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

/** With another count of the whole input, of which the provider has reported the rest. */
function usedWithInput(used: Used, tokens: number): Used {
  const { usage } = used
  const others = totalInput(usage) - usage.input
  return { ...used, usage: { ...usage, input: Math.max(0, tokens - others) } }
}

/** The end with the tokenizer's count in place of the estimate. */
export function endWithInput(end: CallEnd, tokens: number): CallEnd {
  if (end.used?.isInputOurs !== true) return end
  return { ...end, used: usedWithInput(end.used, tokens) }
}

/** The error code of the record; a failure has its own. */
export const errorCodes: Readonly<Record<Exclude<CallEnd['kind'], 'failed'>, string | null>> = {
  answered: null,
  cut: 'spend_limit_exceeded',
  left: 'client_left',
}
