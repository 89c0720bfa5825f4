import { type Capacity, type CapacityBounds, initialCapacity, nextCapacity } from './adjust-limits-to-load.ts'
import { FairQueue } from './fair-queue.ts'
import { type Rest, RestingConnections } from './resting-connections.ts'
import { SpreadRejections } from './spread-rejections-over-turns.ts'

/**
 * Decides when a request at a gateway starts: now, later, or not at all. A request starts now if the process has
 * capacity and no other request waits. The check is synchronous and needs no promise and no timer.
 *
 * In each turn of the event loop, `startsPerTurn` waiting requests start, and more if rejections take most of the time.
 * Between two turns, the process works on requests in flight, the control plane and `/health`. A burst of requests
 * delays that other work by at most one turn.
 */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #ports: AdmissionPorts
  readonly #queue = new FairQueue<Waiting>()
  readonly #resting: RestingConnections
  readonly #rejections: SpreadRejections<WaitingRequest>
  #capacity: Capacity
  #inFlight = 0
  /** The turn of the event loop in which requests last started. */
  #turn = -1
  #startedInTurn = 0
  #isPumpDue = false
  #pumpedAtMs = 0
  #started = 0
  #hasWaitedThroughout = false
  #refused = 0
  /** In milliseconds: since the queue last started requests, since the last measurement, and as a moving average. */
  #rejectionMs = { sincePump: 0, sinceSample: 0, average: 0 }
  #isClosed = false
  #sampledAtMs = 0
  #sampler: NodeJS.Timeout | null = null

  constructor(limits: AdmissionLimits, ports: AdmissionPorts) {
    this.#limits = limits
    this.#ports = ports
    this.#resting = new RestingConnections(ports.monotonicMs)
    this.#rejections = new SpreadRejections(limits.rejectionsPerTurn, ports.turn, (one) => this.#refuse(one))
    this.#capacity = initialCapacity(limits)
  }

  figures(): AdmissionFigures {
    return {
      inFlight: this.#inFlight,
      inFlightMax: this.#capacity.inFlightMax,
      waiting: this.#queue.length,
      refused: this.#refused,
    }
  }

  /**
   * If the result is true, `ended` must be called once.
   * @param isEarly as in `wait`
   * @returns false if the request must wait
   */
  startsNow(applicationId: string, isEarly = false): boolean {
    if (this.#isClosed) {
      this.#inFlight += 1
      return true
    }
    if (isEarly) return false
    if (this.#sampler === null) this.#measureFromNow()
    if (this.#queue.length > 0 || this.#inFlight >= this.#capacity.inFlightMax) return false
    if (this.#ports.isStoreBusy(applicationId)) return false
    const turn = this.#ports.turn()
    if (turn !== this.#turn) {
      this.#turn = turn
      this.#startedInTurn = 0
    }
    if (this.#startedInTurn >= this.#limits.startsPerTurn) return false
    this.#startedInTurn += 1
    this.#inFlight += 1
    this.#started += 1
    return true
  }

  /**
   * @param path the organization, the application and the end user of the request
   * @param withinMs maximum time that the request may wait
   */
  wait(path: readonly string[], withinMs: number, request: WaitingRequest): void {
    if (request.isEarly) {
      this.#rejections.add(request)
      return
    }
    if (this.#queue.length >= this.#waitingMax) {
      const dropped = this.#queue.makeRoom(path) ?? null
      if (dropped === null) {
        this.#rejections.add(request)
        return
      }
      this.#rejections.add(dropped.request)
    }
    const untilMs = this.#ports.monotonicMs() + Math.min(withinMs, this.#limits.waitMsEnd)
    this.#queue.add(path, { untilMs, request })
    this.#pumpLater()
  }

  ended(): void {
    this.#inFlight -= 1
    if (this.#queue.length > 0) this.#pumpLater()
  }

  /** Starts all waiting and later requests immediately, so that the stopping server can reject each of them. */
  close(): void {
    this.#isClosed = true
    if (this.#sampler !== null) clearInterval(this.#sampler)
    for (let next = this.#queue.take(); next !== undefined; next = this.#queue.take()) this.#start(next)
    this.#rejections.rejectAll()
    this.#resting.endAll()
  }

  /**
   * The queue is short while connections rest. A request on a resting connection has already waited, so it should not
   * wait long again.
   */
  get #waitingMax(): number {
    const { waitingMax } = this.#capacity
    return this.#resting.count === 0 ? waitingMax : Math.min(waitingMax, 2 * this.#waitingMin)
  }

  /** If fewer requests are in the queue, requests are read from resting connections. */
  get #waitingMin(): number {
    const { waitingMax } = this.#capacity
    return Math.min(waitingMax, Math.max(2 * this.#limits.startsPerTurn, Math.floor(waitingMax / 16)))
  }

  #readResting(nowMs: number): void {
    const startsNow = this.#queue.length > 0 ? 0 : this.#capacity.inFlightMax - this.#inFlight
    const most = Math.max(
      this.#waitingMin - this.#queue.length,
      Math.min(startsNow, this.#limits.startsPerTurn),
    )
    this.#resting.readNewest(most, nowMs - this.#limits.waitMsEnd)
  }

  #pumpLater(): void {
    if (this.#isPumpDue || this.#inFlight >= this.#capacity.inFlightMax) return
    this.#isPumpDue = true
    setImmediate(() => {
      this.#isPumpDue = false
      this.#pump()
    })
  }

  #pump(): void {
    let places = Math.min(this.#startsOfTurn(), this.#capacity.inFlightMax - this.#inFlight)
    const nowMs = this.#ports.monotonicMs()
    const isBlocked = this.#blockedApplications()
    let mayStartMore = true
    while (places > 0) {
      const next = this.#queue.take(isBlocked)
      if (next === undefined) {
        mayStartMore = false
        break
      }
      if (next.request.isGone()) continue
      if (nowMs > next.untilMs) this.#rejections.add(next.request)
      else {
        this.#start(next)
        places -= 1
      }
    }
    this.#readResting(nowMs)
    // If all waiting requests are blocked, the end of a request in flight or the next measurement starts some of them.
    if (mayStartMore && this.#queue.length > 0) this.#pumpLater()
  }

  /** The store is asked once for each application, because its answer changes only between turns. */
  #blockedApplications(): (applicationId: string) => boolean {
    const known = new Map<string, boolean>()
    return (applicationId) => {
      const isBlocked = known.get(applicationId) ?? this.#ports.isStoreBusy(applicationId)
      known.set(applicationId, isBlocked)
      return isBlocked
    }
  }

  /**
   * Number of requests that may start in this turn of the event loop. If rejections take most of the time, requests get
   * a larger share of the time through more starts in each turn. Without many rejections, more starts would only make
   * turns longer.
   */
  #startsOfTurn(): number {
    const { startsPerTurn } = this.#limits
    const nowMs = this.#ports.monotonicMs()
    const rejectionMs = this.#rejectionMs.sincePump
    const otherMs = Math.max(0, nowMs - this.#pumpedAtMs - rejectionMs)
    this.#pumpedAtMs = nowMs
    this.#rejectionMs.sincePump = 0
    if (rejectionMs <= otherMs * rejectionsByOther) return startsPerTurn
    return Math.floor(startsPerTurn * Math.min(longTurnFactor, rejectionMs / (otherMs * rejectionsByOther)))
  }

  #start({ request }: Waiting): void {
    this.#inFlight += 1
    this.#started += 1
    request.start()
  }

  #refuse(request: WaitingRequest): void {
    const startedMs = this.#ports.monotonicMs()
    this.#refused += 1
    const restsUntilMs = this.#resting.nextEndMs(startedMs, this.#rejectionMs.average)
    const rest = request.refuse(restsUntilMs - startedMs)
    if (rest !== null && !this.#isClosed) this.#resting.add(rest, restsUntilMs)
    this.#ports.onRefused(this.figures())
    const tookMs = (this.#ports.monotonicMs() - startedMs) * wholeRejection
    this.#rejectionMs.sincePump += tookMs
    this.#rejectionMs.sinceSample += tookMs
    this.#rejectionMs.average += (tookMs - this.#rejectionMs.average) / 64
  }

  #measureFromNow(): void {
    this.#sampledAtMs = this.#ports.monotonicMs()
    this.#sampler = setInterval(() => this.#measure(), sampleMs).unref()
  }

  #measure(): void {
    const nowMs = this.#ports.monotonicMs()
    const elapsedMs = nowMs - this.#sampledAtMs
    this.#sampledAtMs = nowMs
    const isWaiting = this.#queue.length > 0
    this.#capacity = nextCapacity(
      this.#capacity,
      {
        // Turns of the event loop delay the timer by about their duration.
        loopDelayMs: Math.max(0, elapsedMs - sampleMs),
        rejectionMs: this.#rejectionMs.sinceSample,
        memoryShare: this.#ports.memoryShare(),
        inFlight: this.#inFlight,
        started: isWaiting && this.#hasWaitedThroughout ? this.#started : null,
        elapsedMs,
      },
      this.#limits,
    )
    this.#hasWaitedThroughout = isWaiting
    this.#started = 0
    this.#rejectionMs.sinceSample = 0
    // A request that arrived just before the end of its connection's rest is first read like other recent requests.
    this.#readResting(nowMs)
    this.#resting.endDue(nowMs)
    if (!isWaiting) return
    for (const { request } of this.#queue.removeAll(({ untilMs }) => nowMs > untilMs))
      this.#rejections.add(request)
    this.#pumpLater()
  }
}

const sampleMs = 50

/**
 * Maximum ratio of the time for rejections to the time for all other work. Above this ratio, more requests start in
 * each turn (`#startsOfTurn`).
 */
const rejectionsByOther = 3
/** While many requests are rejected, this factor multiplies `startsPerTurn`. */
export const longTurnFactor = 4
/**
 * This factor multiplies the measured time of a rejection. The measured time does not include reading the rejected
 * request, which takes about as long as the rejection.
 */
const wholeRejection = 2

export interface AdmissionLimits extends CapacityBounds {
  /** Maximum number of requests that start in one turn of the event loop. */
  readonly startsPerTurn: number
  /** If more requests are rejected in one turn of the event loop, most of them are rejected in later turns. */
  readonly rejectionsPerTurn: number
}

export interface AdmissionPorts {
  readonly monotonicMs: () => number
  /** Number of the current turn of the event loop. */
  readonly turn: () => number
  /** Fraction of the JavaScript heap limit that is in use, from 0 to 1. */
  readonly memoryShare: () => number
  /**
   * Whether so many operations of the application wait in the store that a request would wait long for its commits. No
   * request of the application then starts. The delay of the event loop does not show this, because the store works on
   * other threads or machines.
   */
  readonly isStoreBusy: (applicationId: string) => boolean
  readonly onRefused: (figures: AdmissionFigures) => void
}

export interface AdmissionFigures {
  readonly inFlight: number
  readonly inFlightMax: number
  readonly waiting: number
  readonly refused: number
}

/** Exactly one of `start` and `refuse` is called, unless the client has disconnected. */
interface WaitingRequest {
  readonly isGone: () => boolean
  /** `ended` must be called once, when the request has ended. */
  readonly start: () => void
  /**
   * Whether the request arrived while its connection rested, and the rest has ended. The request is rejected, even if
   * the process has capacity again. Otherwise, some requests would be served after five seconds. The client of a
   * request that has waited for so long may have given up.
   */
  readonly isEarly: boolean
  /**
   * @param waitMs minimum time before the client's next request
   * @returns lets the connection rest; null if the connection must not rest
   */
  readonly refuse: (waitMs: number) => Rest | null
}

interface Waiting {
  /** The time is that of the monotonic clock. */
  readonly untilMs: number
  readonly request: WaitingRequest
}
