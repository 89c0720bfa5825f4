import type { Failure } from '#domain/errors.ts'
import type { Usage } from '#money/usage.ts'
import type { ByteText } from '#wire/text/byte-text.ts'

/** How a provider's part of a call ended, and what it must cost. */
export type CallEnd =
  /** A whole answer. `rest` is what is still to be written once the settle has committed. */
  | { readonly kind: 'answered'; readonly used: Used; readonly rest: ByteText }
  /** Spend cut the stream. `rest` is its terminal frame. */
  | { readonly kind: 'cut'; readonly used: Used; readonly rest: ByteText }
  /** The client left; the provider was read on, or not, by the hang-up rule (docs/guides/hang-up.md). */
  | { readonly kind: 'left'; readonly used: Used | null }
  /** The provider failed. `used` null: it delivered nothing, and nothing is charged. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly used: Used | null }

export interface Used {
  readonly usage: Usage
  readonly tokenSource: 'provider_reported' | 'estimated'
}

/** The provider's word; an estimate where it counts some tokens as two kinds and does not say how many. */
export function usedAsTold(usage: Usage): Used {
  return { usage, tokenSource: usage.isMediaWithin === true ? 'estimated' : 'provider_reported' }
}

/** What goes on record as wrong; that of a failure is its own code. */
export const errorCodes: Readonly<Record<Exclude<CallEnd['kind'], 'failed'>, string | null>> = {
  answered: null,
  cut: 'spend_limit_exceeded',
  left: 'client_left',
}
