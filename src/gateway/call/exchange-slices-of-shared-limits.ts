/** The owner of a limit is an application, one of its tags, or a team (enforce-shared-limits.ts). */
import type { RuleExchange, SharedScope, SliceStore } from '#domain/limits/shared-limit-slices-interface.ts'
import { maxOf } from '#money/amount.ts'
import type { RateLimit, RateMeasure, RateRule } from '#money/decision-types.ts'
import { countingSlots, isUseOf } from '#money/rate-limit.ts'
import type { SliceGrant, SliceNeed } from '#domain/limits/give-slices-of-shared-limit.ts'
import {
  addUnspent,
  hasChanged,
  isFull,
  isInUse,
  keepOverspent,
  limitOf,
  newSlice,
  type SetAside,
  type Slice,
  startOf,
  unspentOf,
} from './slice-of-shared-limit.ts'
import type { Clock } from './dependencies-of-gateway.ts'

/**
 * How long a limit counts as used up before this process asks the store again. Another process may return an amount in
 * the meantime.
 */
const fullMs = 250
/** After this time without requests, unspent amounts return to the store. */
const idleMs = 1_000
/** No application has this many rules, so only slices of removed rules are dropped. */
const slicesMax = 24

export interface NeededAmounts {
  /** In the unit of the measure. */
  readonly needs: (measure: RateMeasure) => bigint
  /** The minimum with which the request can start. Called only if a slice is too small. */
  readonly needsAtLeast: (measure: RateMeasure) => bigint
  /** By the clock of the request's mode. */
  readonly nowMs: number
}

export interface Part extends SetAside {
  readonly scope: SharedLimitScope
  readonly slice: Slice
}

export class SharedLimitScope {
  readonly of: SharedScope
  readonly #store: SliceStore
  readonly #clock: Clock
  #slices: Slice[] = []
  #waiting: Waiter[] = []
  #exchanging: Promise<void> | null = null
  #version = 0
  /** Time of the mode's clock minus the real time. */
  #offsetMs = 0
  #timer: NodeJS.Timeout | null = null
  #usedAtMs = 0

  constructor(of: SharedScope, store: SliceStore, clock: Clock) {
    this.of = of
    this.#store = store
    this.#clock = clock
  }

  /** Whether no newer version of the rules is known. Remembers `version` if it is the newest. */
  knows(version: number): boolean {
    if (version > this.#version) this.#version = version
    return version === this.#version
  }

  /**
   * If less remains of a limit than needed, sets the remaining amount aside.
   * @param parts receives the amounts that are set aside immediately
   * @returns null if `parts` contains all amounts; otherwise the amounts that the next exchange with the store sets
   *   aside
   */
  setAside(rules: readonly RateRule[], asked: NeededAmounts, parts: Part[]): Promise<Part[]> | null {
    const { needs, nowMs } = asked
    this.#offsetMs = nowMs - this.#clock.nowMs()
    this.#usedAtMs = this.#clock.monotonicMs()
    // Queue behind waiting requests. Otherwise, new requests would spend the amounts that these need.
    if (this.#waiting.length > 0) return this.#wait(rules, asked)
    const before = parts.length
    for (const rule of rules) {
      const slice = this.#sliceOf(rule)
      const part = partOf(this, slice, needs(rule.measure), nowMs)
      if (slice.isStale || (!part.isWhole && !isFull(slice, part.slotStartsAtMs, this.#usedAtMs))) {
        // The store may have what the slice lacks, so give all amounts back and wait for an exchange.
        this.change(part, 0n)
        for (const other of parts.splice(before)) this.change(other, 0n)
        return this.#wait(rules, asked)
      }
      parts.push(part)
    }
    return null
  }

  #wait(rules: readonly RateRule[], { needs, needsAtLeast }: NeededAmounts): Promise<Part[]> {
    const slices = rules.map((rule) => this.#sliceOf(rule))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ slices, needs, needsAtLeast, resolve, reject })
      void this.#exchange()
    })
  }

  change(part: Part, amount: bigint): void {
    const { slice, slotStartsAtMs } = part
    const difference = part.amount - amount
    if (difference === 0n) return
    part.amount = amount
    slice.held -= difference
    addUnspent(slice, slotStartsAtMs, difference)
    this.#giveBackLater()
  }

  async giveBack(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    await this.#exchange()
    await this.#exchange()
  }

  /** Resolves when no request waits and the current exchange has ended. Never rejects. */
  #exchange(): Promise<void> {
    this.#exchanging ??= this.#exchangeAll()
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
    // No other code runs between the check of the loop and this line, so no request waits for an ended exchange.
    this.#exchanging = null
    this.#giveBackLater()
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
      ...this.#slices.filter((slice) => hasChanged(slice) && !needed.has(slice)),
    ]
    if (slices.length === 0) return
    const exchanges = slices.map((slice): RuleExchange => {
      const returned = [...slice.unspent].map(([startsAtMs, amount]) => ({ startsAtMs, amount }))
      // The exchange may show that the limit is not used up, so requests that arrive meanwhile wait for its result.
      if (slice.isStale || returned.length > 0) slice.full = null
      slice.unspent.clear()
      slice.isStale = false
      slice.isInDoubt = true
      const { held, rule } = slice
      return { rule, most: rule.most, needs: needed.get(slice) ?? [], returned, held }
    })
    const nowMs = this.#clock.nowMs() + this.#offsetMs
    const grants = await this.#store.exchange(this.of, exchanges, nowMs).catch((error: unknown) => {
      for (const [at, slice] of slices.entries()) keepOverspent(slice, exchanges[at]?.returned ?? [])
      throw error
    })
    for (const [at, slice] of slices.entries()) {
      const grant = grants[at]
      if (grant) this.#take(slice, grant, nowMs)
    }
    // No other code runs between the exchange and this loop, so each request finds what was granted for it.
    for (const { needs, resolve, slices: own } of waiting)
      resolve(own.map((slice) => partOf(this, slice, needs(slice.rule.measure), nowMs)))
  }

  #take(slice: Slice, { granted, isWhole, taken }: SliceGrant, nowMs: number): void {
    const { window } = slice.rule
    slice.isInDoubt = false
    slice.taken = taken
    const slotStartsAtMs = startOf(slice.rule, nowMs)
    addUnspent(slice, slotStartsAtMs, granted)
    slice.full = isWhole ? null : { slotStartsAtMs, untilMs: this.#clock.monotonicMs() + fullMs }
    if (window === null) return
    for (const [startsAtMs, amount] of slice.unspent)
      if (countingSlots(window, [{ startsAtMs, amount }], nowMs).length === 0)
        slice.unspent.delete(startsAtMs)
  }

  #sliceOf(rule: RateRule): Slice {
    // The rule is nearly always the same object as in the previous request, and comparing objects is fast.
    for (const slice of this.#slices) if (slice.rule === rule) return slice
    const known = this.#slices.find((slice) => isUseOf(slice.rule, rule))
    if (known !== undefined) {
      if (known.rule.most !== rule.most) known.isStale = true
      known.rule = rule
      return known
    }
    if (this.#slices.length >= slicesMax) this.#slices = this.#slices.filter(isInUse)
    const slice = newSlice(rule)
    this.#slices.push(slice)
    return slice
  }

  #giveBackLater(): void {
    if (this.#timer !== null || !this.#slices.some(hasChanged)) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      const isIdle = this.#clock.monotonicMs() - this.#usedAtMs >= idleMs
      if (isIdle) void this.#exchange()
      else this.#giveBackLater()
    }, idleMs)
    this.#timer.unref()
  }
}

interface Waiter extends Pick<NeededAmounts, 'needs' | 'needsAtLeast'> {
  readonly slices: readonly Slice[]
  readonly resolve: (parts: Part[]) => void
  readonly reject: (error: unknown) => void
}

function partOf(scope: SharedLimitScope, slice: Slice, need: bigint, nowMs: number): Part {
  const slotStartsAtMs = startOf(slice.rule, nowMs)
  const unspent = slice.isStale ? 0n : unspentOf(slice, slotStartsAtMs)
  const isWhole = unspent >= need
  const amount = isWhole ? need : maxOf(unspent, 0n)
  addUnspent(slice, slotStartsAtMs, -amount)
  slice.held += amount
  return { scope, slice, slotStartsAtMs, isWhole, amount }
}

export function limitOfPart(part: Part): RateLimit {
  return limitOf(part.slice, part, part.scope.of)
}
