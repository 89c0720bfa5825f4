/** The limits of a process, which follow from the measurements of a short time. The functions are pure. */
export interface Capacity {
  /** Maximum number of requests in flight. Further ones wait. */
  readonly inFlightMax: number
  /** Maximum number of requests that wait. Further ones are rejected. */
  readonly waitingMax: number
  /** Requests that start in a second while others wait. Null if no request has waited yet. */
  readonly startsPerSecond: number | null
}

/** The measurements since the previous ones. */
export interface Measured {
  /** Time of the event loop for one turn, in milliseconds. */
  readonly loopDelayMs: number
  /** Used part of the memory that the engine may use, from 0 to 1. */
  readonly memoryShare: number
  readonly inFlight: number
  /** Requests that started in this time. Null if not all of the time had waiting requests. */
  readonly started: number | null
  readonly elapsedMs: number
}

export interface CapacityBounds {
  /** Lower and upper limit of `inFlightMax`. The process keeps working with the lower one, however slow the machine is. */
  readonly inFlightMin: number
  readonly inFlightMax: number
  /** Lower and upper limit of `waitingMax`. */
  readonly waitingMin: number
  readonly waitingMax: number
  /** If a turn of the loop takes longer, requests in flight become fewer. */
  readonly loopDelayMsMax: number
  /** If more memory is used, requests in flight become fewer. */
  readonly memoryShareMax: number
  /** Time in which a full queue of waiting requests starts. */
  readonly waitMsMax: number
}

export function initialCapacity({ inFlightMax, waitingMax }: CapacityBounds): Capacity {
  return { inFlightMax, waitingMax, startsPerSecond: null }
}

/**
 * Returns the capacity after these measurements. Under pressure, the ceiling falls below the requests in flight in
 * proportion, by a half at most. Without pressure, it rises by a quarter, so 32 steps restore a thousand times as much.
 * Requests in flight are not cut: they end, and fewer start.
 *
 * The queue is as long as the requests that start in `waitMsMax`. A longer one only delays the rejection.
 */
export function nextCapacity(before: Capacity, measured: Measured, bounds: CapacityBounds): Capacity {
  const { loopDelayMsMax, memoryShareMax, waitMsMax } = bounds
  const { elapsedMs, inFlight, loopDelayMs, memoryShare, started } = measured
  const pressure = Math.max(loopDelayMs / loopDelayMsMax, memoryShare / memoryShareMax)
  const inFlightMax =
    pressure > 1
      ? Math.min(before.inFlightMax, inFlight) * Math.max(1 / 2, 1 / pressure)
      : before.inFlightMax * (1 + 1 / 4) + 1
  const startsPerSecond = startsOf(before.startsPerSecond, started, elapsedMs)
  return {
    inFlightMax: within(inFlightMax, bounds.inFlightMin, bounds.inFlightMax),
    waitingMax:
      startsPerSecond === null
        ? bounds.waitingMax
        : within((startsPerSecond * waitMsMax) / 1000, bounds.waitingMin, bounds.waitingMax),
    startsPerSecond,
  }
}

/** A moving mean over about eight measurements. A single slow turn hardly changes it. */
function startsOf(before: number | null, started: number | null, elapsedMs: number): number | null {
  if (started === null || elapsedMs <= 0) return before
  const now = (started * 1000) / elapsedMs
  return before === null ? now : before + (now - before) / 8
}

function within(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, Math.floor(value)))
}
