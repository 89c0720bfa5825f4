/**
 * Each credential has a limit, and each address has limits on wrong credentials and public requests. Each limit is a
 * token bucket, separate in each process.
 */
import { Failure } from '#domain/errors.ts'
import type { Guessable } from '#operations/kernel/declare-operation.ts'

export interface Rate {
  readonly perSecond: number
  /** Maximum number of calls in a burst after a pause. */
  readonly burst: number
}

export interface RateLimits {
  readonly credential: Rate | null
  /** On wrong credentials from one address, at the control plane or at one portal. */
  readonly address: Rate | null
  /** On requests to public operations from one address, at the control plane or at one portal. */
  readonly public: Rate | null
  readonly guesses: Readonly<Record<Guessable, GuessRates>>
}

/** Limits on attempts to guess a secret. Null means that no such limit applies. */
export interface GuessRates {
  /** For each address. If the caller is known, only attempts of the caller's organization are counted. */
  readonly address: Rate | null
  /**
   * For each organization. An unknown caller counts for the organization whose team has signed in from the same site
   * (address range).
   */
  readonly organization: Rate | null
  /** For each unfamiliar site (address range). */
  readonly site: Rate | null
  /** For all unfamiliar sites together. */
  readonly strangers: Rate | null
  /** For all callers together, if many attempts could guess the secret. */
  readonly all: Rate | null
}

/**
 * Time in the store that one call includes, in milliseconds. A call that uses more counts as several calls of its
 * credential afterwards. At 100 calls a second, 4 ms per call amount to 40 % of one processor.
 */
export const readMsPerCall = 4

const perMinute = (count: number): Rate => ({ perSecond: count / 60, burst: count })

const noLimit: GuessRates = { address: null, organization: null, site: null, strangers: null, all: null }

export const rateLimits: Omit<RateLimits, 'credential'> = {
  address: { perSecond: 5, burst: 60 },
  public: { perSecond: 20, burst: 200 },
  guesses: {
    // Wrong passwords also slow down all further attempts on the same account, from any address
    // (domain/people/hash-and-check-passwords.ts).
    password: { ...noLimit, address: perMinute(10) },
    // docs/reference/threats.md "Codes for device sign-ins" explains these limits.
    userCode: {
      ...noLimit,
      address: perMinute(5),
      organization: { perSecond: 2, burst: 20 },
      all: { perSecond: 20, burst: 100 },
    },
    // Each attempt sends a request to a provider at the expense of the organization.
    providerCredential: { ...noLimit, address: perMinute(10), organization: { perSecond: 1, burst: 60 } },
    deviceSignIn: {
      ...noLimit,
      address: perMinute(10),
      organization: perMinute(20),
      site: perMinute(30),
      strangers: { perSecond: 5, burst: 100 },
    },
  },
}

/** The least recently used bucket is dropped first. */
export const namesMax = 20_000

export class RateLimiter {
  readonly #rate: Rate
  readonly #monotonicMs: () => number
  /** In the order in which the buckets were last used. */
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>()

  constructor(rate: Rate, monotonicMs: () => number) {
    this.#rate = rate
    this.#monotonicMs = monotonicMs
  }

  /**
   * Takes one call from the bucket of a name.
   * @throws Failure rate_limited
   */
  take(name: string): void {
    const bucket = this.#bucket(name)
    if (bucket.tokens < 1) throw this.#refusal(bucket.tokens)
    bucket.tokens -= 1
  }

  /**
   * Subtracts the cost of completed calls. A bucket falls below zero by at most one burst, so that a slow SQL statement
   * does not block its caller for long.
   */
  charge(name: string, calls: number): void {
    const bucket = this.#bucket(name)
    bucket.tokens = Math.max(-this.#rate.burst, bucket.tokens - calls)
  }

  /** The error for a caller who may not call now, without counting a call. */
  refusalOf(name: string): Failure | null {
    const { tokens } = this.#bucket(name)
    return tokens < 1 ? this.#refusal(tokens) : null
  }

  #bucket(name: string): { tokens: number; atMs: number } {
    const nowMs = this.#monotonicMs()
    const { burst, perSecond } = this.#rate
    const known = this.#buckets.get(name)
    const refill = known === undefined ? 0 : ((nowMs - known.atMs) / 1000) * perSecond
    const bucket = { tokens: Math.min(burst, (known?.tokens ?? burst) + refill), atMs: nowMs }
    this.#buckets.delete(name)
    this.#buckets.set(name, bucket)
    if (this.#buckets.size > namesMax) {
      const [quietest] = this.#buckets.keys()
      if (quietest !== undefined) this.#buckets.delete(quietest)
    }
    return bucket
  }

  #refusal(tokens: number): Failure {
    const retryAfterSeconds = Math.max(1, Math.ceil((1 - tokens) / this.#rate.perSecond))
    return new Failure('rate_limited', { retryAfterSeconds })
  }
}
