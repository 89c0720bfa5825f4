import { calendarWindow, type Window } from '#money/periods-and-windows.ts'
import type { Limit, RateLimit, RateRule } from '#money/decision-types.ts'
import {
  appliesTo,
  countsAny,
  countUse,
  heldAmount,
  type RateAmounts,
  type RateUse,
  slotsOfRule,
} from '#money/rate-limit.ts'
import type { ReserveRequest } from '#domain/ledger-interface.ts'
import type { Book } from './ledger-state-in-memory.ts'
import {
  type BundleCell,
  type KeyCell,
  type OpenHold,
  type Person,
  portalLines,
  type RunCell,
  type Spend,
  wholePerson,
} from './state-types.ts'
import { dayOf } from './day-sums-of-batch.ts'

const none: readonly Limit[] = []

/**
 * Returns the spend ceilings of a call, each with the spent and the held amount. The spent amount is read once, from
 * the sums of the window's days, and then kept in memory. The held amount includes calls that were admitted before the
 * ceiling was set.
 *
 * The cap of a key covers its whole key line, including the spending of the keys that it replaced.
 *
 * A window counts the charges that settled within the window. A call that is reserved in one month and ends in the next
 * counts as held in both months. It counts as spent in the second month.
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
  const portalTotal = key.isPortalLine ? (book.application(person.applicationId)?.portalTotal ?? null) : null
  const hasBundleLimit = bundle !== null && bundle.spendLimitMicros !== null
  const hasOtherLimit = hasBundleLimit || portalTotal !== null || person.limits.length > 0
  if (outcome === null && key.capMicros === null && !hasOtherLimit) return none
  const limits: Limit[] = []
  if (outcome !== null) {
    const heldMicros = heldBy(book, person, (open) => isOfRun(open, outcome))
    const { ceilingMicros: limitMicros, runId: id } = outcome
    const spentMicros = run?.spentMicros ?? 0n
    limits.push({ kind: 'outcome_run', id, limitMicros, spentMicros, heldMicros, resetsAtMs: null })
  }
  if (key.capMicros !== null) {
    const { capMicros: limitMicros, capPeriod, id, lineId } = key
    const { micros: spentMicros, endsAtMs: resetsAtMs } = spendOf(book, person, lineId, capPeriod, nowMs)
    const heldMicros = heldBy(book, person, (open) => open.lineId === lineId)
    limits.push({ kind: 'key_cap', id, limitMicros, spentMicros, heldMicros, resetsAtMs })
  }
  if (portalTotal !== null) {
    const { micros: limitMicros, window } = portalTotal
    const spend = spendOf(book, person, portalLines, window, nowMs)
    const heldMicros = heldBy(book, person, (open) => open.isPortalLine)
    const { micros: spentMicros, endsAtMs: resetsAtMs } = spend
    limits.push({ kind: 'portal_total', id: portalLines, limitMicros, spentMicros, heldMicros, resetsAtMs })
  }
  if (!hasBundleLimit && person.limits.length === 0) return limits
  const heldMicros = heldBy(book, person, () => true)
  if (bundle !== null && bundle.spendLimitMicros !== null) {
    const { slug: id, spendLimitMicros: limitMicros, spendLimitPeriod } = bundle
    const spend = spendOf(book, person, wholePerson, spendLimitPeriod, nowMs)
    const { micros: spentMicros, endsAtMs: resetsAtMs } = spend
    limits.push({ kind: 'bundle_limit', id, limitMicros, spentMicros, heldMicros, resetsAtMs })
  }
  for (const { micros: limitMicros, window: id } of person.limits) {
    const { micros: spentMicros, endsAtMs: resetsAtMs } = spendOf(book, person, wholePerson, id, nowMs)
    limits.push({ kind: 'end_user_limit', id, limitMicros, spentMicros, heldMicros, resetsAtMs })
  }
  return limits
}

export interface RateHolders {
  readonly person: Person
  readonly key: KeyCell | null
  readonly bundle: BundleCell | null
}

const noRates: readonly RateLimit[] = []

export function ratesOf(
  book: Book,
  { bundle, key, person }: RateHolders,
  alias: string,
  nowMs: number,
): readonly RateLimit[] {
  const ofKey = key?.rates ?? noRules
  const ofBundle = bundle?.rates ?? noRules
  if (person.rates.length + ofKey.length + ofBundle.length === 0) return noRates
  const limits: RateLimit[] = []
  const add = (
    source: RateLimit['source'],
    rules: readonly RateRule[],
    uses: readonly RateUse[],
    lineId: string | null,
  ): void => {
    for (const rule of rules) {
      if (!appliesTo(rule, alias)) continue
      const { measure, models, most, window } = rule
      const slots = slotsOfRule(rule, uses, nowMs)
      const held = heldUnder(rule, book, person, lineId)
      limits.push({ measure, models, most, window, source, slots, held })
    }
  }
  if (key !== null && ofKey.length > 0) add('key_limit', ofKey, book.lineUses(person, key.lineId), key.lineId)
  add('bundle_limit', ofBundle, person.uses, null)
  add('end_user_limit', person.rates, person.uses, null)
  return limits
}

/** @param lineId the key line whose calls count; null means all calls of the end user */
function heldUnder(rule: RateRule, book: Book, person: Person, lineId: string | null): bigint {
  // A limit on requests counts a request at its admission, so calls in flight hold no part of this limit.
  if (rule.measure === 'requests') return 0n
  let held = 0n
  for (const open of book.openOf(person)) {
    const isOfLine = lineId === null || open.lineId === lineId
    if (isOfLine && appliesTo(rule, open.hold.bound.alias)) held += heldAmount(rule.measure, open.hold)
  }
  return held
}

/**
 * Appends the rate limits that several end users share. The gateway counts the usage of shared limits
 * (gateway/call/enforce-shared-limits.ts).
 */
export function withShared(
  rates: readonly RateLimit[],
  { sharedRates }: Pick<ReserveRequest, 'sharedRates'>,
): readonly RateLimit[] {
  return sharedRates === undefined ? rates : [...rates, ...sharedRates]
}

const noRules: readonly RateRule[] = []

export function countRates(
  book: Book,
  { bundle, key, person }: RateHolders,
  alias: string,
  amounts: RateAmounts,
  nowMs: number,
): void {
  // Skip limits that count no amount of this operation. Most limits count only in the reserve or only in the settle.
  if (key !== null && countsAny(key.rates, alias, amounts)) {
    const { lineId, rates } = key
    const uses = countUse(rates, book.lineUses(person, lineId), alias, amounts, nowMs)
    book.changedUses.changeLine(person, lineId, uses)
  }
  const ofBundle = bundle?.rates ?? noRules
  if (!countsAny(person.rates, alias, amounts) && !countsAny(ofBundle, alias, amounts)) return
  const rules = ofBundle.length === 0 ? person.rates : [...person.rates, ...ofBundle]
  book.changedUses.change(person, countUse(rules, person.uses, alias, amounts, nowMs))
}

export function countSpend(
  person: Person,
  { isPortalLine, lineId }: Pick<OpenHold, 'isPortalLine' | 'lineId'>,
  chargeMicros: bigint,
  nowMs: number,
): void {
  if (person.spends.size === 0) return
  addSpend(person, lineId, chargeMicros, nowMs)
  addSpend(person, wholePerson, chargeMicros, nowMs)
  if (isPortalLine) addSpend(person, portalLines, chargeMicros, nowMs)
}

function addSpend({ spends }: Person, spender: string, chargeMicros: bigint, nowMs: number): void {
  const known = spends.get(spender)
  if (known === undefined) return
  for (const spend of known) if (isWithin(spend, nowMs)) spend.micros += chargeMicros
}

function spendOf(book: Book, person: Person, spender: string, period: Window, nowMs: number): Spend {
  let known = person.spends.get(spender)
  if (known === undefined) person.spends.set(spender, (known = []))
  const at = known.findIndex((spend) => spend.period === period)
  const before = known[at]
  if (before !== undefined && isWithin(before, nowMs)) return before
  const { startsAtMs, endsAtMs } = calendarWindow(period, nowMs)
  const { fromDay, toDay } = daysOf(period, nowMs)
  const micros = book.spent(person, spender, fromDay, toDay)
  const spend: Spend = { period, startsAtMs, endsAtMs, micros }
  if (before === undefined) known.push(spend)
  else known[at] = spend
  return spend
}

/** `fromDay` is inclusive. `toDay` is exclusive, and null means no end. */
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
