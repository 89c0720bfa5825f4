/** What a person should have by now: a wallet, this period's pools, this month's on-demand. */
import { poolsDue } from '#money/grant.ts'
import type { Source } from '#money/hold.ts'
import { calendarWindow, periodAt } from '#money/period.ts'
import type { BundleCell, Book, Person, SourceCell } from './book.ts'
import { post } from './post.ts'

export const walletId = 'wallet'

/**
 * Adds the sources that are due and missing. Pools are granted by the first call of a period, not by a
 * timer: a person who does not call costs nothing, and no period is missed while the server is down.
 */
export function completeSources(book: Book, person: Person, bundle: BundleCell | null, nowMs: number): void {
  if (nowMs < person.completeUntilMs && person.completeFor === bundle) return
  dropSpentPeriods(person, nowMs)
  if (!person.sources.some(({ kind }) => kind === 'wallet')) {
    addPlainSource(book, person, { kind: 'wallet', id: walletId, posted: 0n, held: 0n })
  }
  let untilMs = Infinity
  if (bundle !== null && bundle.includes.length > 0) untilMs = grantPools(book, person, bundle, nowMs)
  if (person.onDemand.isEnabled) untilMs = Math.min(untilMs, openOnDemand(book, person, nowMs))
  person.completeUntilMs = untilMs
  person.completeFor = bundle
}

function grantPools(book: Book, person: Person, bundle: BundleCell, nowMs: number): number {
  const { pools: existing, nextSequence } = book.grantedPools(person)
  const { interval, includes, id: bundleId } = bundle
  const anchorMs = person.subscribedAtMs
  const due = poolsDue({ bundleId, includes, anchorMs, interval, nowMs, existing, nextSequence })
  for (const { source, include, posting } of due) {
    const { displayName, recurring } = include
    addCell(book, person, source, { bundleId, displayName, recurring })
    if (posting === null) continue
    const cause = { callId: null, grantId: null, reason: 'bundle', idempotencyKey: null, atMs: nowMs }
    post(book, person, posting, cause)
  }
  return periodAt(anchorMs, 'month', Math.max(nowMs, anchorMs)).endsAtMs
}

/** On-demand is billed by calendar month, so each month is a source of its own. */
function openOnDemand(book: Book, person: Person, nowMs: number): number {
  const { startsAtMs, endsAtMs } = calendarWindow('month', nowMs)
  const monthEndsAtMs = endsAtMs ?? Infinity
  const id = `on_demand/${new Date(startsAtMs).toISOString().slice(0, 7)}`
  if (!person.sources.some((source) => source.id === id)) {
    const { isEnabled, limitMicros } = person.onDemand
    addPlainSource(book, person, {
      kind: 'on_demand',
      id,
      posted: 0n,
      held: 0n,
      isEnabled,
      limitMicros,
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

/** Forgets, in memory, sources of past periods that nothing is held on. */
function dropSpentPeriods(person: Person, nowMs: number): void {
  person.cells = person.cells.filter((cell) => cell.isDirty || !isSpent(cell.source, nowMs))
  person.sources = person.cells.map((cell) => cell.source)
}

function isSpent(source: Source, nowMs: number): boolean {
  if (source.kind === 'wallet' || source.endsAtMs === null) return false
  return source.endsAtMs <= nowMs && source.held === 0n
}
