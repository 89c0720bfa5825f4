import { Failure } from '#domain/errors.ts'
import type { Reader } from '#domain/store.ts'
import type { Client } from '#operations/context.ts'
import type { Operation } from '#operations/operation.ts'
import type { Caller } from './authenticate.ts'
import { type Rate, RateLimiter, type RateLimits, readMsPerCall } from './rate-limits.ts'
import { RightCredentials, UntrustedProxies } from './right-credentials.ts'
import { networkName } from '#domain/network/address-ranges.ts'

/** Holds callers to their rates: a credential that is known to its own, an address to that of unknown ones. */
export interface CallGuard {
  /** Counts a request without a credential. @throws Failure rate_limited */
  publicCall(from: Origin): null
  /**
   * Looks the caller up. If an address has sent too many wrong credentials, further unknown ones are refused without a
   * look-up (docs/reference/threats.md "A flood of wrong keys"). One that was right before is always looked up.
   * @param credential the secret as it was sent; null: there is none
   * @throws Failure rate_limited, or as `authenticate`
   */
  known<C extends Caller>(from: Origin, credential: string | null, authenticate: () => Promise<C>): Promise<C>
  /** Whose share of reads a request takes. Its cost beyond that of one call is taken from the credential's bucket. */
  readerOf(caller: Caller): Reader
  /** Counts a request by which a secret can be guessed. @throws Failure rate_limited */
  guess(from: Origin, operation: Pick<Operation, 'guessable'>): void
}

/** Where a request comes from, and the surface that it is sent to. */
export interface Origin extends Client {
  /** Id of the application whose portal it is; null: the control plane. Each has limits of its own. */
  readonly portalOf: string | null
}

export interface CallGuardDeps {
  /** Null: without any, for tests. */
  readonly rateLimits: RateLimits | null
  readonly monotonicMs: () => number
  /** Told once of an address that looks like a proxy which is not trusted. */
  readonly onUntrustedProxy: (address: string) => void
}

export function callGuard({ monotonicMs, onUntrustedProxy, rateLimits }: CallGuardDeps): CallGuard {
  const limiter = (rate: Rate | null | undefined): RateLimiter | null =>
    rate ? new RateLimiter(rate, monotonicMs) : null
  const credentials = limiter(rateLimits?.credential)
  const wrongOnes = limiter(rateLimits?.address)
  const publicOnes = limiter(rateLimits?.public)
  const right = new RightCredentials()
  const proxies = new UntrustedProxies(onUntrustedProxy)
  const guesses = new Map(
    Object.entries(rateLimits?.guesses ?? {}).map(([guessable, { address, all }]) => [
      guessable,
      { ofAddress: limiter(address), ofAll: limiter(all) },
    ]),
  )
  return {
    publicCall(from) {
      publicOnes?.take(placeOf(from))
      return null
    },
    async known(from, credential, authenticate) {
      const place = placeOf(from)
      if (credential === null || !right.has(credential)) wrongOnes?.assertLeft(place)
      try {
        const caller = await authenticate()
        if (credential !== null) {
          right.note(credential, true)
          if (from.isForwarded === true) proxies.note(from.address, credential)
        }
        credentials?.take(caller.actor.id)
        return caller
      } catch (error) {
        if (error instanceof Failure && error.status === 401) {
          if (credential !== null) right.note(credential, false)
          wrongOnes?.take(place)
        }
        throw error
      }
    },
    readerOf({ actor, kind, organization }) {
      let paidMs = readMsPerCall
      return {
        organizationId: organization.id,
        callerId: actor.id,
        isEndUser: kind === 'portal',
        onCost(ms) {
          const dueMs = Math.max(0, ms - paidMs)
          paidMs = Math.max(0, paidMs - ms)
          if (dueMs > 0) credentials?.charge(actor.id, dueMs / readMsPerCall)
        },
      }
    },
    guess(from, { guessable }) {
      const limits = guessable === null ? undefined : guesses.get(guessable)
      // Cap each address so that it cannot exhaust the budget of all.
      limits?.ofAddress?.take(networkName(from.address))
      limits?.ofAll?.take('all')
    },
  }
}

/** The network and the surface. */
function placeOf({ address, portalOf }: Origin): string {
  return portalOf === null ? networkName(address) : `${networkName(address)} ${portalOf}`
}
