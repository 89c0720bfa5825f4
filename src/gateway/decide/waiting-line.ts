import { Failure } from '#domain/errors.ts'
import type { AccountKey } from '#domain/account.ts'
import type { KeyRecord } from '#domain/application-config.ts'
import { ClientGone } from '#gateway/arrive/client-gone.ts'

/**
 * Held is not spent: a call that lacks room only because of calls in flight waits here until one of them ends, for a
 * short while and in order of arrival.
 *
 * Each account has a line. A pass goes through it from the front, and each waiter tries again unless one further
 * ahead waits for the same room. A pass begins when a call of the account ends in this process, and otherwise every
 * `lookAgainMs`: a grant makes room too, and on PostgreSQL so does a call of another process. A newcomer goes behind
 * those who wait for room that it would take from them.
 */
export class WaitingLine {
  readonly #limits: WaitingLimits
  readonly #lines = new Map<string, Line>()
  #count = 0
  #isClosed = false
  /** Calls that have ended here; a call refused before the newest of them tries again at once. */
  releases = 0

  constructor(limits: WaitingLimits) {
    this.#limits = limits
  }

  /** The usual case, and then the only check of a call. */
  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** Calls that wait now, of all accounts. */
  get length(): number {
    return this.#count
  }

  /** The refusal of a newcomer that cannot wait, where another already waits for its room; null: none does. */
  failureBehind(place: Place): Failure | null {
    const ahead = this.#lines.get(accountOf(place.key))?.waiters.find((waiter) => isInTheWay(waiter, place))
    // The newcomer's own demand was not computed.
    return ahead ? new Failure('balance_held', { ...ahead.held.details, requested: null }) : null
  }

  /**
   * Waits for room, and tries again when there may be some. Null: the line is full, or there is no time.
   * @param held the refusal when the time is up, unless a later try has newer numbers
   * @param tryAgain rejects with `balance_held` while there is no room
   * @throws Failure `held`, `draining`, or any other refusal of `tryAgain`
   * @throws ClientGone
   */
  wait<T>(
    place: Place,
    held: Failure,
    tryAgain: () => Promise<T>,
    { releasesSeen, response, withinMs }: WaitOptions,
  ): Promise<T> | null {
    if (this.#isClosed) return Promise.reject(new Failure('draining'))
    if (response.destroyed) return Promise.reject(new ClientGone())
    const account = accountOf(place.key)
    const line = this.#lines.get(account) ?? newLine(account)
    const { waitersInAllMax, waitersMax } = this.#limits
    if (withinMs <= 0 || line.waiters.length >= waitersMax || this.#count >= waitersInAllMax) return null
    this.#lines.set(account, line)
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        place,
        held,
        tryOnce: async () => resolve(await tryAgain()),
        refuse: reject,
        end: null,
        isTrying: false,
        release: () => {
          clearTimeout(timer)
          response.off('close', onClose)
        },
      }
      const onClose = (): void => this.#endNow(line, waiter, () => new ClientGone())
      const timer = setTimeout(() => this.#endNow(line, waiter, () => waiter.held), withinMs)
      response.once('close', onClose)
      line.waiters.push(waiter)
      this.#count += 1
      if (releasesSeen === this.releases) this.#lookLater(line)
      else void this.#pass(line)
    })
  }

  /** A call of that account has ended, and its unspent hold is free. */
  released(key: Place['key']): void {
    this.releases += 1
    if (this.#count === 0) return
    const line = this.#lines.get(accountOf(key))
    if (line) void this.#pass(line)
  }

  /** Refuses all waiters, and all newcomers. */
  close(): void {
    this.#isClosed = true
    for (const line of this.#lines.values()) {
      for (const waiter of line.waiters.slice()) this.#endNow(line, waiter, () => new Failure('draining'))
    }
  }

  async #pass(line: Line): Promise<void> {
    if (line.isPassing) {
      line.isWoken = true
      return
    }
    line.isPassing = true
    do {
      line.isWoken = false
      for (const waiter of line.waiters.slice()) {
        const at = line.waiters.indexOf(waiter)
        if (at < 0 || line.waiters.slice(0, at).some((ahead) => isInTheWay(ahead, waiter.place))) continue
        // oxlint-disable-next-line no-await-in-loop -- the first to come is decided first
        await this.#try(line, waiter)
      }
    } while (line.isWoken)
    line.isPassing = false
    this.#lookLater(line)
  }

  async #try(line: Line, waiter: Waiter): Promise<void> {
    waiter.isTrying = true
    try {
      await waiter.tryOnce()
      this.#remove(line, waiter)
    } catch (cause) {
      waiter.isTrying = false
      if (!isHeld(cause)) {
        this.#remove(line, waiter)
        waiter.refuse(cause)
        return
      }
      waiter.held = cause
      if (waiter.end) this.#endNow(line, waiter, waiter.end)
    }
  }

  /** A try under way may still be let in, and its hold must then have an owner. */
  #endNow(line: Line, waiter: Waiter, end: () => Error): void {
    if (waiter.isTrying) {
      waiter.end ??= end
      return
    }
    this.#remove(line, waiter)
    waiter.refuse(end())
    // Those behind it may have waited for it alone.
    void this.#pass(line)
  }

  #remove(line: Line, waiter: Waiter): void {
    const at = line.waiters.indexOf(waiter)
    if (at < 0) return
    line.waiters.splice(at, 1)
    this.#count -= 1
    waiter.release()
    if (line.waiters.length > 0) return
    this.#lines.delete(line.account)
    if (line.timer) clearTimeout(line.timer)
    line.timer = null
  }

  #lookLater(line: Line): void {
    if (line.timer || line.waiters.length === 0) return
    line.timer = setTimeout(() => {
      line.timer = null
      void this.#pass(line)
    }, this.#limits.lookAgainMs)
  }
}

export interface WaitingLimits {
  /** Waiters at once, of one account and of all. */
  readonly waitersMax: number
  readonly waitersInAllMax: number
  readonly lookAgainMs: number
}

/** The places where a call would take room. */
export interface Place {
  readonly key: Pick<KeyRecord, 'lineId' | 'isPortalLine' | 'endUserId' | 'mode'>
  readonly alias: string
  /** The run of its outcome; null: none. */
  readonly run: string | null
}

interface WaitOptions {
  readonly withinMs: number
  /** `releases` before the try that `held` answers. */
  readonly releasesSeen: number
  /** The response whose close leaves the line. */
  readonly response: {
    readonly destroyed: boolean
    once(event: 'close', listener: () => void): unknown
    off(event: 'close', listener: () => void): unknown
  }
}

interface Line {
  /** Its account as one text. */
  readonly account: string
  readonly waiters: Waiter[]
  isPassing: boolean
  /** Room may have come since the running pass began. */
  isWoken: boolean
  timer: NodeJS.Timeout | null
}

interface Waiter {
  readonly place: Place
  held: Failure
  isTrying: boolean
  /** Makes the error that ends it if the running try finds no room. */
  end: (() => Error) | null
  /** Tries once; resolves the waiter's promise when it is let in. */
  readonly tryOnce: () => Promise<void>
  readonly refuse: (cause: unknown) => void
  readonly release: () => void
}

function newLine(account: string): Line {
  return { account, waiters: [], isPassing: false, isWoken: false, timer: null }
}

function accountOf({ endUserId, mode }: AccountKey): string {
  return `${mode} ${endUserId}`
}

/** Whether only calls in flight are in the way. */
export function isHeld(cause: unknown): cause is Failure {
  return cause instanceof Failure && cause.code === 'balance_held'
}

/** Whether this waiter waits for room that a call there would take; limits of others do not count. */
function isInTheWay({ held, place: { alias, key, run } }: Waiter, place: Place): boolean {
  switch (held.details.limitSource) {
    case 'key_cap':
      return key.lineId === place.key.lineId
    case 'portal_total':
      return place.key.isPortalLine
    case 'outcome_run':
      return run === place.run
    case 'pool':
      return alias === place.alias
    default:
      return true
  }
}
