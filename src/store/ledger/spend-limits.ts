import { calendarWindow, type Window } from '#money/period.ts'
import type { Limit } from '#money/hold.ts'
import type { Book } from './book.ts'
import type { BundleCell, KeyCell, OpenHold, Person, RunCell, Spend } from './book-cells.ts'
import { dayOf } from './day-sums.ts'

/** The key of the whole person's `Spend`. */
const wholePerson = ''

const none: readonly Limit[] = []

/**
 * The ceilings of a call, with the spending and the holds of each. Spending is read once from the day sums of
 * the window and then kept in memory; holds are added up over the calls in flight, also those admitted before
 * the ceiling was set.
 *
 * A charge counts in the window in which it settled, like the day sums: a call that was reserved in the
 * old month and ends in the new one counts as held in both, and as spent in the new one.
 */
export function limitsOf(
  book: Book,
  person: Person,
  key: KeyCell,
  bundle: BundleCell | null,
  outcome: OpenHold['outcome'],
  run: RunCell | null,
  nowMs: number,
): readonly Limit[] {
  const hasBundleLimit = bundle !== null && bundle.spendLimitMicros !== null
  if (outcome === null && key.capMicros === null && !hasBundleLimit) return none
  const limits: Limit[] = []
  if (outcome !== null) {
    const heldMicros = heldBy(book, person, (open) => isOfRun(open, outcome))
    const { ceilingMicros: limitMicros, runId: id } = outcome
    const spentMicros = run?.spentMicros ?? 0n
    limits.push({ kind: 'outcome_run', id, limitMicros, spentMicros, heldMicros, resetsAtMs: null })
  }
  if (key.capMicros !== null) {
    const { id, capMicros: limitMicros } = key
    const { micros: spentMicros, endsAtMs: resetsAtMs } = spendOf(book, person, id, key.capPeriod, nowMs)
    const heldMicros = heldBy(book, person, (open) => open.keyId === id)
    limits.push({ kind: 'key_cap', id, limitMicros, spentMicros, heldMicros, resetsAtMs })
  }
  if (bundle !== null && bundle.spendLimitMicros !== null) {
    const { slug: id, spendLimitMicros: limitMicros, spendLimitPeriod } = bundle
    const spend = spendOf(book, person, wholePerson, spendLimitPeriod, nowMs)
    const heldMicros = heldBy(book, person, () => true)
    const { micros: spentMicros, endsAtMs: resetsAtMs } = spend
    limits.push({ kind: 'bundle_limit', id, limitMicros, spentMicros, heldMicros, resetsAtMs })
  }
  return limits
}

/** Adds a charge to the cached windows that it falls into. */
export function countSpend(person: Person, keyId: string, chargeMicros: bigint, nowMs: number): void {
  if (person.spends.size === 0) return
  for (const name of [keyId, wholePerson]) {
    const spend = person.spends.get(name)
    if (spend !== undefined && isWithin(spend, nowMs)) spend.micros += chargeMicros
  }
}

function spendOf(book: Book, person: Person, name: string, period: Window, nowMs: number): Spend {
  const known = person.spends.get(name)
  if (known !== undefined && known.period === period && isWithin(known, nowMs)) return known
  const { startsAtMs, endsAtMs } = calendarWindow(period, nowMs)
  const { fromDay, toDay } = daysOf(period, nowMs)
  const micros = book.spent(person, name === wholePerson ? null : name, fromDay, toDay)
  const spend: Spend = { period, startsAtMs, endsAtMs, micros }
  person.spends.set(name, spend)
  return spend
}

/** The days of the window of `nowMs`: `fromDay` included, `toDay` not; null: without end. */
export function daysOf(
  period: Window,
  nowMs: number,
): { readonly fromDay: number; readonly toDay: number | null } {
  const { startsAtMs, endsAtMs } = calendarWindow(period, nowMs)
  return { fromDay: dayOf(startsAtMs), toDay: endsAtMs === null ? null : dayOf(endsAtMs) }
}

function isWithin({ startsAtMs, endsAtMs }: Spend, nowMs: number): boolean {
  return startsAtMs <= nowMs && (endsAtMs === null || nowMs < endsAtMs)
}

function heldBy(book: Book, person: Person, counts: (open: OpenHold) => boolean): bigint {
  let heldMicros = 0n
  for (const open of book.openOf(person)) if (counts(open)) heldMicros += open.hold.worstMicros
  return heldMicros
}

function isOfRun(open: OpenHold, { slug, runId }: { slug: string; runId: string }): boolean {
  return open.outcome !== null && open.outcome.runId === runId && open.outcome.slug === slug
}
