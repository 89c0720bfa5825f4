import { Failure } from '#domain/errors.ts'
import { networkName, siteOf } from '#domain/network/address-ranges.ts'
import type { FamiliarSites } from '#domain/network/familiar-client-networks.ts'
import { HashLookup } from '#domain/secrets/batched-hash-look-ups.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { Reader, Store } from '#domain/store-interface.ts'
import type { Client } from '#operations/kernel/operation-context.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import type { Caller } from './authenticate-caller.ts'
import {
  type GuessRates,
  type Rate,
  RateLimiter,
  type RateLimits,
  readMsPerCall,
} from './control-plane-rate-limiter.ts'
import { UntrustedProxies } from './warn-of-untrusted-proxies.ts'

/** Each known credential has its own rate limit. Unknown callers at the same address share one. */
export interface CallGuard {
  /** Counts a request without a credential. @throws Failure rate_limited */
  publicCall(from: Origin): null
  /**
   * If an address has sent too many wrong credentials, further credentials from it are looked up in batches, so that
   * wrong ones are rejected (docs/reference/threats.md "A flood of wrong keys"). A valid credential is always served.
   * @param credential the whole secret; null if the request has no credential
   * @throws Failure rate_limited, or the errors of `authenticate`
   */
  known<C extends Caller>(from: Origin, credential: string | null, authenticate: () => Promise<C>): Promise<C>
  /**
   * Returns whose share of the store's read time a request uses. If a read takes longer than one call includes, the
   * rest counts toward the credential's rate limit.
   */
  readerOf(caller: Caller): Reader
  /**
   * Counts a request with which a caller could guess a secret.
   * @throws Failure rate_limited
   */
  guess(from: Origin, operation: Pick<Operation, 'guessable'>, who: Guesser): void
}

export interface Guesser {
  /** Null if the operation is public. */
  readonly caller: Caller | null
  /** The member to whom the request's device cookie belongs. */
  readonly deviceOf: string | null
}

/** The client of a request, and the surface (control plane or portal) that receives it. */
export interface Origin extends Client {
  /** Null for the control plane. The control plane and each portal have separate limits. */
  readonly portalOf: string | null
}

export interface CallGuardDeps {
  readonly ports: { readonly familiarSites: FamiliarSites }
  readonly store: Pick<Store, 'read'>
  readonly nowMs: () => number
  /** Null for no limits, in tests. */
  readonly rateLimits: RateLimits | null
  readonly monotonicMs: () => number
  /** Called once for each address that looks like an untrusted proxy. */
  readonly onUntrustedProxy: (address: string) => void
}

export function callGuard(deps: CallGuardDeps): CallGuard {
  const { monotonicMs, nowMs, onUntrustedProxy, ports, rateLimits, store } = deps
  const limiter = (rate: Rate | null | undefined): RateLimiter | null =>
    rate ? new RateLimiter(rate, monotonicMs) : null
  const credentials = limiter(rateLimits?.credential)
  const wrongOnes = limiter(rateLimits?.address)
  const publicOnes = limiter(rateLimits?.public)
  const valid = new HashLookup({ find: (hashes) => store.read.credentials.validAmong(hashes, nowMs()) })
  const proxies = new UntrustedProxies(onUntrustedProxy)
  const { familiarSites } = ports
  const guesses = new Map(
    Object.entries(rateLimits?.guesses ?? {}).map(([guessable, rates]) => [
      guessable,
      guessLimiters(rates, limiter),
    ]),
  )
  return {
    publicCall(from) {
      publicOnes?.take(placeOf(from))
      return null
    },
    async known(from, credential, authenticate) {
      const place = placeOf(from)
      const refusal = wrongOnes?.refusalOf(place) ?? null
      if (refusal !== null && (credential === null || !(await valid.has(sha256(credential))))) throw refusal
      try {
        const caller = await authenticate()
        if (credential !== null) {
          if (from.isForwarded === true) proxies.note(from.address, credential)
          if (caller.kind === 'team') familiarSites.note(from.address, caller.organization.id)
        }
        credentials?.take(caller.actor.id)
        return caller
      } catch (error) {
        if (error instanceof Failure && error.status === 401) wrongOnes?.take(place)
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
    guess({ address }, { guessable }, { caller, deviceOf }) {
      const limits = guessable === null ? undefined : guesses.get(guessable)
      if (limits === undefined) return
      const member = caller?.actor.kind === 'member' ? caller.actor.id : deviceOf
      // Limit a signed-in member too. Otherwise, a caller who uses the member's session could guess the member's
      // password.
      if (guessable === 'password' && caller !== null && member === null) return
      const organization = caller?.organization.id ?? familiarSites.organizationAt(address)
      // Count attempts for the member if one is known, and otherwise for the address. Other callers at the address then
      // cannot use up the member's attempts.
      limits.address?.take(
        guessable === 'password' && member !== null
          ? member
          : `${networkName(address)} ${caller?.organization.id ?? ''}`,
      )
      if (organization !== null) limits.organization?.take(organization)
      else {
        limits.site?.take(siteOf(address))
        limits.strangers?.take('all')
      }
      limits.all?.take('all')
    },
  }
}

function guessLimiters(
  { address, all, organization, site, strangers }: GuessRates,
  limiter: (rate: Rate | null) => RateLimiter | null,
): Record<keyof GuessRates, RateLimiter | null> {
  return {
    address: limiter(address),
    site: limiter(site),
    strangers: limiter(strangers),
    organization: limiter(organization),
    all: limiter(all),
  }
}

/** The name under which requests are counted: the client's network and the surface. */
function placeOf({ address, portalOf }: Origin): string {
  return portalOf === null ? networkName(address) : `${networkName(address)} ${portalOf}`
}
