/**
 * How often the control plane and the portals may be called: each credential, and each address for its wrong
 * credentials and its public requests. One bucket of tokens each, in this process alone.
 */
import { Failure } from '#domain/errors.ts'
import type { Guessable } from '#operations/operation.ts'

export interface Rate {
  readonly perSecond: number
  /** Calls at once after a pause. */
  readonly burst: number
}

export interface RateLimits {
  /** Calls of one credential; null: any number. */
  readonly credential: Rate | null
  /** Wrong credentials from one address, at the control plane or at one portal; null: any number. */
  readonly address: Rate | null
  /** Requests of public operations from one address, counted likewise; null: any number. */
  readonly public: Rate | null
  /** Tries of what can be guessed. */
  readonly guesses: Readonly<Record<Guessable, GuessRates>>
}

/** Limits on tries of one kind. Null means no such limit. */
export interface GuessRates {
  /** Tries from one address (of one organization, if the caller is known). */
  readonly address: Rate | null
  /** Tries of one organization: the caller's, or the one whose team is known at the site of the address. */
  readonly organization: Rate | null
  /** Tries from one unfamiliar site (siteOf). */
  readonly site: Rate | null
  /** Tries from all unfamiliar sites together. */
  readonly strangers: Rate | null
  /** Tries of everyone together, where their number is what makes a secret guessable. */
  readonly all: Rate | null
}

/**
 * Time of the store that one call pays for, in milliseconds. A call that needs more takes more calls from its
 * credential's bucket, once the time is known: at 100 calls a second that is 40 % of one processor.
 */
export const readMsPerCall = 4

const perMinute = (count: number): Rate => ({ perSecond: count / 60, burst: count })

const noLimit: GuessRates = { address: null, organization: null, site: null, strangers: null, all: null }

export const rateLimits: Omit<RateLimits, 'credential'> = {
  address: { perSecond: 5, burst: 60 },
  public: { perSecond: 20, burst: 200 },
  guesses: {
    // The password of one account is slowed down besides (domain/people/passwords.ts), whatever addresses try it.
    password: { ...noLimit, address: perMinute(10) },
    // docs/reference/threats.md "Codes that people type".
    userCode: {
      ...noLimit,
      address: perMinute(5),
      organization: { perSecond: 2, burst: 20 },
      all: { perSecond: 20, burst: 100 },
    },
    // Each is a call of a provider besides, which its organization pays for.
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

/** More names than this are not remembered one by one: the ones that have been quiet longest go. */
export const namesMax = 20_000

export class RateLimiter {
  readonly #rate: Rate
  readonly #monotonicMs: () => number
  /** In the order of their last use. */
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>()

  constructor(rate: Rate, monotonicMs: () => number) {
    this.#rate = rate
    this.#monotonicMs = monotonicMs
  }

  /** Takes one call of a name. @throws Failure rate_limited */
  take(name: string): void {
    const bucket = this.#bucket(name)
    if (bucket.tokens < 1) throw this.#refusal(bucket.tokens)
    bucket.tokens -= 1
  }

  /**
   * Takes the cost of calls that were let through, as a number of calls. A bucket can be in debt by one burst at most,
   * so that one slow statement does not shut its caller out for long.
   */
  charge(name: string, calls: number): void {
    const bucket = this.#bucket(name)
    bucket.tokens = Math.max(-this.#rate.burst, bucket.tokens - calls)
  }

  /** Refuses a name that has no call left, without taking one. @throws Failure rate_limited */
  assertLeft(name: string): void {
    const { tokens } = this.#bucket(name)
    if (tokens < 1) throw this.#refusal(tokens)
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
