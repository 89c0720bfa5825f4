import type { HeldBound, RateLimit, RateMeasure } from '#money/decision-types.ts'
import { neededAmount, roomOf, slotAt } from '#money/rate-limit.ts'

/**
 * The rate limit with the smallest remaining amount for one measure, such as requests or tokens. Response headers
 * report this rate limit.
 */
export interface RateRoom {
  readonly measure: RateMeasure
  readonly most: bigint
  /** The amount is never negative. */
  readonly remaining: bigint
  /** When the limit has its full amount again, if no further request arrives. Null means never. */
  readonly fullAtMs: number | null
}

/**
 * Returns, for each measure, the limit with the least remaining amount. If several limits have the same remaining
 * amount, returns the limit that takes longest to be full again. Limits on requests in flight (`calls`) have no window
 * and are omitted.
 * @param limits the rate limits, each with the usage that was counted before this request
 * @param hold the hold of the admitted request; null if the request was rejected
 */
export function rateRooms(
  limits: readonly RateLimit[],
  hold: HeldBound | null,
  nowMs: number,
): readonly RateRoom[] {
  let rooms: RateRoom[] | null = null
  for (const limit of limits) {
    const { held, measure, most, slots, window } = limit
    if (window === null) continue
    const needed = hold === null ? 0n : neededAmount(measure, hold.worstMicros, hold.bound)
    const left = roomOf(limit) - needed
    const remaining = left < 0n ? 0n : left
    const at = rooms === null ? -1 : placeOf(measure, rooms)
    const other: RateRoom | undefined = rooms?.[at]
    if (other !== undefined && remaining > other.remaining) continue
    // A held amount counts in the time slot in which its request settles: the current slot or a later one.
    const lastUseMs = needed > 0n || held > 0n ? nowMs : slots.at(-1)?.startsAtMs
    const fullAtMs = lastUseMs === undefined ? nowMs : slotAt(window, lastUseMs).leavesAtMs
    if (other?.remaining === remaining && (fullAtMs ?? Infinity) <= (other.fullAtMs ?? Infinity)) continue
    const room: RateRoom = { measure, most, remaining, fullAtMs }
    // Create the array with its first item. An array that grows by `push` reserves memory for 17 items, but most
    // requests have limits on only one measure.
    if (rooms === null) rooms = [room]
    else if (at < 0) rooms.push(room)
    else rooms[at] = room
  }
  return rooms ?? noRooms
}

const noRooms: readonly RateRoom[] = []

function placeOf(measure: RateMeasure, rooms: readonly RateRoom[]): number {
  for (let at = 0; at < rooms.length; at += 1) if (rooms[at]?.measure === measure) return at
  return -1
}
