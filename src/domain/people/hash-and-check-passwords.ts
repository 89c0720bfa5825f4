/**
 * The hash function is scrypt, which takes 128 MiB and a third of a second per guess (docs/reference/threats.md "How
 * passwords are stored"). The number of attempts is limited so that guessing is impractical.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { siteOf } from '#domain/network/address-ranges.ts'
import { WorkQueue } from './fair-task-queue.ts'

export interface ScryptCost {
  /** Binary logarithm of scrypt's parameter N. */
  readonly logN: number
  readonly r: number
  readonly p: number
}

/** The parameters of scrypt that OWASP recommends ("Password Storage Cheat Sheet"). */
export const scryptCost: ScryptCost = { logN: 17, r: 8, p: 1 }

const keyBytes = 32
/** Each hash needs one of libuv's four threads, and 128 MiB. */
const atOnce = 2
/**
 * Maximum number of waiting callers in each group: callers with a proof, callers from familiar sites, and strangers.
 * Callers beyond this number are rejected and can retry later.
 */
const waitingMax = 64
/** After this number of wrong passwords in a row, a known browser is treated like any other browser. */
const deviceTriesMax = 10

export interface PasswordDeps {
  readonly cost: ScryptCost
  /** Returns milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number
  readonly pause: (ms: number) => Promise<void>
  /** Whether a team member has sent a correct credential from the site of this address. */
  readonly isFamiliar: (address: string) => boolean
}

export interface PasswordCaller {
  readonly address: string
  /**
   * Proof that the caller belongs to the account: a browser that has signed in before, an open session, or a valid
   * invitation.
   */
  readonly proof: string | null
}

/**
 * Hashes and checks passwords on other threads, only a few at a time. Three groups of callers take turns: callers with
 * a proof, callers from familiar sites, and strangers. Many strangers therefore cannot lock out the owner of an account
 * (docs/decisions/2026-11-28-limits-on-sign-ins.md).
 */
export class Passwords {
  readonly #deps: PasswordDeps
  readonly #attempts: Attempts
  readonly #queue = new WorkQueue({ atOnce, waitingMax })
  /**
   * The password of an unknown account is compared with this hash. The check then takes as long as for an existing
   * account.
   */
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
   * The check takes equally long for unknown accounts, so the duration does not reveal which accounts exist. After
   * several wrong passwords in a row, every attempt on the account first has to wait. The wait slows down guessing
   * without locking out the owner. The attempts of a caller with a proof (`PasswordCaller.proof`) are counted
   * separately. After ten wrong passwords in a row, the proof is ignored.
   * @param stored the stored hash; null if the account has no password, or does not exist
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
      // A sign-in of the owner on a known browser does not reset the delay of strangers who guess the password.
      if (proof === null) this.#attempts.succeeded(account)
    }
    return isRight
  }

  #placeOf({ address, proof }: PasswordCaller): { lane: string; site: string } {
    if (proof !== null) return { lane: 'proven', site: proof }
    return { lane: this.#deps.isFamiliar(address) ? 'familiar' : 'strange', site: siteOf(address) }
  }
}

/** Number of wrong passwords on an account after which further attempts have to wait. */
const freeAttempts = 5
const firstDelayMs = 250
const delayMsMax = 8_000
/** After this time without an attempt, earlier wrong attempts on the account no longer count. */
const forgottenMs = 900_000
/** If more accounts have attempts, the account whose last attempt is oldest is removed. */
const accountsMax = 20_000

/** Counts the attempts on each account since its last correct password, in this process only. */
class Attempts {
  readonly #monotonicMs: () => number
  /** The accounts in the order of their last attempts. */
  readonly #counts = new Map<string, { count: number; atMs: number }>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /**
   * Counts an attempt before it begins, so that concurrent attempts are also counted. @returns how long the attempt has
   * to wait
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
  // Normalize letters with diacritics, because keyboards type these letters in different Unicode forms (NIST SP
  // 800-63B, 3.1.1.2).
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
