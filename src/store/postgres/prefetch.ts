/**
 * What the operations of a batch will most likely read, so that it is read in one round trip. What is
 * foreseen too little costs a round trip more (`Missing`), what is foreseen too much a look-up: neither can
 * be wrong. So what this process has seen of bundles and keys before is good enough to foresee by.
 */
import { suffixMs } from '#domain/id.ts'
import type { Window } from '#money/period.ts'
import type { BundleCell, KeyCell, Person } from '#store/ledger/cells.ts'
import { daysOf } from '#store/ledger/limits.ts'
import type { Operation } from '#store/ledger/commands.ts'
import type { PersonKey } from '#store/ledger/needs.ts'
import type { RenewedMap } from '#store/ledger/renewed-map.ts'
import type { PostgresNeed } from './load.ts'

/** Whom a call is of: what its row is found by, and which lane its operations take. */
export interface CallOwner extends PersonKey {
  readonly keyId: string | null
  readonly outcome: { readonly slug: string; readonly runId: string } | null
}

/** Of the calls that this process has reserved or was told to recover, until they have ended. */
export type CallOwners = RenewedMap<CallOwner>

/** Of each kind; beyond it all are forgotten and seen again. */
const seenMax = 50_000

export class PrefetchHints {
  readonly #bundleOf = new Map<string, string>()
  readonly #bundles = new Map<string, { limit: Window | null }>()
  readonly #caps = new Map<string, Window | null>()

  see(people: Iterable<Person>, bundles: Iterable<BundleCell>, keys: Iterable<KeyCell>): void {
    for (const { bundleId, endUserId } of people) {
      if (bundleId !== null) keep(this.#bundleOf, endUserId, bundleId)
    }
    for (const { id, spendLimitMicros, spendLimitPeriod } of bundles) {
      const limit = spendLimitMicros === null ? null : spendLimitPeriod
      keep(this.#bundles, id, { limit })
    }
    for (const { capMicros, capPeriod, id } of keys)
      keep(this.#caps, id, capMicros === null ? null : capPeriod)
  }

  bundleOf(endUserId: string): string | undefined {
    return this.#bundleOf.get(endUserId)
  }

  bundle(id: string): { readonly limit: Window | null } | undefined {
    return this.#bundles.get(id)
  }

  cap(keyId: string): Window | null {
    return this.#caps.get(keyId) ?? null
  }
}

function keep<T>(map: Map<string, T>, name: string, value: T): void {
  if (map.size >= seenMax) map.clear()
  map.set(name, value)
}

/** What an operation will most likely read and write. */
export interface Forecast {
  /** Everyone whose rows it reads or changes: certain, since they are locked. */
  readonly people: readonly string[]
  readonly needs: readonly PostgresNeed[]
  /** How many ledger entries. */
  readonly entries: number
  /** Times of the rows that are written: of ledger entries by the operation's, of a call's record by its id. */
  readonly times: readonly number[]
}

export function forecastOf(operation: Operation, owners: CallOwners, hints: PrefetchHints): Forecast {
  switch (operation.kind) {
    case 'record':
      return { people: [], needs: [], entries: 0, times: timeOfCall(operation.request.callId) }
    case 'begin_grant': {
      const { endUserIds, isLarge, terms } = operation
      const { applicationId, grantId, idempotencyKey, mode, nowMs } = terms
      const grant: PostgresNeed = { kind: 'grant', applicationId, mode, grantId, idempotencyKey }
      // A large one credits its people later.
      if (isLarge) {
        const owned = endUserIds.map((endUserId): PostgresNeed => ({ kind: 'owner', endUserId }))
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
    case 'reserve': {
      const { applicationId, bundleId, callId, endUserId, keyId, nowMs, outcome } = operation.request
      const needs: PostgresNeed[] = [
        { kind: 'application', id: applicationId },
        { kind: 'key', id: keyId },
        { kind: 'hold', endUserId, callId },
        ...personNeeds(operation.request, bundleId),
        ...limitNeeds({ ...operation.request, hasRun: outcome !== null }, hints),
        ...(outcome === null ? [] : [runNeed(operation.request, outcome)]),
      ]
      return { people: [endUserId], needs, entries: 0, times: [nowMs, ...timeOfCall(callId)] }
    }
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

type OfCall = Extract<Operation, { kind: 'checkpoint' | 'extend' | 'settle' | 'release' | 'recover' }>

/** Of a call that is in flight, as far as this process knows. */
function callForecast(operation: OfCall, owners: CallOwners, hints: PrefetchHints): Forecast {
  const { callId } = operation.kind === 'recover' ? operation : operation.request
  const owner = owners.get(callId)
  const hold: PostgresNeed[] =
    owner === undefined ? [] : [{ kind: 'hold', endUserId: owner.endUserId, callId }]
  const people = owner === undefined ? [] : [owner.endUserId]
  if (operation.kind === 'checkpoint') return { people, needs: hold, entries: 0, times: [] }
  const { nowMs } = operation.kind === 'recover' ? operation : operation.request
  const entries = operation.kind === 'settle' || operation.kind === 'recover' ? 1 : 0
  const times = [nowMs, ...timeOfCall(callId)]
  if (owner === undefined) return { people, needs: [], entries, times }
  const { keyId, outcome } = owner
  const bundleId = hints.bundleOf(owner.endUserId)
  const needs = [...hold, ...personNeeds({ ...owner, nowMs }, bundleId)]
  if (outcome !== null) needs.push(runNeed(owner, outcome))
  if (operation.kind === 'extend' && keyId !== null) {
    needs.push({ kind: 'key', id: keyId })
    needs.push(...limitNeeds({ ...owner, keyId, bundleId, nowMs, hasRun: outcome !== null }, hints))
  }
  return { people, needs, entries, times }
}

function creditForecast(
  {
    endUserIds,
    terms: { grantId, mode, nowMs },
  }: Extract<Operation, { kind: 'begin_grant' | 'continue_grant' }>,
  hints: PrefetchHints,
): Forecast {
  const needs = endUserIds.flatMap((endUserId): PostgresNeed[] => [
    { kind: 'entry', idempotencyKey: grantId, endUserId, mode },
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
  const cap = hints.cap(keyId)
  const limit = bundleId === undefined ? null : (hints.bundle(bundleId)?.limit ?? null)
  const needs: PostgresNeed[] = []
  if (cap !== null) needs.push({ kind: 'spent', keyId, ...daysOf(cap, nowMs), endUserId, mode })
  if (limit !== null) needs.push({ kind: 'spent', keyId: null, ...daysOf(limit, nowMs), endUserId, mode })
  if (hasRun || needs.length > 0) needs.push({ kind: 'holds_of', endUserId, mode })
  return needs
}

function runNeed(
  { endUserId, mode }: PersonKey,
  { runId, slug }: { slug: string; runId: string },
): PostgresNeed {
  return { kind: 'run', slug, runId, endUserId, mode }
}
