/**
 * Enforces the limits that end users share, across all processes: those of applications, tags and teams.
 *
 * For each rule, this process has a slice: an amount that it has taken from the store and may spend without another
 * access to the store. A request sets the amount that it needs aside before the reserve. The reserve decides with that
 * amount and is the only step that rejects requests (money/admit.ts). If a slice is too small, the request waits for an
 * exchange (domain/limits/slice-exchange.ts). In an exchange, the process returns its unspent amounts to the store. The
 * process then takes the amount that all waiting requests need, and a share of the amount that remains in the store.
 *
 * The whole usage of a request counts in the window slot in which its amount was set aside. A request that is still in
 * flight when a window ends needs nothing from the next window. After a limit is used up, requests are rejected without
 * an exchange for `fullMs`. The process asks the store earlier if the maximum changes, or if the process itself returns
 * an amount.
 *
 * If an exchange fails, the unspent amounts count as spent until they leave the window. So the limit is never exceeded.
 */
import type { RuleExchange, SharedScope, SliceStore } from '#domain/limits/shared-limit-slices.ts'
import type { Mode } from '#domain/application-config.ts'
import type { HeldBound, RateLimit, RateMeasure, RateRule } from '#money/decision-types.ts'
import { appliesTo, countingSlots, isUseOf, neededAmount, type RateAmounts } from '#money/rate-limit.ts'
import type { SliceGrant, SliceNeed } from '#domain/limits/slice-exchange.ts'
import {
  addUnspent,
  isFull,
  isInUse,
  limitOf,
  type SetAside,
  setAsideFrom,
  type Slice,
  startOf,
  unspentOf,
} from './shared-limit-slice.ts'
import type { Clock } from './ports.ts'

/**
 * How long this process treats a limit as used up without asking the store again. Another process may return an amount
 * in the meantime.
 */
const fullMs = 250
/** If no request arrives for this time, an unspent amount is returned to the store. */
const idleMs = 1_000
/**
 * Maximum number of rules to keep. This maximum exceeds the number of rules that an application can have, so only
 * removed rules are dropped.
 */
const slicesMax = 24

/** Limits of an application, of one of its tags, or of a team. */
export interface SharedRules extends Pick<SharedScope, 'tag' | 'team'> {
  readonly rules: readonly RateRule[]
}

/** A request that counts toward the shared limits. */
export interface SharedCall {
  readonly alias: string
  /** Returns the amount that the request needs, in the unit of the measure. */
  readonly needs: (measure: RateMeasure) => bigint
  /** Returns the minimum amount with which the request can start. Called only if a slice is too small. */
  readonly needsAtLeast: (measure: RateMeasure) => bigint
  /** The version of the configuration that contains the rules. */
  readonly version: number
  /** The time by the clock of the request's mode (live or test), in milliseconds. */
  readonly nowMs: number
}

/**
 * The share of the shared limits that one request uses. When the request ends, call exactly one of `settled`,
 * `released` and `refused`.
 */
export interface SharedShare {
  /**
   * Returns the limits for the reserve. The remaining amount of each limit is at least the amount set aside for this
   * request.
   */
  limits(): readonly RateLimit[]
  /** Sets the amounts that the request holds, and gives back the unneeded part of the amounts that were set aside. */
  holds(hold: HeldBound): void
  /** Sets an additional amount aside, for an extension of the hold. Call `holds` afterwards. */
  grow(more: (measure: RateMeasure) => bigint, nowMs: number): Promise<readonly RateLimit[]>
  /** Ends the share of a request that was settled with this usage. */
  settled(used: RateAmounts): void
  /**
   * Ends the share of a request that was not charged. The request still counts toward limits on the number of requests.
   */
  released(): void
  /** Ends the share of a request that was not admitted. The request does not count toward any limit. */
  refused(): void
}

export class SharedLimits {
  readonly #store: SliceStore
  readonly #clock: Clock
  readonly #scopes = new Map<string, Scope>()

  constructor(store: SliceStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Sets aside the amount that a request needs. Returns null if no rule applies, and a promise only if a slice is too
   * small. The promise rejects if the store is unavailable.
   */
  admit(
    of: { readonly applicationId: string; readonly mode: Mode },
    shared: readonly SharedRules[],
    call: SharedCall,
  ): SharedShare | null | Promise<SharedShare> {
    let isLimited = false
    let isWaiting = false
    const parts: (Part[] | Promise<Part[]>)[] = []
    for (const { rules, ...owner } of shared) {
      const isOther = (rule: RateRule): boolean => !appliesTo(rule, call.alias)
      const applying = rules.some(isOther) ? rules.filter((rule) => !isOther(rule)) : rules
      if (applying.length === 0) continue
      isLimited = true
      const scope = this.#scopeOf({ ...of, ...owner })
      // If the version is old, set nothing aside, because the reserve rejects the request as stale.
      if (!scope.knows(call.version)) continue
      try {
        const own = scope.setAside(applying, call)
        isWaiting ||= own instanceof Promise
        parts.push(own)
      } catch (error) {
        giveBack(parts)
        throw error
      }
    }
    if (isWaiting) return shareAfter(parts)
    return isLimited ? new Share(parts.flatMap((own) => (own instanceof Promise ? [] : own))) : null
  }

  #scopeOf(of: SharedScope): Scope {
    const name = `${of.applicationId}\n${of.mode}\n${of.tag ?? ''}\n${of.team?.id ?? ''}`
    let scope = this.#scopes.get(name)
    if (scope === undefined) this.#scopes.set(name, (scope = new Scope(of, this.#store, this.#clock)))
    return scope
  }

  /** Returns all unspent amounts to the store. Call after the last request has ended. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#scopes.values()].map((scope) => scope.giveBack()))
  }
}

/** An amount that one request has set aside from a slice. */
interface Part extends SetAside {
  readonly scope: Scope
  readonly slice: Slice
}

class Share implements SharedShare {
  #parts: Part[]
  #isGrown = false

  constructor(parts: Part[]) {
    this.#parts = parts
  }

  limits(): readonly RateLimit[] {
    return this.#parts.map(limitOfPart)
  }

  holds({ bound, worstMicros }: HeldBound): void {
    this.#divide((measure) => neededAmount(measure, worstMicros, bound), false)
  }

  async grow(more: (measure: RateMeasure) => bigint, nowMs: number): Promise<readonly RateLimit[]> {
    const needs = { needs: more, needsAtLeast: () => 1n, nowMs }
    const limits: RateLimit[] = []
    this.#isGrown = true
    for (const [scope, own] of Map.groupBy(this.#parts, (part) => part.scope)) {
      const growing = new Set(own.map(({ slice }) => slice.rule).filter(({ measure }) => more(measure) > 0n))
      // oxlint-disable-next-line no-await-in-loop -- needs no wait unless a slice is too small
      const parts = await scope.setAside([...growing], needs)
      this.#parts.push(...parts)
      limits.push(...parts.map(limitOfPart))
    }
    return limits
  }

  settled(used: RateAmounts): void {
    this.#divide((measure) => (measure === 'requests' ? null : (used[measure] ?? 0n)), true)
    this.#end()
  }

  released(): void {
    for (const part of this.#parts) if (part.slice.rule.measure !== 'requests') part.scope.change(part, 0n)
    this.#end()
  }

  refused(): void {
    for (const part of this.#parts) part.scope.change(part, 0n)
    this.#end()
  }

  /**
   * Changes the amount that the request has set aside from each slice, and divides this amount among the parts of
   * the slice. The oldest time slot gets its amount first.
   * @param amountFor returns null if the amount of the measure does not change
   * @param isAll whether the newest slot also gets any amount beyond the amounts that were set aside
   */
  #divide(amountFor: (measure: RateMeasure) => bigint | null, isAll: boolean): void {
    // A request has two parts of the same slice only after an extension of its hold.
    const left = this.#isGrown ? new Map<Slice, bigint>() : null
    for (const [at, part] of this.#parts.entries()) {
      const { amount, scope, slice } = part
      const all = left?.get(slice) ?? amountFor(slice.rule.measure)
      if (all === null) continue
      const isLast = left === null || !this.#parts.slice(at + 1).some((other) => other.slice === slice)
      const own = (isAll && isLast) || all < amount ? all : amount
      left?.set(slice, all - own)
      scope.change(part, own)
    }
  }

  #end(): void {
    for (const { amount, slice } of this.#parts) slice.held -= amount
    this.#parts = []
  }
}

/** Gives back the amounts of a request that is not admitted, including amounts that an exchange has yet to set aside. */
function giveBack(parts: readonly (Part[] | Promise<Part[]>)[]): void {
  for (const own of parts)
    if (own instanceof Promise)
      own.then(
        (later) => new Share(later).refused(),
        () => {},
      )
    else new Share(own).refused()
}

/** If one exchange fails, the amounts from the other exchanges are given back. */
async function shareAfter(waiting: readonly (Part[] | Promise<Part[]>)[]): Promise<Share> {
  const results = await Promise.allSettled(waiting.map(async (parts) => parts))
  const share = new Share(results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed === undefined) return share
  share.refused()
  throw failed.reason
}

/** A request that waits for an exchange. */
interface Waiter extends Pick<SharedCall, 'needs' | 'needsAtLeast'> {
  readonly slices: readonly Slice[]
  readonly resolve: (parts: Part[]) => void
  readonly reject: (error: unknown) => void
}

/** The limit rules of one application, of one of its tags or of a team, in one mode. */
class Scope {
  readonly of: SharedScope
  readonly #store: SliceStore
  readonly #clock: Clock
  #slices: Slice[] = []
  #waiting: Waiter[] = []
  #exchanging: Promise<void> | null = null
  #version = 0
  /** The time by the clock of this mode (live or test) minus the real time, in milliseconds. */
  #offsetMs = 0
  #timer: NodeJS.Timeout | null = null
  #usedAtMs = 0

  constructor(of: SharedScope, store: SliceStore, clock: Clock) {
    this.of = of
    this.#store = store
    this.#clock = clock
  }

  /** Returns false if a newer version of the rules is known. */
  knows(version: number): boolean {
    if (version > this.#version) this.#version = version
    return version === this.#version
  }

  /**
   * Sets the needed amounts aside, immediately or after an exchange. If the remaining amount of a limit is smaller than
   * needed, sets the remaining amount aside.
   */
  setAside(
    rules: readonly RateRule[],
    { needs, needsAtLeast, nowMs }: Pick<SharedCall, 'needs' | 'needsAtLeast' | 'nowMs'>,
  ): Part[] | Promise<Part[]> {
    this.#offsetMs = nowMs - this.#clock.nowMs()
    this.#usedAtMs = this.#clock.monotonicMs()
    const slices = rules.map((rule) => this.#sliceOf(rule))
    const isShort = slices.some((slice) => {
      if (slice.isStale) return true
      const isEnough = unspentOf(slice, nowMs) >= needs(slice.rule.measure)
      return !isEnough && !isFull(slice, nowMs, this.#usedAtMs)
    })
    // A new request waits behind waiting requests, because they need the unspent amounts that an exchange returns.
    if (!isShort && this.#waiting.length === 0) return partsOf(this, slices, { needs, nowMs })
    return new Promise((resolve, reject) => {
      this.#waiting.push({ slices, needs, needsAtLeast, resolve, reject })
      void this.#exchange()
    })
  }

  /** Changes the amount that a request has set aside, and gives the difference back to the slot. */
  change(part: Part, amount: bigint): void {
    const { slice, slotStartsAtMs } = part
    const difference = part.amount - amount
    if (difference === 0n) return
    part.amount = amount
    slice.held -= difference
    addUnspent(slice, slotStartsAtMs, difference)
    this.#giveBackLater()
  }

  /** Returns all unspent amounts to the store. */
  async giveBack(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    await this.#exchange()
    await this.#exchange()
  }

  /** Resolves when no request waits and the current exchange has ended. Never rejects. */
  #exchange(): Promise<void> {
    this.#exchanging ??= this.#exchangeAll().finally(() => {
      this.#exchanging = null
      this.#giveBackLater()
    })
    return this.#exchanging
  }

  async #exchangeAll(): Promise<void> {
    do {
      const waiting = this.#waiting
      this.#waiting = []
      try {
        // oxlint-disable-next-line no-await-in-loop -- one exchange at a time
        await this.#exchangeFor(waiting)
      } catch (error) {
        for (const { reject } of waiting) reject(error)
      }
    } while (this.#waiting.length > 0)
  }

  async #exchangeFor(waiting: readonly Waiter[]): Promise<void> {
    const needed = new Map<Slice, SliceNeed[]>()
    for (const { needs, needsAtLeast, slices } of waiting)
      for (const slice of slices) {
        const ofSlice = needed.get(slice)
        const { measure } = slice.rule
        const need = { whole: needs(measure), least: needsAtLeast(measure) }
        if (ofSlice === undefined) needed.set(slice, [need])
        else ofSlice.push(need)
      }
    const slices = [
      ...needed.keys(),
      ...this.#slices.filter((slice) => slice.unspent.size > 0 && !needed.has(slice)),
    ]
    if (slices.length === 0) return
    const exchanges = slices.map((slice): RuleExchange => {
      const returned = [...slice.unspent].map(([startsAtMs, amount]) => ({ startsAtMs, amount }))
      // Requests that arrive during the exchange wait for its result, because the limit may turn out not to be used up.
      if (slice.isStale || returned.length > 0) slice.full = null
      slice.unspent.clear()
      slice.isStale = false
      const { rule } = slice
      return { rule, most: rule.most, needs: needed.get(slice) ?? [], returned }
    })
    const nowMs = this.#clock.nowMs() + this.#offsetMs
    const grants = await this.#store.exchange(this.of, exchanges, nowMs)
    for (const [at, slice] of slices.entries()) {
      const grant = grants[at]
      if (grant) this.#take(slice, grant, nowMs)
    }
    // No other code runs between the exchange and this loop, so each request finds the amount that was granted for it.
    for (const { needs, resolve, slices: own } of waiting) resolve(partsOf(this, own, { needs, nowMs }))
  }

  #take(slice: Slice, { granted, isWhole, taken }: SliceGrant, nowMs: number): void {
    const { window } = slice.rule
    slice.taken = taken
    const slotStartsAtMs = startOf(slice.rule, nowMs)
    addUnspent(slice, slotStartsAtMs, granted)
    slice.full = isWhole ? null : { slotStartsAtMs, untilMs: this.#clock.monotonicMs() + fullMs }
    // Drop the amounts of slots that have left the window.
    if (window === null) return
    for (const [startsAtMs, amount] of slice.unspent)
      if (countingSlots(window, [{ startsAtMs, amount }], nowMs).length === 0)
        slice.unspent.delete(startsAtMs)
  }

  #sliceOf(rule: RateRule): Slice {
    const known = this.#slices.find((slice) => isUseOf(slice.rule, rule))
    if (known !== undefined) {
      if (known.rule.most !== rule.most) known.isStale = true
      known.rule = rule
      return known
    }
    // Drop the slices of removed rules if no request uses them.
    if (this.#slices.length >= slicesMax) this.#slices = this.#slices.filter(isInUse)
    const slice: Slice = { rule, isStale: false, unspent: new Map(), taken: [], held: 0n, full: null }
    this.#slices.push(slice)
    return slice
  }

  #giveBackLater(): void {
    if (this.#timer !== null || this.#slices.every(({ unspent }) => unspent.size === 0)) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      const isIdle = this.#clock.monotonicMs() - this.#usedAtMs >= idleMs
      if (isIdle) void this.#exchange()
      else this.#giveBackLater()
    }, idleMs)
    this.#timer.unref()
  }
}

function partsOf(
  scope: Scope,
  slices: readonly Slice[],
  { needs, nowMs }: Pick<SharedCall, 'needs' | 'nowMs'>,
): Part[] {
  return slices.map((slice) => ({
    scope,
    slice,
    ...setAsideFrom(slice, needs(slice.rule.measure), nowMs),
  }))
}

function limitOfPart(part: Part): RateLimit {
  return limitOf(part.slice, part, part.scope.of)
}
