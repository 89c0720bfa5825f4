import { Failure } from '#domain/errors.ts'
import type { AccountKey } from '#domain/billing/money-account-key.ts'
import type { KeyRecord } from '#domain/application-config.ts'
import { ClientDisconnected } from './client-disconnected-error.ts'

/**
 * The queue of calls that wait for held money. A new call waits here briefly if the end user's available balance is too
 * small only because calls in flight hold money.
 *
 * Each account (an end user in one mode) has its own queue, called a line. In a pass, the waiting calls of a line try
 * to reserve again, from front to back. A call does not try again if a call ahead of it needs the same money. A new
 * call likewise queues behind waiting calls that need its money.
 *
 * A pass begins when a call of the account ends in this process, and otherwise every `lookAgainMs`. The regular passes
 * find money from grants and, on PostgreSQL, from calls that ended in other processes.
 */
export class WaitingLine {
  readonly #limits: WaitingLimits
  readonly #lines = new Map<string, Line>()
  #count = 0
  #isClosed = false
  /**
   * Number of calls that have ended in this process. If the number has changed since a reserve was rejected, the
   * reserve is tried again immediately.
   */
  releases = 0

  constructor(limits: WaitingLimits) {
    this.#limits = limits
  }

  /** Usually true. A new call then needs no further checks. */
  get isEmpty(): boolean {
    return this.#count === 0
  }

  get length(): number {
    return this.#count
  }

  /** Returns a rejection if a new call has no time to wait and another call already waits for the same money. */
  failureBehind(place: Place): Failure | null {
    const ahead = this.#lines.get(accountOf(place.key))?.waiters.find((waiter) => isInTheWay(waiter, place))
    // The amount that the new call needs was not computed.
    return ahead ? new Failure('balance_held', { ...ahead.held.details, requested: null }) : null
  }

  /**
   * Waits until money may be available, and then tries to reserve again. Returns null if the line is full or no time
   * remains.
   * @param held the error for a timeout before the next try; each failed try replaces it
   * @param tryAgain tries to reserve; rejects with `balance_held` as long as calls in flight hold too much of the
   *   balance
   * @throws Failure `held`, `draining`, or any other rejection of `tryAgain`
   * @throws ClientDisconnected
   */
  wait<T>(
    place: Place,
    held: Failure,
    tryAgain: () => Promise<T>,
    { releasesSeen, response, withinMs }: WaitOptions,
  ): Promise<T> | null {
    if (this.#isClosed) return Promise.reject(new Failure('draining'))
    if (response.destroyed) return Promise.reject(new ClientDisconnected())
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
      const onClose = (): void => this.#endNow(line, waiter, () => new ClientDisconnected())
      const timer = setTimeout(() => this.#endNow(line, waiter, () => waiter.held), withinMs)
      response.once('close', onClose)
      line.waiters.push(waiter)
      this.#count += 1
      if (releasesSeen === this.releases) this.#lookLater(line)
      else void this.#pass(line)
    })
  }

  /** Call this after a call of the account has ended and the unused part of its hold is released. */
  released(key: Place['key']): void {
    this.releases += 1
    if (this.#count === 0) return
    const line = this.#lines.get(accountOf(key))
    if (line) void this.#pass(line)
  }

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
        // oxlint-disable-next-line no-await-in-loop -- try in order of arrival
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

  /** A try in progress may still create a hold, so let it finish first. */
  #endNow(line: Line, waiter: Waiter, end: () => Error): void {
    if (waiter.isTrying) {
      waiter.end ??= end
      return
    }
    this.#remove(line, waiter)
    waiter.refuse(end())
    // Later calls in the queue may have waited only for this call.
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
  /** Maximum number of waiting calls per account. The next field is the maximum in total. */
  readonly waitersMax: number
  readonly waitersInAllMax: number
  readonly lookAgainMs: number
}

export interface Place {
  readonly key: Pick<KeyRecord, 'lineId' | 'isPortalLine' | 'endUserId' | 'mode'>
  readonly alias: string
  /** Null if the call belongs to no outcome run. */
  readonly run: string | null
}

interface WaitOptions {
  readonly withinMs: number
  /** The value of `releases` before the reserve that failed with `held`. */
  readonly releasesSeen: number
  /** When the response to the client closes, the call leaves the line. */
  readonly response: {
    readonly destroyed: boolean
    once(event: 'close', listener: () => void): unknown
    off(event: 'close', listener: () => void): unknown
  }
}

interface Line {
  readonly account: string
  readonly waiters: Waiter[]
  isPassing: boolean
  /** Whether money may have become available during the current pass, so that another pass must follow. */
  isWoken: boolean
  timer: NodeJS.Timeout | null
}

interface Waiter {
  readonly place: Place
  held: Failure
  isTrying: boolean
  /**
   * Creates the error that ends the wait after the current try fails. Null if the wait continues after a failed try.
   */
  end: (() => Error) | null
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

export function isHeld(cause: unknown): cause is Failure {
  return cause instanceof Failure && cause.code === 'balance_held'
}

/** Whether a new call would take the money that this waiting call needs. */
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
