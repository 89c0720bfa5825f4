import type { Failure } from '#domain/errors.ts'
import type { Usage } from '#money/usage.ts'
import type { ByteText } from '#wire/text/byte-text.ts'

/** How a provider's part of a call ended, and the usage to charge. */
export type CallEnd =
  /** A whole answer. `rest` is written once the settle has committed. */
  | { readonly kind: 'answered'; readonly used: Used; readonly rest: ByteText }
  /** Spend cut the stream. `rest` is its terminal frame. */
  | { readonly kind: 'cut'; readonly used: Used; readonly rest: ByteText }
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
}

/** The provider's usage; an estimate where it counts some tokens as two kinds without saying how many. */
export function usedAsTold(usage: Usage): Used {
  return { usage, tokenSource: usage.isMediaWithin === true ? 'estimated' : 'provider_reported' }
}

/** The error code of the record; a failure has its own. */
export const errorCodes: Readonly<Record<Exclude<CallEnd['kind'], 'failed'>, string | null>> = {
  answered: null,
  cut: 'spend_limit_exceeded',
  left: 'client_left',
}
