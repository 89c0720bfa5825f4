/**
 * What the operations of a batch will most likely read, so that it is read in one round trip. What is
 * foreseen too little costs a round trip more (`Missing`), what is foreseen too much a look-up: neither can
 * be wrong. So what this process has seen of bundles and keys before is good enough to foresee by.
 */
import { suffixMs } from '#domain/id.ts'
import type { Mode } from '#domain/application-config.ts'
import type { Window } from '#money/period.ts'
import type { Book, BundleCell, KeyCell, Person } from '#store/ledger/book.ts'
import type { CallPlaces } from './call-owners.ts'
import { daysOf } from '#store/ledger/limits.ts'
import type { Operation } from '#store/ledger/commands.ts'
import type { Need } from './load.ts'

/** Of each kind; beyond it all are forgotten and seen again. */
const seenMax = 50_000

export class Seen {
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

/** Everyone whose rows an operation reads or changes. */
export function peopleOf(operation: Operation, places: CallPlaces): readonly string[] {
  switch (operation.kind) {
    case 'reserve':
    case 'complete':
      return [operation.request.endUserId]
    case 'begin_grant':
      // Of a large one nobody is credited yet.
      return operation.isLarge ? [] : operation.endUserIds
    case 'continue_grant':
      return operation.endUserIds
    case 'record':
      return []
    default: {
      const place = places.get(callOf(operation))
      return place === undefined ? [] : [place.endUserId]
    }
  }
}

type OfCall = Exclude<Operation, { readonly kind: 'begin_grant' | 'continue_grant' | 'complete' }>

function callOf(operation: OfCall): string {
  return operation.kind === 'recover' ? operation.callId : operation.request.callId
}

/** Ledger entries that it will most likely write. */
export function entriesOf(operation: Operation): number {
  switch (operation.kind) {
    case 'settle':
    case 'recover':
      return 1
    case 'begin_grant':
      return operation.isLarge ? 0 : operation.endUserIds.length
    case 'continue_grant':
      return operation.endUserIds.length
    default:
      return 0
  }
}

/** Times of which rows will be written: of ledger entries by the operation's, of a call's record by its id. */
export function timesOf(operation: Operation): readonly number[] {
  switch (operation.kind) {
    case 'begin_grant':
    case 'continue_grant':
      return [operation.terms.nowMs]
    case 'complete':
      return [operation.request.nowMs]
    case 'recover':
      return [operation.nowMs, ...timeOfCall(operation.callId)]
    case 'checkpoint':
      return []
    case 'record':
      return timeOfCall(operation.request.callId)
    default:
      return [operation.request.nowMs, ...timeOfCall(operation.request.callId)]
  }
}

function timeOfCall(callId: string): readonly number[] {
  const ms = suffixMs(callId)
  return ms === null ? [] : [ms]
}

export function needsOf(operation: Operation, places: CallPlaces, seen: Seen): Need[] {
  switch (operation.kind) {
    case 'record':
      return []
    case 'begin_grant':
      return [
        grantNeed(operation.terms),
        ...(operation.isLarge ? ownerNeeds(operation) : creditNeeds(operation, seen)),
      ]
    case 'continue_grant':
      return creditNeeds(operation, seen)
    case 'complete': {
      const { endUserId, mode } = operation.request
      return personNeeds({ endUserId, mode }, seen.bundleOf(endUserId))
    }
    case 'reserve': {
      const { applicationId, bundleId, callId, endUserId, keyId, mode, nowMs, outcome } = operation.request
      return [
        { kind: 'application', id: applicationId },
        { kind: 'key', id: keyId },
        { kind: 'hold', endUserId, callId },
        ...personNeeds({ endUserId, mode }, bundleId),
        ...limitNeeds({ endUserId, mode, keyId, bundleId, nowMs, hasRun: outcome !== null }, seen),
        ...(outcome === null ? [] : [runNeed({ endUserId, mode }, outcome)]),
      ]
    }
    case 'checkpoint':
    case 'extend':
    case 'settle':
    case 'release':
    case 'recover':
      return callNeeds(operation, places, seen)
    default:
      return operation satisfies never
  }
}

function callNeeds(operation: OfCall, places: CallPlaces, seen: Seen): Need[] {
  const callId = callOf(operation)
  const place = places.get(callId)
  if (place === undefined) return []
  const { endUserId, keyId, mode, outcome } = place
  const needs: Need[] = [{ kind: 'hold', endUserId, callId }]
  if (operation.kind === 'checkpoint') return needs
  const bundleId = seen.bundleOf(endUserId)
  needs.push(...personNeeds({ endUserId, mode }, bundleId))
  if (outcome !== null) needs.push(runNeed({ endUserId, mode }, outcome))
  if (operation.kind === 'extend' && keyId !== null) {
    const { nowMs } = operation.request
    needs.push({ kind: 'key', id: keyId })
    needs.push(...limitNeeds({ endUserId, mode, keyId, bundleId, nowMs, hasRun: outcome !== null }, seen))
  }
  return needs
}

interface Whose {
  readonly endUserId: string
  readonly mode: Mode
}

function personNeeds({ endUserId, mode }: Whose, bundleId: string | undefined): Need[] {
  const needs: Need[] = [{ kind: 'sources', endUserId, mode }]
  if (bundleId === undefined) return needs
  needs.push({ kind: 'bundle', id: bundleId })
  return needs
}

function limitNeeds(
  of: Whose & {
    readonly keyId: string
    readonly bundleId: string | undefined
    readonly nowMs: number
    readonly hasRun: boolean
  },
  seen: Seen,
): Need[] {
  const { bundleId, endUserId, hasRun, keyId, mode, nowMs } = of
  const cap = seen.cap(keyId)
  const limit = bundleId === undefined ? null : (seen.bundle(bundleId)?.limit ?? null)
  const needs: Need[] = []
  if (cap !== null) needs.push({ kind: 'spent', keyId, ...daysOf(cap, nowMs), endUserId, mode })
  if (limit !== null) needs.push({ kind: 'spent', keyId: null, ...daysOf(limit, nowMs), endUserId, mode })
  if (hasRun || needs.length > 0) needs.push({ kind: 'holds_of', endUserId, mode })
  return needs
}

function runNeed({ endUserId, mode }: Whose, { runId, slug }: { slug: string; runId: string }): Need {
  return { kind: 'run', slug, runId, endUserId, mode }
}

type Terms = Parameters<Book['grant']>[0]

function grantNeed({ applicationId, grantId, idempotencyKey, mode }: Terms): Need {
  return { kind: 'grant', applicationId, mode, grantId, idempotencyKey }
}

function ownerNeeds({ endUserIds }: { readonly endUserIds: readonly string[] }): Need[] {
  return endUserIds.map((endUserId) => ({ kind: 'owner', endUserId }))
}

function creditNeeds(
  { endUserIds, terms: { grantId, mode } }: { readonly endUserIds: readonly string[]; readonly terms: Terms },
  seen: Seen,
): Need[] {
  return endUserIds.flatMap((endUserId): Need[] => [
    { kind: 'entry', idempotencyKey: grantId, endUserId, mode },
    ...personNeeds({ endUserId, mode }, seen.bundleOf(endUserId)),
  ])
}
