import { Failure } from '#domain/errors.ts'
import type { AccountKey } from '#domain/account.ts'
import type { KeyRecord } from '#domain/application-config.ts'
import { ClientGone } from '#gateway/arrive/client-gone.ts'

/**
 * Held is not spent: a call that only calls in flight leave no room for waits here until one of them has
 * ended, for a short while and in order of arrival.
 *
 * Each account has a line. A pass goes through it from the front, and each waiter tries again unless one
 * further ahead waits for the same room. A pass begins when a call of the account has ended in this process,
 * and otherwise every `lookAgainMs`: a grant makes room too, and on PostgreSQL so does a call of another
 * process. A newcomer goes behind those who wait for room that it would take from them.
 */
export class WaitingLine {
  readonly #limits: WaitingLimits
  readonly #lines = new Map<string, Line>()
  #count = 0
  #isClosed = false
  /** Calls that have ended here; a call that was refused before the newest of them looks again at once. */
  releases = 0

  constructor(limits: WaitingLimits) {
    this.#limits = limits
  }

  /** The usual case, and all that a call looks at then. */
  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** What a newcomer is told if it cannot wait, where another waits for its room already; null: none does. */
  failureBehind(place: Place): Failure | null {
    const ahead = this.#lines.get(accountOf(place.key))?.waiters.find((waiter) => isInTheWay(waiter, place))
    // How much it would have had to hold itself was not asked.
    return ahead ? new Failure('balance_held', { ...ahead.held.details, requested: null }) : null
  }

  /**
   * Waits for room, and tries again when there may be some. Null: the line is full, or there is no time.
   * @param held what it is refused with when the time is up, unless a later try says it with newer numbers
   * @param tryAgain rejects with `balance_held` while there is no room
   * @throws Failure `held`, `draining`, or whatever else `tryAgain` is refused with
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

  /** A call of that account has ended, and what it did not spend is free. */
  released(key: Place['key']): void {
    this.releases += 1
    if (this.#count === 0) return
    const line = this.#lines.get(accountOf(key))
    if (line) void this.#pass(line)
  }

  /** Refuses all that wait, and all that come. */
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

  /** A try that is under way may still be let in, and what it holds then must have an owner. */
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
  /** Waiting at once, of one account and of all. */
  readonly waitersMax: number
  readonly waitersInAllMax: number
  readonly lookAgainMs: number
}

/** What a call would take room of. */
export interface Place {
  readonly key: Pick<KeyRecord, 'keyId' | 'endUserId' | 'mode'>
  readonly alias: string
  /** The run that it belongs to; null: none. */
  readonly run: string | null
}

interface WaitOptions {
  readonly withinMs: number
  /** `releases` before the try that `held` is the answer to. */
  readonly releasesSeen: number
  /** Whoever closes it has left the line. */
  readonly response: {
    readonly destroyed: boolean
    once(event: 'close', listener: () => void): unknown
    off(event: 'close', listener: () => void): unknown
  }
}

interface Line {
  /** Its account, in one text. */
  readonly account: string
  readonly waiters: Waiter[]
  isPassing: boolean
  /** Something has changed since the pass that is under way began. */
  isWoken: boolean
  timer: NodeJS.Timeout | null
}

interface Waiter {
  readonly place: Place
  held: Failure
  isTrying: boolean
  /** How it ends if the try that is under way finds no room. */
  end: (() => Error) | null
  /** Resolves its promise when it is let in. */
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

/** Only calls in flight are in the way. */
export function isHeld(cause: unknown): cause is Failure {
  return cause instanceof Failure && cause.code === 'balance_held'
}

/** Whether this waiter waits for room that a call there would take; the limits of others take none of it. */
function isInTheWay({ held, place: { alias, key, run } }: Waiter, place: Place): boolean {
  switch (held.details.limitSource) {
    case 'key_cap':
      return key.keyId === place.key.keyId
    case 'outcome_run':
      return run === place.run
    case 'pool':
      return alias === place.alias
    default:
      return true
  }
}
