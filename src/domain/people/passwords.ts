/**
 * Passwords. They are stored with scrypt, which takes 128 MiB and a third of a second per guess
 * (docs/reference/threats.md "How passwords are stored"). The rate of attempts is too low for guessing.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { siteOf } from '#domain/network/address-ranges.ts'
import { WorkQueue } from './work-queue.ts'

export interface ScryptCost {
  /** log2 of N. */
  readonly logN: number
  readonly r: number
  readonly p: number
}

/** OWASP, "Password Storage Cheat Sheet". */
export const scryptCost: ScryptCost = { logN: 17, r: 8, p: 1 }

const keyBytes = 32
/** Number of hashes that run concurrently. Each takes one of libuv's four threads, and 128 MiB. */
const atOnce = 2
/** Maximum number of waiting callers per lane. Further callers are rejected and can retry later. */
const waitingMax = 64
/** Number of wrong passwords in a row after which a known browser is treated like any other. */
const deviceTriesMax = 10

export interface PasswordDeps {
  readonly cost: ScryptCost
  /** Returns milliseconds that never go back. */
  readonly monotonicMs: () => number
  /** Resolves after that time. */
  readonly pause: (ms: number) => Promise<void>
  /** Whether a team has sent a correct credential from the site of this address. */
  readonly isFamiliar: (address: string) => boolean
}

/** The caller that a password is hashed for. */
export interface PasswordCaller {
  readonly address: string
  /**
   * The caller's earlier proof: a browser that has signed in to the account, an open session, or a valid invitation.
   * Null if the caller has no proof.
   */
  readonly proof: string | null
}

/**
 * Creates and checks passwords, off the event loop and a few at a time. Callers with a proof, callers from familiar
 * sites and strangers take turns. So a crowd of strangers cannot lock out the owner of an account
 * (docs/decisions/2026-11-23-fair-sign-ins.md).
 */
export class Passwords {
  readonly #deps: PasswordDeps
  readonly #attempts: Attempts
  readonly #queue = new WorkQueue({ atOnce, waitingMax })
  /** The hash that a password is compared with if there is no account, so that the check takes equally long. */
  #nobody: Promise<string> | null = null

  constructor(deps: PasswordDeps) {
    this.#deps = deps
    this.#attempts = new Attempts(deps.monotonicMs)
  }

  /** Returns the text to store: `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`. */
  async hash(password: string, caller: PasswordCaller): Promise<string> {
    return this.#queue.run(this.#placeOf(caller), () => hashed(password, this.#deps.cost))
  }

  /**
   * Whether a password matches an account. The check takes as long for an account that does not exist, so the duration
   * does not reveal which accounts exist. After several wrong passwords in a row, each attempt on the account first
   * waits and is then still counted. This slows down a guesser without locking out the owner. Attempts with a proof are
   * counted separately from attempts by strangers. After ten wrong passwords in a row, the proof no longer counts.
   * @param account any name of the account
   * @param stored null if the account has no password, or does not exist
   * @throws Failure rate_limited if too many attempts wait
   */
  async isRight(
    account: string,
    password: string,
    stored: string | null,
    { address, proof: given }: PasswordCaller,
  ): Promise<boolean> {
    const own = given === null ? null : `${account} ${given}`
    const proof = own !== null && this.#attempts.count(own) < deviceTriesMax ? own : null
    const delayMs = this.#attempts.begin(proof ?? account)
    if (delayMs > 0) await this.#deps.pause(delayMs)
    this.#nobody ??= hashed('', this.#deps.cost)
    const { cost, key, salt } = parsed(stored ?? (await this.#nobody))
    const derived = await this.#queue.run(this.#placeOf({ address, proof }), () =>
      derive(password, salt, cost),
    )
    const isRight = derived.length === key.length && timingSafeEqual(derived, key) && stored !== null
    if (isRight) {
      if (own !== null) this.#attempts.succeeded(own)
      // A guesser of the account stays slowed down while its owner signs in on a known browser.
      if (proof === null) this.#attempts.succeeded(account)
    }
    return isRight
  }

  #placeOf({ address, proof }: PasswordCaller): { lane: string; site: string } {
    if (proof !== null) return { lane: 'proven', site: proof }
    return { lane: this.#deps.isFamiliar(address) ? 'familiar' : 'strange', site: siteOf(address) }
  }
}

/** Attempts that begin without a wait. */
const freeAttempts = 5
const firstDelayMs = 250
const delayMsMax = 8_000
/** After this time without an attempt, earlier wrong attempts on the account no longer count. */
const forgottenMs = 900_000
/** Maximum number of accounts that are tracked. Above it, the account with the oldest attempt is removed. */
const accountsMax = 20_000

/** Attempts on each account since its last correct password, in this process only. */
class Attempts {
  readonly #monotonicMs: () => number
  /** In the order of their last attempt. */
  readonly #counts = new Map<string, { count: number; atMs: number }>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /**
   * Counts an attempt before it is made, so that concurrent attempts are counted too. @returns the duration of its wait
   */
  begin(account: string): number {
    const atMs = this.#monotonicMs()
    const count = this.count(account)
    this.#counts.delete(account)
    this.#counts.set(account, { count: count + 1, atMs })
    if (this.#counts.size > accountsMax) {
      const [quietest] = this.#counts.keys()
      if (quietest !== undefined) this.#counts.delete(quietest)
    }
    return count < freeAttempts ? 0 : Math.min(delayMsMax, firstDelayMs * 2 ** (count - freeAttempts))
  }

  /** Returns the attempts since the last correct one. */
  count(account: string): number {
    const known = this.#counts.get(account)
    return known !== undefined && this.#monotonicMs() - known.atMs < forgottenMs ? known.count : 0
  }

  succeeded(account: string): void {
    this.#counts.delete(account)
  }
}

async function hashed(password: string, cost: ScryptCost): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, cost)
  return ['scrypt', cost.logN, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join(
    '$',
  )
}

function derive(password: string, salt: Buffer, { logN, p, r }: ScryptCost): Promise<Buffer> {
  const N = 2 ** logN
  // Use one spelling for a letter with diacritics, regardless of the keyboard (NIST SP 800-63B, 3.1.1.2).
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
