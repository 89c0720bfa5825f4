import type { HeldBound, RateLimit, RateMeasure, RateWindow } from '#money/decision-types.ts'
import { admittedAmounts, amountOf, heldAmount, slotAt } from '#money/rate-limit.ts'

/**
 * The rate limit with the smallest remaining amount for one measure, such as requests or tokens. Response headers
 * report this limit.
 */
export interface RateRoom {
  readonly measure: RateMeasure
  readonly most: bigint
  /** The remaining amount, never negative. */
  readonly remaining: bigint
  /** When the limit has its full amount again, if no further request arrives. Null means never. */
  readonly fullAtMs: number | null
}

/**
 * Returns, for each measure, the limit with the least remaining amount. If the remaining amounts of several limits are
 * equal, returns the limit that takes longest to be full again. Requests in flight (`calls`) have no window and are
 * omitted.
 * @param limits limits with the usage counted before this request
 * @param hold the hold of the admitted request; null if the request was rejected
 */
export function rateRooms(
  limits: readonly RateLimit[],
  hold: HeldBound | null,
  nowMs: number,
): readonly RateRoom[] {
  let tightest: RateRoom[] | null = null
  for (const limit of limits) {
    const { window } = limit
    if (window === null) continue
    const room = roomOf(limit, window, hold, nowMs)
    // Nearly all limits of a request are on the same measure. An array that grows reserves memory for 17 items.
    if (tightest === null) tightest = [room]
    else keepTightest(tightest, room)
  }
  return tightest ?? noRooms
}

const noRooms: readonly RateRoom[] = []

function keepTightest(tightest: RateRoom[], room: RateRoom): void {
  const at = tightest.findIndex(({ measure }) => measure === room.measure)
  const other = tightest[at]
  if (other === undefined) tightest.push(room)
  else if (isTighter(room, other)) tightest[at] = room
}

function roomOf(
  { held, measure, most, slots }: RateLimit,
  window: RateWindow,
  hold: HeldBound | null,
  nowMs: number,
): RateRoom {
  const inFlight = held + (hold === null ? 0n : heldAmount(measure, hold))
  const counted = hold === null ? 0n : (admittedAmounts[measure] ?? 0n)
  const remaining = most - amountOf(slots) - inFlight - counted
  const last = slots.at(-1)
  // A held amount will count in the time slot in which its request settles, which is the current slot or a later one.
  const lastUseMs = inFlight + counted > 0n ? nowMs : last?.startsAtMs
  return {
    measure,
    most,
    remaining: remaining < 0n ? 0n : remaining,
    fullAtMs: lastUseMs === undefined ? nowMs : slotAt(window, lastUseMs).leavesAtMs,
  }
}

function isTighter(room: RateRoom, other: RateRoom): boolean {
  if (room.remaining !== other.remaining) return room.remaining < other.remaining
  return (room.fullAtMs ?? Infinity) > (other.fullAtMs ?? Infinity)
}
