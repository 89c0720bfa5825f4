/**
 * Slices of a limit that end users share, such as a limit of an application.
 *
 * All processes count one amount per slot of the window: the amount that they have taken. A process takes a slice, which
 * counts as used from then on, and spends it in its memory. So the limit is never exceeded, and no row is written for
 * every request. A process returns what it has not spent. If it dies, the rest of its slices stays taken until the slot
 * leaves the window (docs/decisions/2026-11-28-shared-limits.md).
 */
import { maxOf } from '#money/amount.ts'
import type { RateSlot } from '#money/hold.ts'
import { amountOf } from '#money/rate-limit.ts'

/**
 * A slice is the needed amount and this share of the remaining one. So slices shrink toward the end of the limit, and the
 * last ones are only what is needed.
 */
const sliceShare = 32n

/** The amount that one request needs to start. */
export interface SliceNeed {
  readonly whole: bigint
  /** The least amount with which the request can start, with a shorter answer. At most `whole`. */
  readonly least: bigint
}

/** The wishes of a process for one rule, and the amounts that it gives back. */
export interface SliceExchange {
  readonly most: bigint
  /** The needs of the waiting requests, in order. An empty list only gives back. */
  readonly needs: readonly SliceNeed[]
  /** Unspent amounts of earlier slices, by slot. A negative amount was spent beyond the slice. */
  readonly returned: readonly RateSlot[]
}

export interface SliceGrant {
  readonly granted: bigint
  /** Whether every need was granted whole. */
  readonly isWhole: boolean
  /** The taken amounts after the exchange. */
  readonly taken: readonly RateSlot[]
}

/**
 * Exchanges slices of one rule. Grants only what requests can use, so that no process keeps a rest which is too small for
 * its own requests.
 * @param taken the taken amounts that count now, oldest first
 * @param slotStartsAtMs the slot in which the granted amount counts
 */
export function exchangeSlice(
  taken: readonly RateSlot[],
  { most, needs, returned }: SliceExchange,
  slotStartsAtMs: number,
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
  if (isWhole && needs.length > 0) granted += left / sliceShare
  return { granted, isWhole, taken: granted === 0n ? slots : withChange(slots, slotStartsAtMs, granted) }
}

/** A slot never has less than nothing. A return to a slot that no longer counts changes nothing. */
function withChange(slots: readonly RateSlot[], startsAtMs: number, change: bigint): readonly RateSlot[] {
  const before = slots.find((slot) => slot.startsAtMs === startsAtMs)?.amount ?? 0n
  const amount = before + change
  const others = slots.filter((slot) => slot.startsAtMs !== startsAtMs)
  if (amount <= 0n) return others
  return [...others, { startsAtMs, amount }].toSorted((one, other) => one.startsAtMs - other.startsAtMs)
}
