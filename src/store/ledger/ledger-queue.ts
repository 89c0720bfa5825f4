/**
 * Implements the `Ledger` port over a storage engine. Many operations share a commit. Operations that arrive during a
 * commit, or in the next turns of the event loop, join the next commit (when-to-start-batch.ts).
 *
 * If the store is unavailable, operations that begin something (reserve, extend, grant) are rejected immediately.
 * Operations that end a call (settle, release) or continue a grant are kept and retried until the store accepts them.
 * While the process runs, every hold is therefore settled or released eventually.
 */
import {
  type BackgroundRequest,
  type CheckpointRequest,
  type ClearMonthRequest,
  type CompleteRequest,
  type CreditRequest,
  type CreditResult,
  type ExtendRequest,
  type ExtendResult,
  type Ledger,
  type LateUsageRequest,
  type LateUsageResult,
  type RedirectRequest,
  type RefundRequest,
  type RefundResult,
  type ReleaseRequest,
  type RequestRecord,
  type ReserveRequest,
  type ReserveResult,
  type SettleRequest,
  type SettleResult,
  settleWaitMs,
  StoreUnavailable,
} from '#domain/ledger-interface.ts'
import type { GrantTerms } from './state-types.ts'
import type { UnfinishedGrant } from './issue-grant.ts'
import { faultOf } from './operation-fault.ts'
import { LockedOperations } from './operations-of-locked-end-users.ts'
import type { RecoverResult } from './recover-call-of-dead-process.ts'
import { creditInSteps, isLargeGrant, partsOfGrant } from './steps-of-large-grant.ts'
import {
  awayReason,
  backoffMs,
  isReserved,
  LedgerStopped,
  riderOf,
  runOn,
  tellOverdue,
  tellWatch,
  type QueueOptions,
  type QueueWatch,
  type Waiting,
} from './ledger-queue-options.ts'
import {
  batchMax,
  Gathering,
  type QueueClock,
  systemClock,
  waitingOfBusyLedger,
} from './when-to-start-batch.ts'
import { fairBatch, isShareUsed } from './choose-operations-of-batch.ts'
import type { BatchAnswer, LedgerEngine, Operation, OperationResult } from './operations-and-results.ts'

/** Maximum number of checkpoints that a batch contains in addition to its operations. */
const riders = 128
/** Maximum number of waiting records of rejected calls. Further records are dropped, unlike all other operations. */
const recordsMax = 10_000

export class LedgerQueue implements Ledger {
  readonly #engine: LedgerEngine
  readonly #backoffMs: (attempt: number) => number
  readonly #settleWaitMs: number
  /** Reports a fault of work that no caller waits for. */
  readonly reportFault: (error: Error) => void
  readonly #onAway: (reason: string | null) => void
  readonly #onSettled: (settle: SettleRequest) => void
  readonly #watch: QueueWatch | null
  #isToldAway = false
  #waiting: Waiting[] = []
  readonly #checkpoints = new Map<string, CheckpointRequest>()
  #records: Waiting[] = []
  #recordsDropped = 0
  readonly #clock: QueueClock
  readonly #gathering: Gathering
  #isRunning = false
  #stopped: LedgerStopped | null = null
  /** Whether the store is unavailable. New work is then rejected, and operations that end work are kept. */
  #isAway = false
  #kept: Waiting[] = []
  #doubtful: Waiting[] | null = null
  readonly #locked: LockedOperations
  #attempts = 0
  #retry: NodeJS.Timeout | null = null
  /** Resolves when the running work has ended. Null unless `close` waits. */
  #idle: PromiseWithResolvers<void> | null = null

  constructor(engine: LedgerEngine, options: QueueOptions = {}) {
    this.#engine = engine
    this.#backoffMs = options.backoffMs ?? backoffMs
    this.#settleWaitMs = options.settleWaitMs ?? settleWaitMs
    this.reportFault = options.onFault ?? (() => {})
    this.#onAway = options.onAway ?? (() => {})
    this.#onSettled = options.onSettled ?? (() => {})
    this.#watch = options.watch ?? null
    this.#clock = options.clock ?? systemClock
    const gathered = {
      count: () => this.waitingCount,
      oldestMs: () => this.#waiting[0]?.sinceMs,
      start: () => this.#drain(),
    }
    this.#locked = new LockedOperations(this.#clock, (operations) => {
      this.#waiting.unshift(...operations)
      this.#schedule()
    })
    this.#gathering = new Gathering(gathered, this.#clock, options.gatherMs ?? 0)
  }

  get recordsDropped(): number {
    return this.#recordsDropped
  }

  /** Number of settles and releases that wait until the store, or the row of their end user, is available again. */
  get keptCount(): number {
    return this.#kept.length + this.#locked.keptCount
  }

  /** Whether settles or releases wait for the store. Their callers may already have received a timeout error. */
  get isAway(): boolean {
    return this.#isAway
  }

  /**
   * Whether a new call of an application would wait long for its commits, because operations arrive faster than the
   * store commits them. The operations of one application do not delay calls of other applications (`fairBatch`).
   * Records of rejected calls do not count, because no call waits for them.
   */
  isBusyFor(applicationId: string): boolean {
    const max = waitingOfBusyLedger
    return this.#waiting.length >= max && isShareUsed(this.#waiting, applicationId, max)
  }

  get waitingCount(): number {
    return this.#waiting.length + this.#checkpoints.size + this.#records.length
  }

  reserve(request: ReserveRequest): Promise<ReserveResult> {
    return this.#begin({ kind: 'reserve', request })
  }

  extend(request: ExtendRequest): Promise<ExtendResult> {
    return this.#begin({ kind: 'extend', request })
  }

  redirect(request: RedirectRequest): Promise<void> {
    // Drop the waiting checkpoint, because it describes the target that failed.
    this.#checkpoints.delete(request.callId)
    return this.#begin({ kind: 'redirect', request })
  }

  background(request: BackgroundRequest): Promise<void> {
    return this.#keep({ kind: 'background', request })
  }

  settle(request: SettleRequest): Promise<SettleResult> {
    this.#checkpoints.delete(request.callId)
    this.#gathering.callEnds()
    return this.#keep({ kind: 'settle', request })
  }

  release(request: ReleaseRequest): Promise<void> {
    this.#checkpoints.delete(request.callId)
    this.#gathering.callEnds()
    return this.#keep({ kind: 'release', request })
  }

  /** Replaces a waiting checkpoint of the same call. */
  checkpoint(request: CheckpointRequest): void {
    this.#checkpoints.set(request.callId, request)
    this.#schedule()
  }

  record(request: RequestRecord): Promise<void> {
    if (this.#stopped !== null) return Promise.resolve()
    if (this.#records.length >= recordsMax) {
      this.#recordsDropped += 1
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      // If a record cannot be written, report the error here, because the caller handles no errors of records.
      const reject = (error: Error): void => {
        this.reportFault(error)
        resolve()
      }
      this.#records.push(riderOf({ kind: 'record', request }, resolve, reject))
      if (this.#isAway) resolve()
      else this.#schedule()
    })
  }

  complete(request: CompleteRequest): Promise<void> {
    return this.#begin({ kind: 'complete', request })
  }

  clearMonth(request: ClearMonthRequest): Promise<void> {
    return this.#begin({ kind: 'clear_month', request })
  }

  credit(request: CreditRequest): Promise<CreditResult> {
    return creditInSteps(request, (terms, people) => this.beginGrant(terms, people), this)
  }

  /** @param isInParts whether to store only the grant, because `creditPart` credits the end users later */
  beginGrant(
    terms: GrantTerms,
    endUserIds: readonly string[],
    isInParts = false,
  ): Promise<CreditResult | UnfinishedGrant> {
    const isLarge = isInParts || isLargeGrant(endUserIds)
    return this.#begin({ kind: 'begin_grant', terms, endUserIds, isLarge, isChecked: isInParts })
  }

  /**
   * Credits the end users part by part, so that other calls run in between.
   * @param from how many end users are already credited, in list order
   */
  async continueGrant(terms: GrantTerms, endUserIds: readonly string[], from: number): Promise<void> {
    for (const { done, part } of partsOfGrant(endUserIds, from)) {
      // oxlint-disable-next-line no-await-in-loop -- concurrent parts would fill every batch and delay other calls
      await this.creditPart(terms, part, done)
    }
  }

  /**
   * @param done number of end users of the grant who are credited once this part is committed; null means all
   * @param isKept whether to retry the part until the store accepts it
   */
  creditPart(
    terms: GrantTerms,
    endUserIds: readonly string[],
    done: number | null,
    isKept = true,
  ): Promise<null> {
    const operation: Operation = { kind: 'continue_grant', terms, endUserIds, done }
    return isKept ? this.#keep(operation) : this.#begin(operation)
  }

  refund(request: RefundRequest): Promise<RefundResult> {
    return this.#begin({ kind: 'refund', request })
  }

  lateUsage(request: LateUsageRequest): Promise<LateUsageResult> {
    return this.#begin({ kind: 'late_usage', request })
  }

  recover(callId: string, nowMs: number): Promise<RecoverResult> {
    return this.#keep({ kind: 'recover', callId, nowMs })
  }

  /** Waits for running work. Operations that wait for an unavailable store are completed after the next start. */
  async close(): Promise<void> {
    if (this.#isRunning || this.#gathering.isScheduled) await (this.#idle ??= Promise.withResolvers()).promise
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#refuseAll(new LedgerStopped('the store is closed'))
  }

  #begin<T>(operation: Operation): Promise<T> {
    if (this.#isAway) return Promise.reject(new StoreUnavailable('the store is away'))
    return this.#push(operation, false)
  }

  #keep<T>(operation: Operation): Promise<T> {
    return this.#push(operation, true)
  }

  #push<T>(operation: Operation, isKept: boolean): Promise<T> {
    if (this.#stopped !== null) return Promise.reject(this.#stopped)
    return new Promise<T>((resolve, reject) => {
      const waiting: Waiting = { operation, isKept, sinceMs: this.#clock.nowMs(), resolve, reject }
      if (isKept && this.#isAway) this.#kept.push(waiting)
      else this.#waiting.push(waiting)
      this.#schedule()
    })
  }

  #schedule(): void {
    if (!this.#isRunning && !this.#isAway) this.#gathering.schedule()
  }

  /** Waits for a promise only if the engine returns one. */
  #drain(): void {
    const batch = this.#take()
    if (batch.length === 0) return this.#rest()
    this.#isRunning = true
    const startedMs = this.#clock.nowMs()
    const end = (answer: BatchAnswer): void => {
      this.#deliver(batch, answer)
      this.#gathering.batchEnded()
      if (this.#watch !== null) tellWatch(this.#watch, batch, startedMs, this.#clock.nowMs())
      this.#rest()
    }
    const answer = runOn(this.#engine, batch)
    if (answer instanceof Promise) void answer.then(end)
    else end(answer)
  }

  #rest(): void {
    this.#isRunning = false
    if (this.#isAway) this.#retryLater()
    else if (this.waitingCount > 0) this.#schedule()
    if (this.#gathering.isScheduled) return
    this.#idle?.resolve()
    this.#idle = null
  }

  #take(): Waiting[] {
    let batch = this.#waiting
    if (batch.length > batchMax) ({ batch, rest: this.#waiting } = fairBatch(batch, batchMax))
    else this.#waiting = []
    if (this.#checkpoints.size > 0) this.#takeCheckpoints(batch)
    if (this.#records.length > 0) batch.push(...this.#records.splice(0, riders))
    return batch
  }

  #takeCheckpoints(batch: Waiting[]): void {
    let taken = 0
    for (const request of this.#checkpoints.values()) {
      if (++taken > riders) return
      this.#checkpoints.delete(request.callId)
      batch.push(riderOf({ kind: 'checkpoint', request }, () => {}, this.reportFault))
    }
  }

  #deliver(batch: readonly Waiting[], answer: BatchAnswer): void {
    switch (answer.kind) {
      case 'results': {
        const reason = awayReason(batch, answer.results)
        if (reason !== undefined) this.#tellAway(reason)
        batch.forEach((waiting, i) => this.#tell(waiting, answer.results[i]))
        if (this.#isAway || typeof reason === 'string') this.#turnAway()
        return
      }
      case 'in_doubt':
        this.#doubtful = [...batch]
        for (const waiting of batch) if (waiting.operation.kind === 'record') waiting.resolve(null)
        this.#isAway = true
        this.#turnAway()
        return
      case 'stopped':
        for (const waiting of batch) waiting.reject(new LedgerStopped(answer.reason))
        this.#stop(new LedgerStopped(answer.reason))
        return
      default:
        answer satisfies never
    }
  }

  #tellAway(reason: string | null): void {
    if (reason !== null || this.#isToldAway) this.#onAway(reason)
    this.#isToldAway = reason !== null
  }

  /**
   * Rejects or keeps the operations that arrived during a batch for which the store was unavailable. Their callers
   * would otherwise wait until another batch has failed.
   */
  #turnAway(): void {
    const left = this.#waiting
    this.#waiting = []
    // Do not let callers wait for their records, which are written when the store is available again.
    for (const record of this.#records) record.resolve(null)
    for (const waiting of left) {
      if (!waiting.isKept) waiting.reject(new StoreUnavailable('the store is away'))
      else if (this.#isAway) this.#kept.push(waiting)
      else this.#waiting.push(waiting)
    }
  }

  #tell(waiting: Waiting, result: OperationResult | undefined): void {
    switch (result?.kind) {
      case 'done':
        if (waiting.operation.kind === 'reserve' && isReserved(result.value)) this.#gathering.callBegan()
        else if (waiting.operation.kind === 'settle') this.#onSettled(waiting.operation.request)
        waiting.resolve(result.value)
        return
      case 'fault':
        waiting.reject(faultOf(result))
        return
      case 'unavailable':
        this.#tellUnavailable(waiting, result.reason)
        return
      case 'locked':
        if (this.#locked.add(waiting)) tellOverdue([waiting], this.#clock.nowMs() - this.#settleWaitMs)
        else this.#tellUnavailable(waiting, 'another transaction has locked the end user')
        return
      default:
        waiting.reject(new LedgerStopped('the engine did not answer an operation'))
    }
  }

  #tellUnavailable(waiting: Waiting, reason: string): void {
    if (waiting.isKept) {
      this.#kept.push(waiting)
      this.#isAway = true
    } else if (waiting.operation.kind === 'record') {
      this.#recordsDropped += 1
      waiting.resolve(null)
    } else if (waiting.operation.kind !== 'checkpoint') {
      // Do not report a lost checkpoint, because the stream soon sends another one.
      waiting.reject(new StoreUnavailable(reason))
    }
  }

  #stop(reason: LedgerStopped): void {
    if (this.#stopped !== null) return
    this.#refuseAll(reason)
    this.reportFault(reason)
  }

  #refuseAll(reason: LedgerStopped): void {
    this.#stopped ??= reason
    const left = [...this.#waiting, ...this.#kept, ...this.#locked.takeAll(), ...(this.#doubtful ?? [])]
    this.#waiting = []
    this.#kept = []
    this.#doubtful = null
    this.#isAway = false
    this.#checkpoints.clear()
    for (const record of this.#records) record.resolve(null)
    this.#records = []
    for (const waiting of left) waiting.reject(this.#stopped)
  }

  #retryLater(): void {
    if (this.#stopped !== null || this.#retry !== null) return
    this.#attempts += 1
    this.#retry = setTimeout(() => {
      this.#retry = null
      void this.#tryAgain()
    }, this.#backoffMs(this.#attempts))
  }

  async #tryAgain(): Promise<void> {
    this.#isRunning = true
    const doubtful = this.#doubtful
    this.#doubtful = null
    const batch = doubtful ?? this.#kept.splice(0, batchMax)
    this.#deliver(batch, doubtful === null ? await runOn(this.#engine, batch) : await this.#engine.resolve())
    this.#isAway = this.#kept.length > 0 || this.#doubtful !== null
    if (this.#isAway) tellOverdue(this.#kept, this.#clock.nowMs() - this.#settleWaitMs)
    else this.#attempts = 0
    this.#rest()
  }
}
