/**
 * Predicts the rows that a batch will read, so that one round trip reads them. A missing row costs another round trip
 * (`Missing`), and an extra row costs a look-up. The batch is correct in both cases, so predictions may use outdated
 * bundles and keys that this process has read earlier.
 */
import { suffixMs } from '#domain/ids-sorted-by-time.ts'
import type { ReserveRequest } from '#domain/ledger-interface.ts'
import type { Window } from '#money/periods-and-windows.ts'
import {
  type ApplicationCell,
  type BundleCell,
  type KeyCell,
  type Person,
  portalLines,
  wholePerson,
} from '#store/ledger/state-types.ts'
import { daysOf } from '#store/ledger/spend-limits.ts'
import type { Operation } from '#store/ledger/operations-and-results.ts'
import { keyOfClearing } from '#store/rows/key-of-month-clearing.ts'
import type { PersonKey } from '#store/ledger/rows-that-operation-needs.ts'
import type { RenewedMap } from '#store/ledger/map-for-many-deletions.ts'
import type { PostgresNeed } from './load-needed-rows.ts'

/** The fields that find the call's row and select its lane (ledger connection). */
export interface CallOwner extends PersonKey {
  readonly keyId: string | null
  readonly outcome: { readonly slug: string; readonly runId: string } | null
  /**
   * The payer of the end user's team at the time of the reserve. Absent if there is no team, or the payer is not known.
   */
  readonly payerId?: string | undefined
}

/** The owners of calls that this process has reserved or recovers, until the calls have ended. */
export type CallOwners = RenewedMap<CallOwner>

/** Maximum number of items in each map of hints. A full map is cleared. */
const seenMax = 50_000

interface Seen {
  readonly applications: Iterable<readonly [id: string, cell: ApplicationCell | null]>
  readonly bundles: Iterable<BundleCell>
  readonly keys: Iterable<KeyCell>
  readonly people: Iterable<Person>
}

interface KeyHint extends Pick<KeyCell, 'applicationId' | 'isPortalLine' | 'lineId'> {
  readonly isRated: boolean
  /** The calendar window of the key's cap. Null if the key has no cap. */
  readonly cap: Window | null
}

interface BundleHint {
  readonly limit: Window | null
  readonly isRated: boolean
}

export class PrefetchHints {
  readonly #bundleOf = new Map<string, string>()
  readonly #bundles = new Map<string, BundleHint>()
  readonly #keys = new Map<string, KeyHint>()
  /** By application ID. Null if the application has no limit for portal keys. */
  readonly #portalTotals = new Map<string, Window | null>()
  /** By the end user's ID: the calendar windows of the end user's own spend limits. */
  readonly #limits = {
    live: new Map<string, readonly Window[]>(),
    test: new Map<string, readonly Window[]>(),
  }

  /** A decision about an end user with rate limits reads all of the end user's calls in flight. */
  readonly #rated = { live: new Map<string, true>(), test: new Map<string, true>() }

  see({ applications, bundles, keys, people }: Seen): void {
    for (const { bundleId, endUserId, limits, mode, rates } of people) {
      if (bundleId !== null) keep(this.#bundleOf, endUserId, bundleId)
      if (rates.length > 0) keep(this.#rated[mode], endUserId, true)
      else if (this.#rated[mode].size > 0) this.#rated[mode].delete(endUserId)
      const known = this.#limits[mode]
      if (limits.length > 0) {
        const windows = limits.map(({ window }) => window)
        keep(known, endUserId, windows)
      } else if (known.size > 0) {
        known.delete(endUserId)
      }
    }
    for (const [id, cell] of applications) keep(this.#portalTotals, id, cell?.portalTotal?.window ?? null)
    for (const { id, rates, spendLimitMicros, spendLimitPeriod } of bundles) {
      const limit = spendLimitMicros === null ? null : spendLimitPeriod
      keep(this.#bundles, id, { limit, isRated: rates.length > 0 })
    }
    for (const { applicationId, capMicros, capPeriod, id, isPortalLine, lineId, rates } of keys) {
      const cap = capMicros === null ? null : capPeriod
      keep(this.#keys, id, { applicationId, cap, isPortalLine, isRated: rates.length > 0, lineId })
    }
  }

  bundleOf(endUserId: string): string | undefined {
    return this.#bundleOf.get(endUserId)
  }

  bundle(id: string): BundleHint | undefined {
    return this.#bundles.get(id)
  }

  key(id: string): KeyHint | undefined {
    return this.#keys.get(id)
  }

  portalTotal(applicationId: string): Window | null {
    return this.#portalTotals.get(applicationId) ?? null
  }

  isRated({ endUserId, mode }: PersonKey): boolean {
    return this.#rated[mode].has(endUserId)
  }

  limitsOf({ endUserId, mode }: PersonKey): readonly Window[] {
    return this.#limits[mode].get(endUserId) ?? []
  }
}

function keep<T>(map: Map<string, T>, name: string, value: T): void {
  if (map.size >= seenMax) map.clear()
  map.set(name, value)
}

export interface Forecast {
  /** The end users to lock. If an end user is missing, the batch begins again and also locks that end user. */
  readonly people: readonly string[]
  readonly needs: readonly PostgresNeed[]
  readonly entries: number
  /**
   * The times that select the monthly partitions. Ledger entries use the time of the operation, and the call's record
   * uses the time in the call ID.
   */
  readonly times: readonly number[]
}

export function forecastOf(operation: Operation, owners: CallOwners, hints: PrefetchHints): Forecast {
  switch (operation.kind) {
    case 'record':
      return { people: [], needs: [], entries: 0, times: timeOfCall(operation.request.callId) }
    case 'begin_grant': {
      const { endUserIds, isChecked, isLarge, terms } = operation
      const { applicationId, grantId, idempotencyKey, mode, nowMs, paymentReference = null } = terms
      const grant: PostgresNeed = {
        kind: 'grant',
        applicationId,
        mode,
        grantId,
        idempotencyKey,
        paymentReference,
      }
      // The operation of a large grant only stores the grant, and credits no end user yet.
      if (isLarge) {
        const unchecked = isChecked ? [] : endUserIds
        const owned = unchecked.map((endUserId): PostgresNeed => ({ kind: 'owner', endUserId }))
        return { people: [], needs: [grant, ...owned], entries: 0, times: [nowMs] }
      }
      const credit = creditForecast(operation, hints)
      return { ...credit, needs: [grant, ...credit.needs] }
    }
    case 'continue_grant':
      return creditForecast(operation, hints)
    case 'complete': {
      const { endUserId, nowMs } = operation.request
      const needs = personNeeds(operation.request, hints.bundleOf(endUserId))
      return { people: [endUserId], needs, entries: 0, times: [nowMs] }
    }
    case 'clear_month': {
      const { endUserId, mode, nowMs, sourceId } = operation.request
      const needs: PostgresNeed[] = [
        { kind: 'entry', idempotencyKey: keyOfClearing(operation.request), endUserId, mode },
        { kind: 'source', sourceId, endUserId, mode },
        ...personNeeds(operation.request, hints.bundleOf(endUserId)),
      ]
      return { people: [endUserId], needs, entries: 1, times: [nowMs] }
    }
    case 'reserve': {
      const { applicationId, bundleId, callId, endUserId, keyId, nowMs, outcome, payerId } = operation.request
      const needs: PostgresNeed[] = [
        { kind: 'application', id: applicationId },
        { kind: 'key', id: keyId, endUserId },
        { kind: 'hold', endUserId, callId },
        ...personNeeds(operation.request, bundleId),
        ...limitNeeds({ ...operation.request, hasRun: outcome !== null }, hints),
        ...(outcome === null ? [] : [runNeed(operation.request, outcome)]),
        ...payerNeeds(operation.request, hints),
      ]
      const people = withPayer(endUserId, payerId)
      return { people, needs, entries: 0, times: [nowMs, ...timeOfCall(callId)] }
    }
    case 'refund':
    case 'late_usage': {
      const { applicationId, callId, endUserId, mode, nowMs } = operation.request
      const needs: PostgresNeed[] = [
        { kind: 'charged_call', applicationId, endUserId, callId },
        { kind: 'corrections', applicationId, endUserId, callId },
        ...personNeeds({ endUserId, mode, nowMs }, hints.bundleOf(endUserId)),
      ]
      if (operation.kind === 'late_usage') {
        needs.push({ kind: 'hold', endUserId, callId }, { kind: 'application', id: applicationId })
      }
      return { people: [endUserId], needs, entries: 3, times: [nowMs] }
    }
    case 'redirect':
    case 'background':
    case 'checkpoint':
    case 'extend':
    case 'settle':
    case 'release':
    case 'recover':
      return callForecast(operation, owners, hints)
    default:
      return operation satisfies never
  }
}

type OfCall = Extract<
  Operation,
  { kind: 'redirect' | 'background' | 'checkpoint' | 'extend' | 'settle' | 'release' | 'recover' }
>

function callForecast(operation: OfCall, owners: CallOwners, hints: PrefetchHints): Forecast {
  const { callId } = operation.kind === 'recover' ? operation : operation.request
  const owner = owners.get(callId)
  const hold: PostgresNeed[] =
    owner === undefined ? [] : [{ kind: 'hold', endUserId: owner.endUserId, callId }]
  const people = owner === undefined ? [] : withPayer(owner.endUserId, owner.payerId)
  switch (operation.kind) {
    case 'background':
    case 'checkpoint':
    case 'redirect':
      return { people, needs: hold, entries: 0, times: [] }
    default:
  }
  const { nowMs } = operation.kind === 'recover' ? operation : operation.request
  const entries = operation.kind === 'settle' || operation.kind === 'recover' ? 1 : 0
  const times = [nowMs, ...timeOfCall(callId)]
  if (owner === undefined) return { people, needs: [], entries, times }
  const { keyId, outcome } = owner
  const bundleId = hints.bundleOf(owner.endUserId)
  const needs = [
    ...hold,
    ...personNeeds({ ...owner, nowMs }, bundleId),
    ...payerNeeds({ ...owner, nowMs }, hints),
  ]
  if (outcome !== null) needs.push(runNeed(owner, outcome))
  if (keyId === null || operation.kind === 'release') return { people, needs, entries, times }
  needs.push({ kind: 'key', id: keyId, endUserId: owner.endUserId })
  const key = hints.key(keyId)
  if (operation.kind === 'extend') {
    // The limit for portal keys is stored with the application.
    if (key?.isPortalLine === true) needs.push({ kind: 'application', id: key.applicationId })
    needs.push(...limitNeeds({ ...owner, keyId, bundleId, nowMs, hasRun: outcome !== null }, hints))
  } else if (key?.isRated === true) {
    const { endUserId, mode } = owner
    needs.push({ kind: 'line_uses', lineId: key.lineId, endUserId, mode })
  }
  return { people, needs, entries, times }
}

function creditForecast(
  {
    endUserIds,
    terms: { grantId, mode, nowMs, reverses = null },
  }: Extract<Operation, { kind: 'begin_grant' | 'continue_grant' }>,
  hints: PrefetchHints,
): Forecast {
  const needs = endUserIds.flatMap((endUserId): PostgresNeed[] => [
    { kind: 'entry', idempotencyKey: grantId, endUserId, mode },
    ...(reverses === null ? [] : [{ kind: 'credits', endUserId, mode } as const]),
    ...personNeeds({ endUserId, mode, nowMs }, hints.bundleOf(endUserId)),
  ])
  return { people: endUserIds, needs, entries: endUserIds.length, times: [nowMs] }
}

function timeOfCall(callId: string): readonly number[] {
  const ms = suffixMs(callId)
  return ms === null ? [] : [ms]
}

function personNeeds(
  { endUserId, mode, nowMs }: PersonKey & { readonly nowMs: number },
  bundleId: string | undefined,
): PostgresNeed[] {
  const sources: PostgresNeed = { kind: 'sources', endUserId, mode, nowMs }
  return bundleId === undefined ? [sources] : [sources, { kind: 'bundle', id: bundleId }]
}

function withPayer(endUserId: string, payerId: string | undefined): readonly string[] {
  return payerId === undefined ? [endUserId] : [endUserId, payerId]
}

/** The payer's bundle grants the pools that the payer shares. */
function payerNeeds(
  { mode, nowMs, payerId: endUserId }: Pick<ReserveRequest, 'mode' | 'nowMs'> & Pick<CallOwner, 'payerId'>,
  hints: PrefetchHints,
): PostgresNeed[] {
  return endUserId === undefined ? [] : personNeeds({ endUserId, mode, nowMs }, hints.bundleOf(endUserId))
}

function limitNeeds(
  of: PersonKey & {
    readonly keyId: string
    readonly bundleId: string | undefined
    readonly nowMs: number
    readonly hasRun: boolean
  },
  hints: PrefetchHints,
): PostgresNeed[] {
  const { bundleId, endUserId, hasRun, keyId, mode, nowMs } = of
  const key = hints.key(keyId)
  const portalTotal = key?.isPortalLine === true ? hints.portalTotal(key.applicationId) : null
  const bundle = bundleId === undefined ? undefined : hints.bundle(bundleId)
  const needs: PostgresNeed[] = []
  const spentIn = (window: Window | null | undefined, spender: string): void => {
    if (window !== null && window !== undefined)
      needs.push({ kind: 'spent', spender, ...daysOf(window, nowMs), endUserId, mode })
  }
  spentIn(key?.cap, key?.lineId ?? keyId)
  spentIn(portalTotal, portalLines)
  spentIn(bundle?.limit, wholePerson)
  for (const window of hints.limitsOf(of)) spentIn(window, wholePerson)
  const isRated = hints.isRated(of) || bundle?.isRated === true || key?.isRated === true
  if (hasRun || needs.length > 0 || isRated) needs.push({ kind: 'holds_of', endUserId, mode })
  if (key?.isRated === true) needs.push({ kind: 'line_uses', lineId: key.lineId, endUserId, mode })
  return needs
}

function runNeed(
  { endUserId, mode }: PersonKey,
  { runId, slug }: { slug: string; runId: string },
): PostgresNeed {
  return { kind: 'run', slug, runId, endUserId, mode }
}
