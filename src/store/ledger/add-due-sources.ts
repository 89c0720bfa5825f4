import { type Include, type OwnedPool, poolChanges } from '#money/plan-pools.ts'
import type { Leg, Source } from '#money/decision-types.ts'
import { calendarWindow } from '#money/periods-and-windows.ts'
import { isCurrent, onDemandTime, walletId } from '#money/payment-sources.ts'
import type { CompleteRequest } from '#domain/ledger-interface.ts'
import type { Book } from './ledger-state-in-memory.ts'
import type { BundleCell, Person, SourceCell } from './state-types.ts'
import { assertCounts } from './operation-fault.ts'
import { rolloverKeptMs } from './rows-that-operation-needs.ts'
import { postAll } from './apply-posting.ts'
import { payersOf, readShares } from './member-shares-of-payer-money.ts'

export function complete(book: Book, { endUserId, mode, nowMs }: CompleteRequest): void {
  assertCounts('completion of', endUserId, [nowMs])
  const person = book.person(endUserId, mode, nowMs)
  if (person === null) return
  const includes = includesOf(person, bundleOfPerson(book, person))
  if (person.cells.length === 0 && person.payer === null && includes.length === 0) return
  completeSources(book, person, nowMs)
}

function bundleOfPerson(book: Book, { bundleId }: Person): BundleCell | null {
  return bundleId === null ? null : book.bundle(bundleId)
}

function includesOf({ mode }: Person, bundle: BundleCell | null): readonly Include[] {
  return bundle === null ? [] : bundle.includes[mode]
}

/**
 * Adds the sources that are due and do not exist yet. The first event of an end user in a period (a call, a credit or a
 * read) grants the pools. No timer grants pools, so an inactive end user causes no work. Each version of the plan's
 * terms has a date (money/plan-pools.ts). A pool that is granted late has the same terms as a pool that is granted on
 * time.
 * @returns the end user's bundle, or null if the end user has no bundle
 */
export function completeSources(book: Book, person: Person, nowMs: number): BundleCell | null {
  const bundle = completeOwn(book, person, nowMs)
  for (const payer of payersOf(book, person, nowMs)) completeOwn(book, payer, nowMs)
  readShares(book, person, nowMs)
  return bundle
}

function completeOwn(book: Book, person: Person, nowMs: number): BundleCell | null {
  const bundle = bundleOfPerson(book, person)
  if (nowMs < person.completeUntilMs && person.completeFor === bundle) return bundle
  dropSpentPeriods(person, nowMs)
  if (!person.sources.some(({ kind }) => kind === 'wallet')) {
    addPlainSource(book, person, { kind: 'wallet', id: walletId, posted: 0n, held: 0n, given: 0n })
  }
  let untilMs = Infinity
  if (includesOf(person, bundle).length > 0 || person.cells.some(({ pool }) => pool !== null)) {
    untilMs = bringUp(book, person, bundle, nowMs)
  }
  if (person.onDemand.isEnabled) untilMs = Math.min(untilMs, openOnDemand(book, person, nowMs))
  person.completeUntilMs = untilMs
  person.completeFor = bundle
  return bundle
}

/** Only this function moves money for a plan. */
function bringUp(book: Book, person: Person, bundle: BundleCell | null, nowMs: number): number {
  const pools: OwnedPool[] = []
  for (const { pool, source } of person.cells) {
    if (pool !== null && source.kind === 'pool') pools.push({ source, ...pool })
  }
  const { granted, postings, untilMs } = poolChanges({
    bundleId: person.bundleId,
    isRemoved: person.isRemoved,
    includes: includesOf(person, bundle),
    anchorMs: person.subscribedAtMs,
    sinceMs: person.bundleSinceMs,
    interval: bundle === null ? 'month' : bundle.interval,
    nowMs,
    pools,
  })
  for (const { source, ...pool } of granted) addCell(book, person, source, pool)
  const cause = { callId: null, grantId: null, reason: null, idempotencyKey: null, atMs: nowMs }
  postAll(book, person, postings, cause)
  return untilMs
}

/**
 * Applies due changes to the sources that got held money back when a call ended. Each leg names a source and an amount.
 * Nothing is due if all pools of the end user belong to the current plan and period. Otherwise, the returned money may
 * lapse, or it may have to be removed together with the end user's former plan. A pool of another plan may also have
 * spent the same money already.
 */
export function completeAfter(book: Book, person: Person, legs: readonly Leg[], nowMs: number): void {
  if (!legs.some(({ kind }) => kind === 'pool' || kind === 'team_pool')) return
  const owners = [person, ...payersOf(book, person, nowMs)]
  const closed = owners.filter(({ sources }) => sources.some((source) => isClosed(source, nowMs)))
  if (closed.length > 0) completeAgain(book, person, closed, nowMs)
}

export function completeAgain(book: Book, person: Person, owners: readonly Person[], nowMs: number): void {
  for (const owner of owners) owner.completeUntilMs = -Infinity
  completeSources(book, person, nowMs)
}

function isClosed(source: Source, nowMs: number): boolean {
  return source.kind === 'pool' && (source.isSuspended || !isCurrent(source, nowMs))
}

/** On-demand is invoiced by calendar month, so each month is a separate source. */
function openOnDemand(book: Book, person: Person, nowMs: number): number {
  const { startsAtMs, endsAtMs } = calendarWindow('month', onDemandTime(person.onDemand.closedUntilMs, nowMs))
  const monthEndsAtMs = endsAtMs ?? Infinity
  const id = `on_demand/${new Date(startsAtMs).toISOString().slice(0, 7)}`
  if (!person.sources.some((source) => source.id === id)) {
    addPlainSource(book, person, {
      kind: 'on_demand',
      id,
      posted: 0n,
      held: 0n,
      ...person.onDemand,
      startsAtMs,
      endsAtMs: monthEndsAtMs,
    })
  }
  return monthEndsAtMs
}

function addPlainSource(book: Book, person: Person, source: Source): void {
  addCell(book, person, source, null)
}

function addCell(book: Book, person: Person, source: Source, pool: SourceCell['pool']): void {
  book.addSource(person, { source, lastEntry: null, pool, isNew: true, isDirty: false })
}

function dropSpentPeriods(person: Person, nowMs: number): void {
  person.cells = person.cells.filter((cell) => cell.isDirty || !isSpent(cell, nowMs))
  person.sources = person.cells.map((cell) => cell.source)
}

function isSpent({ pool, source }: SourceCell, nowMs: number): boolean {
  if (source.kind === 'wallet' || source.endsAtMs === null) return false
  if (pool !== null && pool.rollover !== null && source.endsAtMs > nowMs - rolloverKeptMs) return false
  return source.endsAtMs <= nowMs && source.held === 0n && (source.kind !== 'pool' || source.posted === 0n)
}
