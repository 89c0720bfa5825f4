import { Failure } from '#domain/errors.ts'
import type { Client } from '#operations/context.ts'
import type { Operation } from '#operations/operation.ts'
import type { Caller } from './authenticate.ts'
import { type Rate, RateLimiter, type RateLimits } from './rate-limits.ts'
import { networkName } from '#domain/network/address-ranges.ts'

/** Holds callers to their rate: a credential once it is known, an address while it is not. */
export interface CallGuard {
  /** A call of nobody in particular. @throws Failure rate_limited */
  publicCall(client: Client): null
  /**
   * Looks the caller up. Wrong credentials of one address are refused without a look-up once they are too
   * many (docs/reference/threats.md "A flood of wrong keys").
   * @throws Failure rate_limited, or as `authenticate`
   */
  known<C extends Caller>(client: Client, authenticate: () => Promise<C>): Promise<C>
  /** A call of an operation by which something can be guessed. @throws Failure rate_limited */
  guess(client: Client, operation: Pick<Operation, 'guessable'>): void
}

/** @param deps.rateLimits null: without any, for tests */
export function callGuard(deps: {
  readonly rateLimits: RateLimits | null
  readonly monotonicMs: () => number
}): CallGuard {
  const { monotonicMs, rateLimits } = deps
  const limiter = (rate: Rate | null | undefined): RateLimiter | null =>
    rate ? new RateLimiter(rate, monotonicMs) : null
  const credentials = limiter(rateLimits?.credential)
  const addresses = limiter(rateLimits?.address)
  const guesses = new Map(
    Object.entries(rateLimits?.guesses ?? {}).map(([guessable, { address, all }]) => [
      guessable,
      { ofAddress: limiter(address), ofAll: limiter(all) },
    ]),
  )
  return {
    publicCall({ address }) {
      addresses?.take(networkName(address))
      return null
    },
    async known({ address }, authenticate) {
      const name = networkName(address)
      addresses?.assertLeft(name)
      const caller = await authenticate().catch((error: unknown) => {
        if (error instanceof Failure && error.status === 401) addresses?.take(name)
        throw error
      })
      credentials?.take(caller.actor.id)
      return caller
    },
    guess({ address }, { guessable }) {
      const limits = guessable === null ? undefined : guesses.get(guessable)
      // One address cannot use up what all have together.
      limits?.ofAddress?.take(networkName(address))
      limits?.ofAll?.take('all')
    },
  }
}
