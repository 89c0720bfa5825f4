/**
 * Adds up the calls that this process has ended, by the hour of their end. Jobs and reports then need not read the
 * calls' rows. The calls of a batch are added after its commit. Adding a completed call allocates no memory if the call
 * has no failed attempts, tags or team. Only the first call of a model name, target and bundle in an hour allocates
 * memory.
 *
 * The sums of an application, mode and hour are dropped if they may lack calls. Readers then read the rows of that
 * hour's calls. Possible reasons: a call's end is stored after the hour's sums were taken, a commit is in doubt, or the
 * hour has too many sums.
 */
import type { Mode } from '#domain/application-config.ts'
import { addSettledMoney, zeroMoney } from '#domain/sums-of-request-figures.ts'
import { countCall } from '#domain/calls/call-statistics.ts'
import { failureClassOf } from '#domain/health/class-of-failure.ts'
import type { RequestRecord, Target } from '#domain/ledger-interface.ts'
import { hourMs } from '#money/periods-and-windows.ts'
import { attemptsFromText } from '#store/rows/failed-attempts-column.ts'
import { labelsIn } from '#store/rows/labels-of-calls.ts'
import type { CallSum } from '#store/rows/sums-of-calls.ts'
import { costsOf, type EndedCall } from '#store/rows/read-ended-calls-by-time.ts'
import { HourSums, sumsMax } from '#store/rows/sums-of-one-hour.ts'
import { targetFromText } from '#store/rows/json-columns.ts'
import type { TargetSum } from '#store/rows/sums-of-targets.ts'
import type { HourPart, HoursAsked } from '#store/sql/hour-sums-interface.ts'
import type { EndedRecord, NewRequest, NewUsageRecord } from './state-types.ts'

/**
 * Sums of test mode are kept for this many hours after the last hour that was taken. Test clocks may be ahead of the
 * real time.
 */
const aheadMax = 3
const targetsMax = 10_000

export class EndedHours {
  readonly #sumsMax: number
  #hours = new Map<number, Map<string, OfModes>>()
  #targets = new Map<string, Target>()
  #sums = 0
  /** The last hour whose sums `take` has returned to be stored (call-sums-by-hour.ts). */
  #through: number | null = null

  constructor(options: { readonly sumsMax?: number } = {}) {
    this.#sumsMax = options.sumsMax ?? sumsMax
  }

  /** @param ended the calls of a batch that is certainly committed */
  add(ended: readonly EndedRecord[]): void {
    for (const record of ended) this.#add(record)
  }

  /** @param ended the calls of a batch that may have been committed, or may be committed later */
  doubt(ended: readonly EndedRecord[]): void {
    for (const record of ended) this.#drop(this.#modesOf(record), modeOf(record))
  }

  /**
   * Returns the sums of all hours up to `throughHour` (inclusive) and deletes them here. If a call of one of these
   * hours ends later, readers must read the rows of that hour.
   */
  take(throughHour: number): readonly HourPart[] {
    const parts: HourPart[] = []
    for (const [hour, applications] of this.#hours) {
      if (hour > throughHour) continue
      for (const [applicationId, modes] of applications)
        for (const mode of ['live', 'test'] as const) {
          const cells = modes[mode]
          if (cells === undefined) continue
          const rows = cells === null ? null : cells.sums.rows({ applicationId, mode, hour })
          parts.push({ applicationId, mode, hour, rows })
          this.#drop(modes, mode)
        }
      this.#hours.delete(hour)
    }
    this.#through = Math.max(throughHour, this.#through ?? throughHour)
    return parts
  }

  /** Returns the sums of hours that `take` has not returned, as rows for the table that `kind` selects. */
  peek({ applicationId, kind, mode }: HoursAsked): PeekedHours {
    const parts: HourPart[] = []
    for (const [hour, applications] of this.#hours) {
      const cells = applications.get(applicationId)?.[mode]
      if (cells === undefined) continue
      const rows = cells && cells.sums.rows({ applicationId, mode, hour }, kind)
      parts.push({ applicationId, mode, hour, rows })
    }
    return { parts, takenHour: this.#through }
  }

  #add(record: EndedRecord): void {
    const mode = modeOf(record)
    const modes = this.#modesOf(record)
    if (modes[mode] === undefined && !this.#isTaken(hourOf(record), mode)) modes[mode] = new HourCells()
    const cells = modes[mode]
    if (cells === undefined || cells === null) {
      modes[mode] = null
      return
    }
    const before = cells.sums.size
    if (record.attempts !== null || isBroken(record) || isLabeled(recordOf(record)))
      cells.sums.add(callOf(record, this.#targetOf))
    else if ('open' in record) cells.addCharged(record, this.#targetOf(record.open.targetText))
    else cells.addUncharged(record.record)
    this.#sums += cells.sums.size - before
    if (this.#sums > this.#sumsMax) this.#drop(modes, mode)
  }

  /** Whether `take` has returned the hour's sums already, or the hour is too far ahead to be kept. */
  #isTaken(hour: number, mode: Mode): boolean {
    if (this.#through === null) return false
    return hour <= this.#through || (mode === 'test' && hour > this.#through + aheadMax)
  }

  #modesOf(record: EndedRecord): OfModes {
    const hour = hourOf(record)
    const applicationId = 'open' in record ? record.open.applicationId : record.record.applicationId
    let applications = this.#hours.get(hour)
    if (applications === undefined) this.#hours.set(hour, (applications = new Map<string, OfModes>()))
    let modes = applications.get(applicationId)
    if (modes === undefined) applications.set(applicationId, (modes = { live: undefined, test: undefined }))
    return modes
  }

  #drop(modes: OfModes, mode: Mode): void {
    this.#sums -= modes[mode]?.sums.size ?? 0
    modes[mode] = null
  }

  readonly #targetOf = (text: string): Target => {
    let target = this.#targets.get(text)
    if (target !== undefined) return target
    if (this.#targets.size >= targetsMax) this.#targets = new Map()
    this.#targets.set(text, (target = targetFromText(text)))
    return target
  }
}

export interface PeekedHours {
  readonly parts: readonly HourPart[]
  /** The last hour whose sums were taken from memory. Null if no sums were taken. */
  readonly takenHour: number | null
}

/**
 * For each mode, the sums of one application and hour. Undefined if no call has ended in the hour. Null if calls may be
 * missing here, so that readers must read the rows of the calls.
 */
type OfModes = Record<Mode, HourCells | null | undefined>

interface Cell {
  readonly accountId: string | null
  readonly model: string | null
  readonly bundle: string | null
  readonly call: CallSum
  /** Null if no target was called. */
  readonly target: TargetSum | null
}

/** The sums of one application and mode, indexed so that a look-up allocates no memory. */
class HourCells {
  readonly sums = new HourSums()
  readonly #cells = new Map<string | null, Cell[]>()

  /** @param record a call without failed attempts */
  addCharged(record: NewUsageRecord, { accountId, model }: Target): void {
    const { open, went } = record
    const cell = this.#cellOf(open.hold.bound.alias, accountId, model, went.trace)
    this.#count(cell, went)
    cell.call.charged += 1
    addSettledMoney(cell.call, record)
    if (open.outcome === null) return
    const { runId, slug: outcomeSlug } = open.outcome
    const run = this.sums.runs.sumOf({ outcomeSlug, runId, endUserId: open.person.endUserId })
    run.calls += 1
    addSettledMoney(run, record)
  }

  /** @param record a call without failed attempts */
  addUncharged(record: RequestRecord): void {
    const target = record.status === 'refused' ? null : record.target
    const alias = record.target === null ? null : record.alias
    this.#count(this.#cellOf(alias, target?.accountId ?? null, target?.model ?? null, null), record)
  }

  #count({ call, target }: Cell, went: RequestRecord): void {
    const failure = failureClassOf(went)
    const latencyMs = whole(went.latencyMs)
    const firstByteMs = went.firstByteMs === null ? null : whole(went.firstByteMs)
    countCall(call, failure, latencyMs, firstByteMs)
    if (target !== null) countCall(target, failure, latencyMs, firstByteMs)
  }

  /** @param trace the trace that names the bundle; null if the call was not charged */
  #cellOf(alias: string | null, accountId: string | null, model: string | null, trace: string | null): Cell {
    let cells = this.#cells.get(alias)
    if (cells === undefined) this.#cells.set(copyOf(alias), (cells = []))
    for (const cell of cells)
      if (cell.accountId === accountId && cell.model === model && isTraceOf(trace, cell.bundle)) return cell
    const keys = { accountId: copyOf(accountId), model: copyOf(model), bundle: copyOf(bundleIn(trace)) }
    const cell: Cell = {
      ...keys,
      call: this.sums.calls.sumOf(keys.accountId, copyOf(alias), keys.bundle),
      target:
        keys.accountId === null || keys.model === null
          ? null
          : this.sums.targets.sumOf(keys.accountId, keys.model),
    }
    cells.push(cell)
    return cell
  }
}

/** Returns a copy, because a substring would keep the whole original text in memory. */
function copyOf<Text extends string | null>(text: Text): Text | string {
  return text === null ? text : Buffer.from(text).toString()
}

/** Whether the trace of a completed response names this bundle. A call without such a trace belongs to no bundle. */
function isTraceOf(trace: string | null, bundle: string | null): boolean {
  if (trace === null || !trace.startsWith('["')) return bundle === null
  if (bundle === null) return false
  return trace.startsWith(bundle, 2) && trace.charCodeAt(2 + bundle.length) === quoteCode
}

const quoteCode = '"'.charCodeAt(0)

/**
 * Returns the slug of the bundle, as `bundleOfTrace` does in SQL (rows/read-ended-calls-by-time.ts).
 * @param trace a list may be cut off after its first element
 */
export function bundleIn(trace: string | null): string | null {
  if (trace === null) return null
  if (trace.startsWith('["')) return trace.slice(2, trace.indexOf('"', 2))
  return policyIn(trace, 'bundle')
}

function policyIn(trace: string, name: 'bundle' | 'outcome' | 'run'): string | null {
  if (!trace.startsWith('{"')) return null
  const json: unknown = JSON.parse(trace)
  const policy: unknown = Reflect.get(Object(json), 'policy')
  const value: unknown = Reflect.get(Object(policy), name)
  return typeof value === 'string' ? value : null
}

function callOf(record: EndedRecord, targetOf: (text: string) => Target): EndedCall {
  const went = recordOf(record)
  const attempts = attemptsFromText(record.attempts === null ? null : record.attempts.text)
  const costs = costsOf(attempts)
  const common = {
    endedAtMs: endedAtMs(record),
    attempts,
    attemptCosts: costs,
    httpStatus: whole(went.httpStatus),
    errorCode: went.errorCode,
    latencyMs: whole(went.latencyMs),
    firstByteMs: went.firstByteMs === null ? null : whole(went.firstByteMs),
    labels: labelsIn(went),
  }
  if ('open' in record) return { ...common, ...chargedPart(record, targetOf(record.open.targetText)) }
  return { ...common, ...unchargedPart(record, costs.length > 0) }
}

function chargedPart(record: NewUsageRecord, { accountId, model }: Target) {
  const { hold, outcome, person } = record.open
  const money = zeroMoney()
  addSettledMoney(money, record)
  return {
    isCharged: true,
    accountId,
    model,
    alias: hold.bound.alias,
    bundle: bundleIn(record.went.trace),
    run: outcome && { outcomeSlug: outcome.slug, runId: outcome.runId, endUserId: person.endUserId },
    money,
  }
}

function unchargedPart({ record }: NewRequest, hasCost: boolean) {
  const target = record.status === 'refused' ? null : record.target
  const policyOf = (name: 'bundle' | 'outcome' | 'run'): string | null =>
    hasCost ? policyIn(record.trace, name) : null
  const [outcomeSlug, runId] = [policyOf('outcome'), policyOf('run')]
  const { endUserId } = record
  const isOfRun = outcomeSlug !== null && runId !== null && endUserId !== null
  return {
    isCharged: false,
    accountId: target?.accountId ?? null,
    model: target?.model ?? null,
    alias: record.target === null ? null : record.alias,
    bundle: policyOf('bundle'),
    run: isOfRun ? { outcomeSlug, runId, endUserId } : null,
    money: null,
  }
}

/** Whether an interrupted response was charged. The trace of such a call must be parsed. */
function isBroken(record: EndedRecord): boolean {
  return 'open' in record && record.went.trace.startsWith('{"')
}

function modeOf(record: EndedRecord): Mode {
  return 'open' in record ? record.open.person.mode : record.record.mode
}

function isLabeled({ payerId, tags }: RequestRecord): boolean {
  return tags !== null || payerId !== undefined
}

function hourOf(record: EndedRecord): number {
  return Math.floor(endedAtMs(record) / hourMs)
}

function recordOf(record: EndedRecord): RequestRecord {
  return 'open' in record ? record.went : record.record
}

/** The end of the call as stored rows state it, in whole milliseconds. */
export function endedAtMs(record: EndedRecord): number {
  if ('open' in record) return record.atMs
  const { atMs, latencyMs } = record.record
  return whole(atMs) + whole(latencyMs)
}

/** Rounds the number exactly as rows-that-batch-inserts.ts rounds it for the stored row. */
function whole(value: number): number {
  return Number.isFinite(value) ? Math.round(value) : 0
}
