import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Delivery,
  type EmitterMark,
  type EmitterNews,
  type EmitterProgress,
  type EnabledEmitter,
  isToldOf,
  isWanted,
  type Replay,
} from '#domain/emitters/emitter-records-and-ports.ts'
import type { IdSource } from '#domain/ids-sorted-by-time.ts'
import type { Logger } from '#domain/log-interface.ts'
import { deliver, type Poster } from './deliver-batch.ts'
import { type OpenSecret, secretsOf } from './decrypt-emitter-secrets.ts'
import { type Backlog, leftCalls, replayedCalls, slowClockMsMax } from './backlog-of-earlier-calls.ts'

/** Metronome and Stripe accept no larger batches. */
export const batchMax = 100
/** Events beyond this number count as dropped. They remain in the records and can be replayed. */
export const queueMax = 10_000
/**
 * Minimum time between the starts of two batches that are not full. At a thousand calls per second, a fast destination
 * would otherwise get a request for every few events.
 */
const paceMs = 250
const faultPauseMs = 1_000
/**
 * Maximum number of calls that a progress mark lists as pending. If more calls are pending, the mark is set to the last
 * listed call, because all calls after a mark also count as pending.
 */
const pendingMax = 1_000

export interface EmitterFigures {
  readonly emitter: string
  readonly waiting: number
  readonly delivered: number
  readonly failedAttempts: number
  readonly undelivered: number
}

export interface WorkerPorts {
  readonly progress: EmitterProgress
  readonly poster: Poster
  readonly openSecret: OpenSecret
  readonly newId: IdSource
  readonly nowMs: () => number
  readonly log: Logger
  /** The epoch of this process, which identifies it among all server processes. */
  readonly epoch: number
}

/**
 * Delivers the events of one emitter in this process, one batch at a time. A batch contains the calls that settled
 * during the delivery of the previous batch. The first batch after a pause is sent immediately.
 */
export class EmitterWorker {
  readonly emitter: EnabledEmitter
  readonly #ports: WorkerPorts
  readonly #ending = new AbortController()
  /** IDs of settled calls, in the order of settling. The calls before index `#head` are already in a batch. */
  #queue: string[] = []
  #head = 0
  #inFlight: readonly string[] = []
  #backlogs: Backlog[] = []
  /** The ended processes whose marks this worker has taken over. An epoch is never used again. */
  readonly #takenOver = new Set<number>()
  #replayStartedAtMs: number | null = null
  #isBacklogsTurn = false
  #isRunning = false
  #isDraining = false
  #lastBeganMs = -Infinity
  #ended: Promise<void> = Promise.resolve()
  /**
   * The calls that were offered to this worker before it caught up with the calls after the emitter's mark. Null after
   * that. The worker writes marks only when the value is null.
   */
  #known: Set<string> | null = new Set()
  #hasBegun = false
  #isDirty = false
  /** Whether a delivery was attempted since the emitter's mark (its stored progress) was last written. */
  #isFurther = false
  /** Where the newest mark ends. */
  #through = ''
  #news = noNews()
  readonly #totals = { delivered: 0, failedAttempts: 0, undelivered: 0 }

  constructor(emitter: EnabledEmitter, ports: WorkerPorts) {
    this.emitter = emitter
    this.#ports = ports
  }

  /**
   * Whether a mark exists for this emitter and process. The mark determines which earlier calls the worker delivers.
   */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  get waiting(): number {
    return this.#queue.length - this.#head + this.#inFlight.length
  }

  get figures(): EmitterFigures {
    return { emitter: this.emitter.id, waiting: this.waiting, ...this.#totals }
  }

  /** Called when a call has settled. Must be fast, because the call waits for it. Never throws. */
  offer(callId: string): void {
    if (this.#queue.length - this.#head >= queueMax) {
      this.#news.dropped += 1
      this.#totals.undelivered += 1
      this.#miss(callId)
      this.#isDirty = true
      return
    }
    this.#known?.add(callId)
    this.#queue.push(callId)
    this.#wake()
  }

  /**
   * Delivers the calls of this process that settled after the emitter's mark was created and that `offer` never
   * received.
   */
  catchUp(mark: EmitterMark): void {
    this.#hasBegun = true
    this.#through = mark.through
    const known = this.#known ?? new Set()
    this.#add(
      leftCalls(this.#ports.progress, this.emitter, mark, {
        reason: 'settled',
        beforeMs: this.#ports.nowMs() + 1,
        isKnown: (callId) => known.has(callId),
        over: async () => {
          this.#known = null
          this.#isDirty = true
        },
      }),
    )
  }

  /**
   * Delivers the calls that an ended process did not deliver, and then deletes its mark.
   * @returns false, without doing anything, if this worker has taken over the mark before
   */
  takeOver(mark: EmitterMark): boolean {
    if (this.#takenOver.has(mark.epoch)) return false
    this.#takenOver.add(mark.epoch)
    const { progress } = this.#ports
    const over = (): Promise<void> => progress.dropMark(mark)
    this.#add(leftCalls(progress, this.emitter, mark, { reason: 'taken_over', over }))
    return true
  }

  /** Does nothing if the replay is already running. */
  replay(replay: Replay): void {
    if (this.#replayStartedAtMs === replay.startedAtMs) return
    this.#backlogs = this.#backlogs.filter(({ reason }) => reason !== 'replay')
    this.#replayStartedAtMs = replay.startedAtMs
    this.#add(replayedCalls(this.#ports.progress, this.emitter, replay, this.#ports.nowMs))
  }

  /**
   * @param now a string that sorts after every call ID of this process, except call IDs of the same millisecond
   * @param open IDs of calls that may still settle
   */
  takeNews(now: string, open: readonly string[]): EmitterNews | null {
    // If the clock was set back, the IDs of new calls may sort before the end of the mark, so the mark must end earlier.
    if (now !== '' && now < this.#through) this.#isDirty = this.#isFurther = true
    if (!this.#isDirty) return null
    const { delivered, deliveries, dropped, missedFrom, missedTo, rejected } = this.#news
    const isFurther = this.#isFurther && this.#known === null
    this.#news = noNews()
    this.#isDirty = false
    if (isFurther) this.#isFurther = false
    return {
      emitterId: this.emitter.id,
      mark: isFurther ? this.#mark(now, open) : null,
      delivered,
      rejected,
      dropped,
      deliveries,
      missedFrom,
      missedTo,
    }
  }

  /** Delivers the waiting events, but not the backlogs of earlier calls. Resolves when no event is waiting. */
  async drain(): Promise<void> {
    this.#isDraining = true
    this.#isDirty = true
    this.#isFurther = true
    this.#wake()
    while (this.waiting > 0 && !this.#ending.signal.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- more events may have arrived in the meantime
      await this.#ended
    }
  }

  /** Aborts the delivery in progress. Its events remain pending, even if the destination has received them. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#ended
    this.#ports.poster.close()
  }

  #mark(now: string, open: readonly string[]): EmitterMark {
    const all = [...open, ...this.#inFlight, ...this.#queue.slice(this.#head)]
    const sorted = all.filter((callId) => callId <= now).toSorted()
    // A call that has just settled can be in both the queue and the list of open calls.
    const pending = sorted.slice(0, pendingMax).filter((callId, i) => callId !== sorted[i - 1])
    const through = sorted.length > pendingMax ? (pending.at(-1) ?? now) : now
    this.#through = through
    return { emitterId: this.emitter.id, epoch: this.#ports.epoch, through, pending }
  }

  #add(backlog: Backlog): void {
    this.#backlogs.push(backlog)
    this.#wake()
  }

  #wake(): void {
    if (this.#isRunning || this.#ending.signal.aborted) return
    this.#isRunning = true
    this.#ended = this.#run()
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    try {
      // oxlint-disable no-await-in-loop -- one batch after the other
      while (!signal.aborted) {
        try {
          if (!(await this.#step(signal))) return
        } catch (err) {
          if (signal.aborted) return
          this.#ports.log.warn({ err, emitter: this.emitter.id }, 'emitter failed; retrying')
          await pause(faultPauseMs, signal)
        }
      }
      // oxlint-enable no-await-in-loop
    } finally {
      this.#isRunning = false
      // A call may have been added after the last check, while `#isRunning` was still true.
      if (!signal.aborted && this.#hasMore()) this.#wake()
    }
  }

  #hasMore(): boolean {
    return this.waiting > 0 || (!this.#isDraining && this.#backlogs.length > 0)
  }

  async #step(signal: AbortSignal): Promise<boolean> {
    const [backlog] = this.#isDraining ? [] : this.#backlogs
    const hasQueued = this.#head < this.#queue.length
    if (backlog !== undefined && (this.#isBacklogsTurn || !hasQueued)) {
      this.#isBacklogsTurn = false
      await this.#attemptBacklog(backlog)
      return true
    }
    if (!hasQueued) return false
    await this.#keepPace(signal)
    if (signal.aborted) return false
    this.#isBacklogsTurn = true
    this.#inFlight = this.#take()
    // After an aborted delivery, the outcome is null and the calls remain pending.
    if ((await this.#attempt(this.#inFlight, 'queued')) !== null) this.#inFlight = []
    return true
  }

  async #keepPace(signal: AbortSignal): Promise<void> {
    const isFull = this.#queue.length - this.#head >= batchMax
    const waitMs = this.#lastBeganMs + paceMs - performance.now()
    if (waitMs > 0 && !isFull && !this.#isDraining) await pause(waitMs, signal)
    this.#lastBeganMs = performance.now()
  }

  #take(): readonly string[] {
    const taken = this.#queue.slice(this.#head, this.#head + batchMax)
    this.#head += taken.length
    if (this.#head === this.#queue.length || this.#head > queueMax) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    return taken
  }

  async #attemptBacklog(backlog: Backlog): Promise<void> {
    const callIds = await backlog.take(batchMax)
    if (callIds.length === 0) {
      await backlog.over()
      this.#remove(backlog)
      return
    }
    const outcome = await this.#attempt(callIds, backlog.reason)
    if (outcome !== null && !(await backlog.attempted(outcome))) this.#remove(backlog)
  }

  #remove(backlog: Backlog): void {
    this.#backlogs = this.#backlogs.filter((other) => other !== backlog)
    if (backlog.reason === 'replay') this.#replayStartedAtMs = null
  }

  /**
   * If the store or this program fails, tries again until the worker stops.
   * @returns null if the worker has stopped; the outcome is then unknown
   */
  async #attempt(
    callIds: readonly string[],
    from: 'queued' | Backlog['reason'],
  ): Promise<{ readonly events: number; readonly failure: string | null } | null> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- retries only after a fault
        const outcome = await this.#attemptOnce(callIds, from, signal)
        this.#isDirty = true
        this.#isFurther = true
        return outcome
      } catch (err) {
        if (signal.aborted) return null
        this.#ports.log.warn({ err, emitter: this.emitter.id }, 'emitter failed; retrying')
        // oxlint-disable-next-line no-await-in-loop -- as above
        await pause(faultPauseMs, signal)
      }
    }
    return null
  }

  async #attemptOnce(
    callIds: readonly string[],
    from: 'queued' | Backlog['reason'],
    signal: AbortSignal,
  ): Promise<{ readonly events: number; readonly failure: string | null } | null> {
    const { newId, nowMs, poster, progress } = this.#ports
    // Another process may have changed, disabled or deleted the emitter.
    const emitter = await progress.byId(this.emitter.id)
    if (emitter === null || !emitter.isEnabled) return { events: 0, failure: 'the emitter is disabled' }
    const recorded = await progress.events(emitter.applicationId, emitter.mode, callIds)
    // This process queues a call only after the emitter was enabled. Do not compare the times of a queued call, because
    // the clock may have been set back since the emitter was enabled.
    const isSame = emitter.sinceMs === this.emitter.sinceMs
    const isOfThisEmitter = from === 'queued' && isSame
    const sinceMs = from === 'taken_over' && isSame ? emitter.sinceMs - slowClockMsMax : emitter.sinceMs
    const { mode } = emitter
    const events = recorded.filter(
      (event) =>
        isWanted(emitter, event) &&
        (from === 'replay' || isOfThisEmitter || isToldOf({ mode, sinceMs }, event)),
    )
    if (events.length === 0) return { events: 0, failure: null }
    const batch = { id: newId(), emitter, events }
    const delivery = await deliver(batch, secretsOf(emitter, this.#ports), { poster, nowMs, signal })
    if (delivery === null) return null
    this.#note({ ...delivery, reason: from === 'replay' ? 'replay' : 'settled' })
    return { events: events.length, failure: delivery.failure }
  }

  #note(delivery: Delivery): void {
    this.#news.deliveries.push(delivery)
    // The store keeps only this number of deliveries, so drop the oldest.
    if (this.#news.deliveries.length > deliveriesMax) this.#news.deliveries.shift()
    const { attempts, callIds, isDelivered, reason } = delivery
    this.#totals.failedAttempts += attempts - (isDelivered ? 1 : 0)
    this.#totals[isDelivered ? 'delivered' : 'undelivered'] += callIds.length
    if (isDelivered) this.#news.delivered += callIds.length
    else this.#news.rejected += callIds.length
    // A failed replay does not change which calls count as missed.
    if (!isDelivered && reason === 'settled') for (const callId of callIds) this.#miss(callId)
  }

  #miss(callId: string): void {
    const news = this.#news
    if (news.missedFrom === null || callId < news.missedFrom) news.missedFrom = callId
    if (news.missedTo === null || callId > news.missedTo) news.missedTo = callId
  }
}

const deliveriesMax = 200

interface News {
  delivered: number
  rejected: number
  dropped: number
  readonly deliveries: Delivery[]
  missedFrom: string | null
  missedTo: string | null
}

function noNews(): News {
  return { delivered: 0, rejected: 0, dropped: 0, deliveries: [], missedFrom: null, missedTo: null }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, null, { signal }).catch(() => {})
}
