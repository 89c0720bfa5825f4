/** A slice is the part of a shared limit that one process may spend (enforce-shared-limits.ts). */
import type { SharedScope } from '#domain/limits/shared-limit-slices-interface.ts'
import { maxOf, minOf } from '#money/amount.ts'
import type { RateLimit, RateRule, RateSlot } from '#money/decision-types.ts'
import { amountOf, slotAt } from '#money/rate-limit.ts'

export interface Slice {
  rule: RateRule
  /** Whether the maximum has changed since the last exchange. Nothing is spent from a stale slice. */
  isStale: boolean
  /** Whether an exchange is running or has failed, so that the store may have another amount for this process. */
  isInDoubt: boolean
  /**
   * The amount of each time slot that was taken from the store and is neither spent nor set aside. Negative if requests
   * have spent more than was taken.
   */
  readonly unspent: Map<number, bigint>
  /** The amounts that all processes together had taken at the last exchange. */
  taken: readonly RateSlot[]
  /** The amount that this process's requests in flight have set aside. */
  held: bigint
  /**
   * The time slot whose limit is used up. Until `untilMs` (monotonic clock), requests are rejected without asking the
   * store.
   */
  full: { readonly slotStartsAtMs: number; readonly untilMs: number } | null
}

export interface SetAside {
  readonly slotStartsAtMs: number
  readonly isWhole: boolean
  amount: bigint
}

export function newSlice(rule: RateRule): Slice {
  const empty = { unspent: new Map<number, bigint>(), taken: [], held: 0n, full: null }
  return { rule, isStale: false, isInDoubt: false, ...empty }
}

/** Whether an exchange would change the stored amounts, even if no request waits. */
export function hasChanged({ isInDoubt, rule, unspent }: Slice): boolean {
  return unspent.size > 0 || (isInDoubt && rule.window === null)
}

export function isInUse(slice: Slice): boolean {
  return slice.held !== 0n || hasChanged(slice)
}

/**
 * Call this after a failed exchange. The exchange may nevertheless be committed, so unspent amounts must not be returned
 * again. Amounts above the slices are counted again, because the store would otherwise lack these amounts if the
 * exchange was not committed.
 */
export function keepOverspent(slice: Slice, returned: readonly RateSlot[]): void {
  if (slice.rule.window === null) return
  for (const { amount, startsAtMs } of returned) if (amount < 0n) addUnspent(slice, startsAtMs, amount)
}

export function isFull({ full }: Slice, slotStartsAtMs: number, monotonicMs: number): boolean {
  return full !== null && full.untilMs > monotonicMs && full.slotStartsAtMs === slotStartsAtMs
}

/** A limit on requests in flight has no window and only one slot. */
export function startOf({ window }: RateRule, nowMs: number): number {
  return window === null ? 0 : slotAt(window, nowMs).startsAtMs
}

export function unspentOf({ unspent }: Slice, slotStartsAtMs: number): bigint {
  return unspent.get(slotStartsAtMs) ?? 0n
}

export function addUnspent({ unspent }: Slice, slotStartsAtMs: number, amount: bigint): void {
  const sum = (unspent.get(slotStartsAtMs) ?? 0n) + amount
  if (sum === 0n) unspent.delete(slotStartsAtMs)
  else unspent.set(slotStartsAtMs, sum)
}

/**
 * Returns the limit as the reserve checks it. The remaining amount includes what the request has set aside, so the
 * reserve admits this amount. All other numbers are as of the last exchange with the store, for `requests.explain`.
 */
export function limitOf(
  { held: heldInAll, rule, taken, unspent }: Slice,
  { amount, isWhole }: Pick<SetAside, 'amount' | 'isWhole'>,
  { tag, team }: Pick<SharedScope, 'tag' | 'team'>,
): RateLimit {
  const { measure, models, most, window } = rule
  let spent = amountOf(taken)
  for (const one of unspent.values()) spent -= one
  // A request that did not get its whole amount has used up the limit.
  const all = isWhole && spent < most ? spent : most
  const used = window === null ? 0n : maxOf(all - heldInAll, 0n)
  const slots = firstOf(taken, used)
  const held = all - amount - used
  if (team !== undefined)
    return { measure, models, most, window, source: 'team_limit', slots, held, team: team.slug }
  if (tag !== null) return { measure, models, most, window, source: 'tag_limit', slots, held, tag }
  return { measure, models, most, window, source: 'application_limit', slots, held }
}

/** The amounts of the oldest slots, up to `sum` in total. */
function firstOf(slots: readonly RateSlot[], sum: bigint): readonly RateSlot[] {
  const [only] = slots
  if (only !== undefined && slots.length === 1)
    return sum > 0n ? [{ startsAtMs: only.startsAtMs, amount: sum }] : noSlots
  let left = sum
  const first: RateSlot[] = []
  for (const { amount, startsAtMs } of slots) {
    const part = minOf(amount, left)
    if (part > 0n) first.push({ startsAtMs, amount: part })
    left -= part
  }
  const last = first.pop()
  return last === undefined ? first : [...first, { ...last, amount: last.amount + left }]
}

const noSlots: readonly RateSlot[] = []
