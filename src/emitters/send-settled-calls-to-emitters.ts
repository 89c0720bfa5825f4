/**
 * Sends an event for every settled call to every enabled emitter, after the charge is recorded. The call does not wait
 * for the event.
 *
 * - Settle: adds the call ID to the queue of each emitter of the call's application and mode. This step costs one
 *   look-up, and writes no row.
 * - Batch: sends the events of up to 100 waiting calls. The events are read from the usage records
 *   (deliver-events-of-emitter.ts).
 * - Mark: stores up to which call the process has tried to send the events to an emitter. The mark is written at most
 *   once a second.
 * - Crash: another process reads the marks of the ended process, and sends the events that were not tried, including
 *   events of recovered calls (backlog-of-earlier-calls.ts). With the embedded store, the next server process reads
 *   the marks.
 *
 * Unless the queue is full, the server therefore tries at least once to send every event. Every attempt has the same
 * idempotency key (docs/decisions/2026-11-22-events-from-records.md).
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { EmitterAmount } from '#domain/emitters/emitter-kinds.ts'
import {
  type Delivery,
  type EmitterNews,
  type EmitterProgress,
  type EnabledEmitter,
  isWanted,
  type ListenedApplication,
  type SignedBatch,
  type UsageEvent,
} from '#domain/emitters/emitter-records-and-ports.ts'
import { type IdSource, suffixFloor } from '#domain/ids-sorted-by-time.ts'
import type { SettleRequest } from '#domain/ledger-interface.ts'
import type { Logger } from '#domain/log-interface.ts'
import { deliver, type Poster } from './deliver-batch.ts'
import { type OpenSecret, secretsOf } from './decrypt-emitter-secrets.ts'
import { signedBatch } from './sign-batch-for-listener.ts'
import { type EmitterFigures, EmitterWorker } from './deliver-events-of-emitter.ts'

export interface EmittersPorts {
  readonly progress: EmitterProgress
  /** Each emitter has its own poster, because emitters do not share connections. */
  readonly newPoster: (organizationId: string) => Poster
  readonly openSecret: OpenSecret
  /** Always the same secret for the same purpose. */
  readonly derivedSecret: (purpose: string) => string
  /** IDs, without prefix, of calls of this process that have not ended. */
  readonly openCallIds: () => Iterable<string>
  /**
   * Whether some ended calls are not settled yet because the store is unavailable. `openCallIds` omits these calls, so
   * no mark is written until the store is available again.
   */
  readonly isLedgerAway: () => boolean
  readonly epoch: number
  /**
   * Whether other processes use the same store. They may change emitters, or may end before all their events are
   * delivered.
   */
  readonly isShared: boolean
  readonly newId: IdSource
  readonly nowMs: () => number
  readonly log: Logger
}

const tickMs = 1_000
/** Number of ticks between two searches for undelivered calls of ended processes. */
const claimTicks = 5
const drainMsMax = 3_000
const marksAtOnce = 200
/**
 * The news of an emitter takes up to seven statements. Other transactions of the control plane wait for the
 * transaction, and a transaction that takes too long is rolled back.
 */
const newsAtOnce = 50

export class Emitters {
  readonly #ports: EmittersPorts
  readonly #workers = new Map<string, EmitterWorker>()
  /** The workers that receive settled calls, by application ID. */
  #told: ReadonlyMap<string, readonly EmitterWorker[]> = new Map()
  #version = -1
  /** Whether this process has changed emitters since `#look` last read them. */
  #isBehind = false
  #ticks = 0
  #timer: NodeJS.Timeout | null = null
  /** The end of a chain of promises, which runs reads and writes of the store one after the other. */
  #turn: Promise<unknown> = Promise.resolve()
  #isTicking = false
  #unsaved: EmitterNews[] = []
  readonly #tests = new AbortController()

  constructor(ports: EmittersPorts) {
    this.#ports = ports
  }

  /** Call this before the process serves the first call, so that a mark exists before any call settles. */
  async start(): Promise<void> {
    await this.#inTurn(() => this.#look())
    await this.#inTurn(() => this.#claim()).catch((err: unknown) => {
      if (!this.#ports.isShared) throw err
      // Let the server start even if a node of a distributed database is unavailable. A later tick tries again to take
      // over the calls of ended processes.
      this.#noteFault(err)
    })
    this.#timer = setInterval(() => void this.#tick(), tickMs)
    this.#timer.unref()
  }

  /** Called when a call has settled and its record is durable. */
  settled({ record }: SettleRequest): void {
    const workers = this.#told.get(record.applicationId)
    if (workers === undefined) return
    for (const worker of workers) if (worker.emitter.mode === record.mode) worker.offer(record.callId)
  }

  /**
   * Called when this process has changed emitters, or when a replay was requested. Never rejects, because the next tick
   * retries failed work.
   */
  async changed(): Promise<void> {
    this.#isBehind = true
    try {
      await this.#inTurn(() => this.#keepUp())
    } catch (err) {
      this.#noteFault(err)
    }
  }

  /** Delivers one event immediately, without a queue, and records the delivery. */
  async deliverSample(emitter: EnabledEmitter, event: UsageEvent): Promise<Omit<Delivery, 'reason'> | null> {
    const { newId, newPoster, nowMs, progress } = this.#ports
    const poster = newPoster(emitter.organizationId)
    try {
      const batch = { id: newId(), emitter, events: [event] }
      const signal = this.#tests.signal
      const delivery = await deliver(batch, secretsOf(emitter, this.#ports), { poster, nowMs, signal })
      if (delivery !== null) {
        const noCounts = {
          mark: null,
          delivered: 0,
          rejected: 0,
          dropped: 0,
          missedFrom: null,
          missedTo: null,
        }
        const deliveries = [{ ...delivery, reason: 'test' as const }]
        await progress.save([{ emitterId: emitter.id, ...noCounts, deliveries }])
      }
      return delivery
    } finally {
      poster.close()
    }
  }

  /** Signs events for listeners of an application and mode. A listener forwards these events to a local server. */
  listenSecret({ applicationId, mode, organizationId }: ListenedApplication): string {
    return `whsec_${this.#ports.derivedSecret(`emitters.listen ${organizationId} ${applicationId} ${mode}`)}`
  }

  /**
   * Returns the events of the calls as a signed batch, for a listener on a developer's computer. Null if no call has
   * settled, or if the listener wants only on-demand usage and no settled call has any.
   */
  async batchOfCalls(
    application: ListenedApplication,
    amount: EmitterAmount,
    callIds: readonly string[],
  ): Promise<SignedBatch | null> {
    const { applicationId, mode } = application
    const settled = await this.#ports.progress.events(applicationId, mode, callIds)
    const events = settled.filter((event) => isWanted({ amount }, event))
    return events.length === 0 ? null : this.batchOf(application, amount, events)
  }

  batchOf(
    application: ListenedApplication,
    amount: EmitterAmount,
    events: readonly UsageEvent[],
  ): SignedBatch {
    const { newId, nowMs } = this.#ports
    const { organizationId } = application
    const signingSecret = this.listenSecret(application)
    return signedBatch({ id: newId(), organizationId, amount, events, signingSecret, nowMs: nowMs() })
  }

  /** Counted since this process loaded each emitter. */
  figures(): readonly EmitterFigures[] {
    return this.#all().map(({ figures }) => figures)
  }

  /** Delivers waiting events for at most three seconds. The next process delivers the remaining events. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#tests.abort()
    const workers = this.#all()
    const ending = new AbortController()
    await Promise.race([
      Promise.all(workers.map((worker) => worker.drain())),
      delay(drainMsMax, null, { signal: ending.signal }).catch(() => {}),
    ])
    ending.abort()
    await Promise.all(workers.map((worker) => worker.stop()))
    await this.#inTurn(() => this.#write()).catch((err: unknown) => this.#noteFault(err))
  }

  #all(): EmitterWorker[] {
    return [...this.#workers.values()]
  }

  async #tick(): Promise<void> {
    if (this.#isTicking) return
    this.#isTicking = true
    try {
      this.#ticks += 1
      if (this.#isBehind) await this.#inTurn(() => this.#keepUp())
      else if (this.#ports.isShared) await this.#inTurn(() => this.#look())
      if (this.#ports.isShared && this.#ticks % claimTicks === 0) await this.#inTurn(() => this.#claim())
      await this.#inTurn(() => this.#write())
    } catch (err) {
      this.#noteFault(err)
    } finally {
      this.#isTicking = false
    }
  }

  #noteFault(err: unknown): void {
    this.#ports.log.warn({ err }, 'storing the progress of emitters failed; retrying')
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => {})
    return turn
  }

  async #keepUp(): Promise<void> {
    await this.#look()
    await this.#claimReplays()
    this.#isBehind = false
  }

  async #look(): Promise<void> {
    const { progress } = this.#ports
    const version = await progress.version()
    if (version === this.#version) return
    const emitters = await progress.enabled()
    const bySince = new Map(emitters.map((emitter) => [emitter.id, emitter.sinceMs]))
    const gone = this.#all().filter(({ emitter }) => bySince.get(emitter.id) !== emitter.sinceMs)
    for (const worker of gone) {
      this.#workers.delete(worker.emitter.id)
      const left = worker.takeNews('', [])
      // The emitter's mark was deleted, or a newer mark was written when the emitter was enabled again.
      if (left !== null) this.#unsaved.push({ ...left, mark: null })
    }
    for (const emitter of emitters) {
      if (this.#workers.has(emitter.id)) continue
      const poster = this.#ports.newPoster(emitter.organizationId)
      const worker = new EmitterWorker(emitter, { ...this.#ports, poster })
      this.#workers.set(emitter.id, worker)
    }
    // From now on, `settled` passes calls to the new workers. Read the marks only after this line, so that no call is
    // missed.
    this.#told = byApplication(this.#all())
    void Promise.all(gone.map((worker) => worker.stop()))
    // An earlier run of this function may have created workers and then failed.
    await this.#begin(this.#all().filter(({ hasBegun }) => !hasBegun))
    this.#version = version
  }

  async #begin(starting: readonly EmitterWorker[]): Promise<void> {
    if (starting.length === 0) return
    const { epoch, nowMs, openCallIds, progress } = this.#ports
    const through = suffixFloor(nowMs())
    const pending = [...openCallIds()]
    const missing = starting.map(({ emitter }) => ({ emitterId: emitter.id, epoch, through, pending }))
    const marks = new Map<string, Awaited<ReturnType<EmitterProgress['marksOf']>>[number]>()
    for (let at = 0; at < missing.length; at += marksAtOnce) {
      // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
      const made = await progress.marksOf(epoch, missing.slice(at, at + marksAtOnce))
      for (const mark of made) marks.set(mark.emitterId, mark)
    }
    for (const worker of starting) {
      const mark = marks.get(worker.emitter.id)
      if (mark !== undefined) worker.catchUp(mark)
    }
  }

  async #claim(): Promise<void> {
    const { epoch, log, progress } = this.#ports
    const ids = [...this.#workers.keys()]
    const marks = await progress.claim(epoch, ids)
    const taken = marks.filter((mark) => this.#workers.get(mark.emitterId)?.takeOver(mark))
    if (taken.length > 0)
      log.info({ marks: taken.length }, 'delivering events of another process that has ended')
    await this.#claimReplays()
  }

  async #claimReplays(): Promise<void> {
    const { epoch, progress } = this.#ports
    for (const replay of await progress.claimReplays(epoch, [...this.#workers.keys()])) {
      this.#workers.get(replay.emitterId)?.replay(replay)
    }
  }

  async #write(): Promise<void> {
    const { isLedgerAway, nowMs, openCallIds } = this.#ports
    if (isLedgerAway()) return
    // Take no further news before the earlier news is saved. A worker keeps its news in little memory.
    await this.#save()
    // During the save, a settle may have failed. The call is then in neither `openCallIds` nor a queue.
    if (isLedgerAway()) return
    const now = suffixFloor(nowMs())
    const open = [...openCallIds()]
    for (const worker of this.#all()) {
      const news = worker.takeNews(now, open)
      if (news !== null) this.#unsaved.push(news)
    }
    await this.#save()
  }

  async #save(): Promise<void> {
    while (this.#unsaved.length > 0) {
      const some = this.#unsaved.slice(0, newsAtOnce)
      // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
      await this.#ports.progress.save(some)
      this.#unsaved = this.#unsaved.slice(some.length)
    }
  }
}

function byApplication(workers: readonly EmitterWorker[]): ReadonlyMap<string, readonly EmitterWorker[]> {
  const grouped = new Map<string, EmitterWorker[]>()
  for (const worker of workers) {
    const { applicationId } = worker.emitter
    grouped.set(applicationId, [...(grouped.get(applicationId) ?? []), worker])
  }
  return grouped
}
