/**
 * This file gives processes slices of a limit that several end users share, such as a limit of an application.
 *
 * The window of a limit is divided into time slots. For each slot, a stored amount adds up the slices of all processes.
 * A process takes a slice, which counts as used from then on, and spends the slice in memory. The limit is therefore
 * never exceeded, and a request does not write a row. A process returns the unspent part of its slices. If the process
 * dies, the unspent part remains taken until the slot leaves the window (docs/decisions/2026-11-28-shared-limits.md).
 */
import { maxOf, minOf } from '#money/amount.ts'
import type { RateSlot, RateWindow } from '#money/decision-types.ts'
import { amountOf } from '#money/rate-limit.ts'

/**
 * A slice is the needed amount plus 1 / `sliceShare` of the remaining limit. Slices therefore become smaller as the
 * limit is used up, and the last slices contain only the needed amount. The additional part is rounded down to a
 * multiple of the amount that the last waiting request needs. Otherwise, a process could keep a remainder that is too
 * small for a request. Another process would lack this remainder and shorten a response.
 */
const sliceShare = 32n

/**
 * For a limit that never resets, the maximum number of further requests that a slice covers. If a process dies, its
 * slice of such a limit is permanently lost. With this maximum, a server that dies repeatedly does not use up the
 * limit.
 */
const lastingShareMax = 16n

export interface SliceNeed {
  readonly whole: bigint
  /** The minimum amount with which the request can start, with a shorter answer. At most `whole`. */
  readonly least: bigint
}

export interface SliceExchange {
  readonly most: bigint
  /** The needs of the waiting requests, in order. If the list is empty, the process only returns unspent amounts. */
  readonly needs: readonly SliceNeed[]
  /**
   * Unspent amounts of earlier slices, by slot. A negative amount means that the process has spent more than its slice.
   */
  readonly returned: readonly RateSlot[]
}

export interface SliceGrant {
  readonly granted: bigint
  readonly isWhole: boolean
  /** The amounts taken by all processes, after the exchange. */
  readonly taken: readonly RateSlot[]
}

/**
 * Takes back a process's unspent amounts, and grants the process a new slice of the limit of one rule. The slice
 * contains only amounts that requests can use. No process therefore keeps a remainder that is too small for a request.
 * @param taken the amounts that processes took earlier and that still count, oldest first
 * @param slot `slotStartsAtMs` is the start of the time slot in which the granted amount counts. `window` is the window
 * of the rule, or null if the rule limits requests in flight.
 */
export function exchangeSlice(
  taken: readonly RateSlot[],
  { most, needs, returned }: SliceExchange,
  { slotStartsAtMs, window }: { readonly slotStartsAtMs: number; readonly window: RateWindow | null },
): SliceGrant {
  let slots = taken
  for (const { amount, startsAtMs } of returned) slots = withChange(slots, startsAtMs, -amount)
  let left = maxOf(most - amountOf(slots), 0n)
  let granted = 0n
  let isWhole = true
  for (const { least, whole } of needs) {
    const part = whole <= left ? whole : least <= left ? left : 0n
    if (part < whole) isWhole = false
    granted += part
    left -= part
  }
  const last = needs.at(-1)
  if (isWhole && last !== undefined) {
    const unit = maxOf(last.whole, 1n)
    const requests = left / sliceShare / unit
    granted += (window === 'total' ? minOf(requests, lastingShareMax) : requests) * unit
  }
  return { granted, isWhole, taken: granted === 0n ? slots : withChange(slots, slotStartsAtMs, granted) }
}

/** The amount is never negative. If an amount is returned to a slot that no longer counts, nothing changes. */
function withChange(slots: readonly RateSlot[], startsAtMs: number, change: bigint): readonly RateSlot[] {
  const before = slots.find((slot) => slot.startsAtMs === startsAtMs)?.amount ?? 0n
  const amount = before + change
  const others = slots.filter((slot) => slot.startsAtMs !== startsAtMs)
  if (amount <= 0n) return others
  return [...others, { startsAtMs, amount }].toSorted((one, other) => one.startsAtMs - other.startsAtMs)
}
