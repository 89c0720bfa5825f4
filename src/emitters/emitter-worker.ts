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
} from '#domain/emitters.ts'
import type { IdSource } from '#domain/id.ts'
import type { Logger } from '#domain/log.ts'
import { deliver, type Poster } from './deliver.ts'
import { type OpenSecret, secretsOf } from './emitter-secrets.ts'
import { type Backlog, leftCalls, replayedCalls } from './left-calls.ts'

/** Events of a batch: Metronome and Stripe take no more. */
export const batchMax = 100
/** Events that wait for an emitter; what settles beyond is counted as dropped, and stays in the records. */
export const queueMax = 10_000
/**
 * The least time between the beginnings of two batches that are not full. A batch costs a request, and at a thousand
 * calls a second a destination nearby would get one for every few events.
 */
const paceMs = 250
/** After a fault of the store or of this program. */
const faultPauseMs = 1_000
/** Calls that a mark names as pending; a mark with more of them ends earlier. */
const pendingMax = 1_000

export interface EmitterFigures {
  /** Id of the emitter. */
  readonly emitter: string
  /** Events that wait or are under way. */
  readonly waiting: number
  readonly delivered: number
  readonly failedAttempts: number
  /** Events that were not accepted, or dropped. */
  readonly undelivered: number
}

export interface WorkerPorts {
  readonly progress: EmitterProgress
  readonly poster: Poster
  readonly openSecret: OpenSecret
  readonly newId: IdSource
  readonly nowMs: () => number
  readonly log: Logger
  /** Of this process. */
  readonly epoch: number
}

/**
 * One emitter in this process: the calls that wait for it, and one batch at a time. A batch is what has settled while
 * the one before was under way; the first after a pause goes at once.
 */
export class EmitterWorker {
  readonly emitter: EnabledEmitter
  readonly #ports: WorkerPorts
  readonly #ending = new AbortController()
  /** Ids of settled calls; those before `#head` are taken. */
  #queue: string[] = []
  #head = 0
  #inFlight: readonly string[] = []
  #backlogs: Backlog[] = []
  #replayStartedAtMs: number | null = null
  #isBacklogsTurn = false
  #isRunning = false
  #isDraining = false
  #lastBeganMs = -Infinity
  #ended: Promise<void> = Promise.resolve()
  /** Settled here before the marks were read; null: that is done, and marks may be written. */
  #known: Set<string> | null = new Set()
  #hasBegun = false
  #isDirty = false
  /** Something was attempted since the last mark. */
  #isFurther = false
  #news = noNews()
  readonly #totals = { delivered: 0, failedAttempts: 0, undelivered: 0 }

  constructor(emitter: EnabledEmitter, ports: WorkerPorts) {
    this.emitter = emitter
    this.#ports = ports
  }

  /** Whether it knows from where on it attempts what this process has settled. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** Events that wait or are under way. */
  get waiting(): number {
    return this.#queue.length - this.#head + this.#inFlight.length
  }

  get figures(): EmitterFigures {
    return { emitter: this.emitter.id, waiting: this.waiting, ...this.#totals }
  }

  /** A call has settled. Never throws, and does next to nothing: its time is the call's. */
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

  /** Attempts what this process has settled since its mark was made and `offer` was not told of. */
  catchUp(mark: EmitterMark): void {
    this.#hasBegun = true
    const known = this.#known ?? new Set()
    this.#add(
      leftCalls(this.#ports.progress, this.emitter, mark, {
        beforeMs: this.#ports.nowMs() + 1,
        isKnown: (callId) => known.has(callId),
        over: async () => {
          this.#known = null
          this.#isDirty = true
        },
      }),
    )
  }

  /** Attempts what a process that is gone has left, and then deletes its mark. */
  takeOver(mark: EmitterMark): void {
    const { progress } = this.#ports
    this.#add(leftCalls(progress, this.emitter, mark, { over: () => progress.dropMark(mark) }))
  }

  /** Sends again; nothing, where it is at it already. */
  replay(replay: Replay): void {
    if (this.#replayStartedAtMs === replay.startedAtMs) return
    this.#backlogs = this.#backlogs.filter(({ reason }) => reason !== 'replay')
    this.#replayStartedAtMs = replay.startedAtMs
    this.#add(replayedCalls(this.#ports.progress, this.emitter, replay, this.#ports.nowMs))
  }

  /**
   * What there is to write, and null when there is nothing.
   * @param now sorts behind every call id of this process but those of this very millisecond
   * @param open ids of calls that may still settle
   */
  takeNews(now: string, open: readonly string[]): EmitterNews | null {
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

  /** Sends what waits, without backlogs, and resolves when nothing waits. */
  async drain(): Promise<void> {
    this.#isDraining = true
    this.#isDirty = true
    this.#isFurther = true
    this.#wake()
    while (this.waiting > 0 && !this.#ending.signal.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- more may have come meanwhile
      await this.#ended
    }
  }

  /** Gives up what is under way, which then counts as not attempted. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#ended
    this.#ports.poster.close()
  }

  #mark(now: string, open: readonly string[]): EmitterMark {
    const all = [...open, ...this.#inFlight, ...this.#queue.slice(this.#head)]
    const sorted = all.filter((callId) => callId <= now).toSorted()
    // A call that has settled may be open still.
    const pending = sorted.slice(0, pendingMax).filter((callId, i) => callId !== sorted[i - 1])
    const through = sorted.length > pendingMax ? (pending.at(-1) ?? now) : now
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
          this.#ports.log.warn({ err, emitter: this.emitter.id }, 'an emitter could not go on; trying again')
          await pause(faultPauseMs, signal)
        }
      }
      // oxlint-enable no-await-in-loop
    } finally {
      this.#isRunning = false
      // Something may have come after the last look, when this still counted as running.
      if (!signal.aborted && this.#hasMore()) this.#wake()
    }
  }

  #hasMore(): boolean {
    return this.waiting > 0 || (!this.#isDraining && this.#backlogs.length > 0)
  }

  /** @returns false: there is nothing to do */
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
    // Null: it is given up, and stays pending.
    if ((await this.#attempt(this.#inFlight, 'settled')) !== null) this.#inFlight = []
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

  /** One batch, as soon as the store answers. @returns null: this ends, and it is not known what became of it */
  async #attempt(
    callIds: readonly string[],
    reason: 'settled' | 'replay',
  ): Promise<{ readonly events: number; readonly failure: string | null } | null> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- again only after a fault
        const outcome = await this.#attemptOnce(callIds, reason, signal)
        this.#isDirty = true
        this.#isFurther = true
        return outcome
      } catch (err) {
        if (signal.aborted) return null
        this.#ports.log.warn({ err, emitter: this.emitter.id }, 'an emitter could not go on; trying again')
        // oxlint-disable-next-line no-await-in-loop -- the same
        await pause(faultPauseMs, signal)
      }
    }
    return null
  }

  async #attemptOnce(
    callIds: readonly string[],
    reason: 'settled' | 'replay',
    signal: AbortSignal,
  ): Promise<{ readonly events: number; readonly failure: string | null } | null> {
    const { newId, nowMs, poster, progress } = this.#ports
    // As it is now: another process may have changed, disabled or removed it.
    const emitter = await progress.byId(this.emitter.id)
    if (emitter === null || !emitter.isEnabled) return { events: 0, failure: 'the emitter is disabled' }
    const recorded = await progress.events(emitter.applicationId, emitter.mode, callIds)
    const events = recorded.filter(
      (event) => isWanted(emitter, event) && (reason === 'replay' || isToldOf(emitter, event)),
    )
    if (events.length === 0) return { events: 0, failure: null }
    const batch = { id: newId(), emitter, events }
    const delivery = await deliver(batch, secretsOf(emitter, this.#ports), { poster, nowMs, signal })
    if (delivery === null) return null
    this.#note({ ...delivery, reason })
    return { events: events.length, failure: delivery.failure }
  }

  #note(delivery: Delivery): void {
    this.#news.deliveries.push(delivery)
    // The store keeps no more of them.
    if (this.#news.deliveries.length > deliveriesMax) this.#news.deliveries.shift()
    const { attempts, callIds, isDelivered, reason } = delivery
    this.#totals.failedAttempts += attempts - (isDelivered ? 1 : 0)
    this.#totals[isDelivered ? 'delivered' : 'undelivered'] += callIds.length
    if (isDelivered) this.#news.delivered += callIds.length
    else this.#news.rejected += callIds.length
    // A replay that fails changes nothing about what was missed before.
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
