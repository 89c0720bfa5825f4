import type { Failure } from '#domain/errors.ts'
import type { Quote } from '#money/decision-types.ts'
import { countedUses, type UseCount } from '#money/price.ts'
import { totalInput, zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { CachedContent } from '#wire/cached-content-use-types.ts'
import type { ByteText } from '#wire/text/byte-text.ts'

export type CallEnd =
  /**
   * `rest` returns the end of the response, which contains the charge. The gateway writes this end after the settle has
   * committed.
   */
  | {
      readonly kind: 'answered'
      readonly used: Used
      readonly rest: (usage: Usage) => ByteText
      /**
       * The cached content that the provider has created or changed. Absent if the request was not about cached
       * content.
       */
      readonly cached?: CachedContent
    }
  /** The stream was cut because no more money could be held. `rest` returns the terminal event of the stream. */
  | { readonly kind: 'cut'; readonly used: Used; readonly rest: (usage: Usage) => ByteText }
  /**
   * The client disconnected. docs/guides/hang-up.md lists the cases in which the gateway continues to read from the
   * provider.
   */
  | { readonly kind: 'left'; readonly used: Used | null; readonly cached?: CachedContent }
  /**
   * The provider failed. If `used` is null, the provider delivered nothing and nothing is charged. `spent` is the usage
   * that the provider may still bill, and whose cost the application pays. `spent` is null if this usage is not known.
   */
  | {
      readonly kind: 'failed'
      readonly failure: Failure
      readonly used: Used | null
      readonly spent: Usage | null
    }

  /**
   * The provider continues to generate the response in the background. The hold remains until the response has ended.
   * `rest` returns the body to write. `rest` is null if the stream has ended or its client has disconnected.
   */
  | {
      readonly kind: 'background'
      readonly used: null
      readonly responseId: string
      readonly rest: (() => ByteText) | null
    }

export interface Used {
  readonly usage: Usage
  readonly tokenSource: 'provider_reported' | 'estimated'
  /** Whether the input count is the gateway's own estimate, which a tokenizer may still make more accurate. */
  readonly isInputOurs: boolean
}

/**
 * The usage is an estimate if its counts contradict each other, or if the gateway's own count replaces a missing count.
 * @param own returns the gateway's own count of the whole call
 */
export function usedAsTold(
  told: Usage,
  quote: Pick<Quote, 'cost' | 'sell'>,
  own: () => Pick<Usage, 'input' | 'output'>,
): Used {
  const known = billedInUnits(told, quote) ?? told
  if (known.lacks === undefined) {
    const isEstimated = known.isMediaWithin === true || known.isAmbiguous === true
    return { usage: known, tokenSource: isEstimated ? 'estimated' : 'provider_reported', isInputOurs: false }
  }
  const { lacks, ...usage } = known
  const { input, output } = own()
  return lacks === 'input'
    ? usedWithInput({ usage, tokenSource: 'estimated', isInputOurs: true }, input)
    : {
        usage: { ...usage, output: usage.output + output },
        tokenSource: 'estimated',
        isInputOurs: false,
      }
}

/** Returns the usage without tokens if the vendor bills only other units. Null in all other cases. */
function billedInUnits(told: Usage, { cost, sell }: Pick<Quote, 'cost' | 'sell'>): Usage | null {
  if (told.lacks === undefined) return null
  const units: { [count in UseCount]?: number } = {}
  for (const { count, dimension, replacesTokens } of countedUses) {
    const isBilled = cost[dimension] !== undefined && sell[dimension] !== undefined
    if (replacesTokens && isBilled && told[count] > 0) units[count] = told[count]
  }
  if (Object.keys(units).length === 0) return null
  const { serviceTier, statedCostNanos } = told
  return { ...zeroUsage, ...units, serviceTier, ...(statedCostNanos !== undefined && { statedCostNanos }) }
}

/** The provider has reported all counts except the input. */
function usedWithInput(used: Used, tokens: number): Used {
  const { usage } = used
  const others = totalInput(usage) - usage.input
  return { ...used, usage: { ...usage, input: Math.max(0, tokens - others) } }
}

export function endWithInput(end: CallEnd, tokens: number): CallEnd {
  if (end.kind === 'background' || end.used?.isInputOurs !== true) return end
  return { ...end, used: usedWithInput(end.used, tokens) }
}

/** A failed call has the error code of its failure. */
export const errorCodes: Readonly<Record<Exclude<CallEnd['kind'], 'failed'>, string | null>> = {
  answered: null,
  cut: 'spend_limit_exceeded',
  left: 'client_left',
  background: null,
}
