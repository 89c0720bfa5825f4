/** Computes the capacity of a process from measurements, with pure functions. */
export interface Capacity {
  /** Further requests wait. */
  readonly inFlightMax: number
  /** Further requests are rejected. */
  readonly waitingMax: number
  /** Number of requests that start per second while other requests wait. Null if no request has waited recently. */
  readonly startsPerSecond: number | null
}

/** Measurements since the previous step. */
export interface Measured {
  /** Duration of one turn of the event loop. */
  readonly loopDelayMs: number
  /**
   * The part of the loop delay that rejections caused. A lower ceiling of requests in flight would not shorten this
   * part.
   */
  readonly rejectionMs: number
  /** Fraction of the JavaScript heap limit that is in use, from 0 to 1. */
  readonly memoryShare: number
  readonly inFlight: number
  /**
   * Number of requests that started since the previous measurement. Null if there was a time at which no request
   * waited.
   */
  readonly started: number | null
  readonly elapsedMs: number
}

export interface CapacityBounds {
  /**
   * Lowest and, in the next field, highest value of the ceiling `Capacity.inFlightMax`. With the lowest value, a
   * process on a machine of any speed still serves requests.
   */
  readonly inFlightMin: number
  readonly inFlightMax: number
  /** Lowest and, in the next field, highest value of `Capacity.waitingMax`. */
  readonly waitingMin: number
  readonly waitingMax: number
  /** If a turn of the event loop takes longer, the ceiling of requests in flight falls. */
  readonly loopDelayMsMax: number
  /** Above this fraction of memory in use, from 0 to 1, the ceiling of requests in flight falls. */
  readonly memoryShareMax: number
  readonly waitMsEnd: number
}

export function initialCapacity({ inFlightMax, waitingMax }: CapacityBounds): Capacity {
  return { inFlightMax, waitingMax, startsPerSecond: null }
}

/**
 * The process is under pressure if the event loop is slow or much memory is in use. The ceiling `inFlightMax` then
 * falls below the number of requests in flight, in proportion to the pressure. The ceiling never falls below half of
 * the requests in flight. An even lower ceiling would bring no relief, because no request starts anyway. A lower
 * ceiling would only slow down the recovery of a process with many idle streams. Without pressure, the ceiling rises by
 * a quarter per step, so it grows a thousandfold in 32 steps. Requests in flight are never interrupted.
 *
 * The queue holds as many requests as start within two thirds of the maximum wait. A longer queue would only delay
 * rejections. If no request waits for about a second, the queue may reach its maximum length again in the next burst.
 */
export function nextCapacity(before: Capacity, measured: Measured, bounds: CapacityBounds): Capacity {
  const { loopDelayMsMax, memoryShareMax, waitMsEnd } = bounds
  const { inFlight, loopDelayMs, memoryShare, rejectionMs, started } = measured
  const pressure = Math.max((loopDelayMs - rejectionMs) / loopDelayMsMax, memoryShare / memoryShareMax)
  const inFlightMax =
    pressure > 1
      ? Math.min(before.inFlightMax, inFlight * Math.max(1 / 2, 1 / pressure))
      : before.inFlightMax * (1 + 1 / 4) + 1
  const startsPerSecond = startsOf(before.startsPerSecond, measured)
  const startsInWait = startsPerSecond === null ? Infinity : (startsPerSecond * waitMsEnd * waitShare) / 1000
  return {
    inFlightMax: within(inFlightMax, bounds.inFlightMin, bounds.inFlightMax),
    waitingMax: within(startsInWait, bounds.waitingMin, bounds.waitingMax),
    // The speed of an earlier burst must not limit the queue in a new burst.
    startsPerSecond: started === null && startsInWait >= bounds.waitingMax ? null : startsPerSecond,
  }
}

/**
 * Requests that can start per second: a moving average over about eight measurements, so that one slow turn hardly
 * matters. While no request waits, it rises by a quarter per measurement, like the ceiling of requests in flight.
 */
function startsOf(before: number | null, { elapsedMs, started }: Measured): number | null {
  if (elapsedMs <= 0) return before
  if (started === null) return before === null ? null : before * (1 + 1 / 4) + 1
  const now = (started * 1000) / elapsedMs
  return before === null ? now : before + (now - before) / 8
}

/**
 * All requests of a full queue should start within this share of the maximum wait. Some requests start later than their
 * place in the queue suggests, so the share is below 1. Owners take turns, and the process may become slower in the
 * meantime.
 */
export const waitShare = 2 / 3

function within(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, Math.floor(value)))
}
