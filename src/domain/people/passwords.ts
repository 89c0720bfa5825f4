/**
 * Passwords of people: stored by scrypt, which takes 128 MiB and a third of a second a guess
 * (docs/reference/threats.md "How passwords are stored"), and tried at a rate that guessing cannot live with.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { Failure } from '#domain/errors.ts'

export interface ScryptCost {
  /** log2 of N. */
  readonly logN: number
  readonly r: number
  readonly p: number
}

/** OWASP, "Password Storage Cheat Sheet". */
export const scryptCost: ScryptCost = { logN: 17, r: 8, p: 1 }

const keyBytes = 32
/** At once: each takes a thread of libuv's four, and 128 MiB. */
const atOnce = 2
/** Of those that wait for their turn; more are told to come back. */
const waitingMax = 64

export interface PasswordDeps {
  readonly cost: ScryptCost
  /** Milliseconds that never go back. */
  readonly monotonicMs: () => number
  /** Resolves after that long. */
  readonly pause: (ms: number) => Promise<void>
}

/** Makes and checks passwords, off the event loop and a few at a time. */
export class Passwords {
  readonly #deps: PasswordDeps
  readonly #attempts: Attempts
  readonly #waiting: (() => void)[] = []
  #running = 0
  /** What a password is compared with where there is none, so that it takes as long. */
  #nobody: Promise<string> | null = null

  constructor(deps: PasswordDeps) {
    this.#deps = deps
    this.#attempts = new Attempts(deps.monotonicMs)
  }

  /** The text to store: `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(16)
    const { cost } = this.#deps
    const key = await this.#alone(() => derive(password, salt, cost))
    return ['scrypt', cost.logN, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join(
      '$',
    )
  }

  /**
   * Whether a password is that of an account. It takes as long for an account that does not exist, so that
   * nobody learns who has one. After some wrong ones in a row each attempt on the account waits first, and
   * then counts all the same: a guesser is slowed down, and the owner is not shut out.
   * @param account any name of it
   * @param stored null: it has no password, or does not exist
   * @throws Failure rate_limited when too many attempts wait
   */
  async isRight(account: string, password: string, stored: string | null): Promise<boolean> {
    const delayMs = this.#attempts.begin(account)
    if (delayMs > 0) await this.#deps.pause(delayMs)
    this.#nobody ??= this.hash('')
    const { cost, key, salt } = parsed(stored ?? (await this.#nobody))
    const derived = await this.#alone(() => derive(password, salt, cost))
    const isRight = derived.length === key.length && timingSafeEqual(derived, key) && stored !== null
    if (isRight) this.#attempts.succeeded(account)
    return isRight
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= atOnce) {
      if (this.#waiting.length >= waitingMax) throw new Failure('rate_limited', { retryAfterSeconds: 5 })
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else this.#running += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}

/** Attempts that begin without a wait. */
const freeAttempts = 5
const firstDelayMs = 250
const delayMsMax = 8_000
/** After so long without an attempt an account is as if none had been wrong. */
const forgottenMs = 900_000
/** More accounts than this are not remembered one by one: the ones that have been quiet longest go. */
const accountsMax = 20_000

/** Attempts on each account since its last right password. In this process alone. */
class Attempts {
  readonly #monotonicMs: () => number
  /** In the order of their last attempt. */
  readonly #counts = new Map<string, { count: number; atMs: number }>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /** Counts an attempt before it is made, so that many at once are counted too. @returns how long it waits */
  begin(account: string): number {
    const atMs = this.#monotonicMs()
    const known = this.#counts.get(account)
    const count = known !== undefined && atMs - known.atMs < forgottenMs ? known.count : 0
    this.#counts.delete(account)
    this.#counts.set(account, { count: count + 1, atMs })
    if (this.#counts.size > accountsMax) {
      const [quietest] = this.#counts.keys()
      if (quietest !== undefined) this.#counts.delete(quietest)
    }
    return count < freeAttempts ? 0 : Math.min(delayMsMax, firstDelayMs * 2 ** (count - freeAttempts))
  }

  succeeded(account: string): void {
    this.#counts.delete(account)
  }
}

function derive(password: string, salt: Buffer, { logN, p, r }: ScryptCost): Promise<Buffer> {
  const N = 2 ** logN
  // One spelling of a letter with marks, whatever keyboard it came from (NIST SP 800-63B, 3.1.1.2).
  const text = password.normalize('NFKC')
  return new Promise((resolve, reject) => {
    scrypt(text, salt, keyBytes, { N, r, p, maxmem: 256 * N * r }, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
}

function parsed(stored: string): { cost: ScryptCost; salt: Buffer; key: Buffer } {
  const [kind, logN, r, p, salt = '', key = ''] = stored.split('$')
  if (kind !== 'scrypt') throw new Error('a stored password is of an unknown kind')
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  }
}
