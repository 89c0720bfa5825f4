import { Failure } from '#domain/errors.ts'
import type { Client } from '#operations/operation.ts'
import type { Caller } from './authenticate.ts'
import { addressName, RateLimiter, type RateLimits } from './rate-limits.ts'

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
}

export function callGuard(deps: {
  readonly rateLimits: RateLimits | null
  readonly monotonicMs: () => number
}): CallGuard {
  const { monotonicMs, rateLimits } = deps
  if (rateLimits === null) return { publicCall: () => null, known: (_, authenticate) => authenticate() }
  const credentials = new RateLimiter(rateLimits.credential, monotonicMs)
  const addresses = new RateLimiter(rateLimits.address, monotonicMs)
  return {
    publicCall({ address }) {
      addresses.take(addressName(address))
      return null
    },
    async known({ address }, authenticate) {
      const name = addressName(address)
      addresses.assertLeft(name)
      const caller = await authenticate().catch((error: unknown) => {
        if (error instanceof Failure && error.status === 401) addresses.take(name)
        throw error
      })
      credentials.take(caller.actor.id)
      return caller
    },
  }
}
