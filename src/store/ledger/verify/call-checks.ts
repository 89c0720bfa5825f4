import { billedOf, chargeOf } from '#money/charge-ceiling.ts'
import { costOf, providerCost } from '#money/cost.ts'
import { accountUsage, type Usage } from '#money/usage-counts.ts'
import type { Leg, Quote } from '#money/decision-types.ts'
import { attemptsFromText, type StoredAttempt } from '#store/rows/failed-attempts-column.ts'
import { quoteFromText, usageFromText } from '#store/rows/json-columns.ts'
import { legsFromText } from '#store/rows/legs-column.ts'
import {
  bigintIn,
  bigintOrNullIn,
  numberOrNullIn,
  type SqlRow,
  textIn,
  textOrNullIn,
} from '#store/rows/read-row-strictly.ts'
import { Differences } from './first-difference-and-count.ts'
import { isRepeated } from './checks-in-sql.ts'
import type { DebitsWanted, StoreReading, Verification } from './store-snapshot-interface.ts'

const recordsAtOnce = 500

const quotesMax = 10_000

/**
 * Computes the charge of each usage record again by the rules of money/, and compares the charge with the ledger's
 * debits.
 */
export async function* callChecks(reading: StoreReading): AsyncGenerator<Verification> {
  const rating = new Differences()
  const debits = new Differences()
  const quotes = quotesOf(reading, rating)
  let rows = 0
  let matched = 0
  for await (const records of inGroups(reading.stream('SELECT * FROM usage_records'), recordsAtOnce)) {
    rows += records.length
    const calls = records.map((record) => {
      const read = (): Leg[] => legsFromText(textIn(record, 'legs'))
      return { record, legs: rating.read(`the legs of call ${nameOf(record)}`, read) ?? [] }
    })
    for (const { record, legs } of calls) {
      const quote = await quotes(textIn(record, 'quote_id'))
      const attempts = await attemptsOf(record, quotes, rating)
      const read = (): Usage => usageFromText(textIn(record, 'usage'))
      const usage = rating.read(`the usage of call ${nameOf(record)}`, read)
      if (quote === null || usage === null) continue
      for (const fault of [...ratingFaults(record, usage, legs, quote, attempts), ...attempts.faults])
        rating.add(`call ${nameOf(record)}: ${fault}`)
    }
    const wanted = calls.flatMap(({ legs, record }) => wantedOf(record, legs) ?? [])
    const entries = wanted.length === 0 ? [] : await reading.debits(wanted)
    matched += entries.length
    const byCall = Map.groupBy(entries, nameOf)
    for (const { record, legs } of calls) {
      const fault = debitFault(legs, byCall.get(nameOf(record)) ?? [])
      if (fault !== null) debits.add(`call ${nameOf(record)}: ${fault}`)
    }
  }
  yield {
    check: 'recomputing a charge from its usage and its quote gives the same amounts',
    rows,
    difference: rating.text(),
  }
  yield await failedCallsCheck(reading)
  const all = await reading.count(
    `SELECT count(*) FROM ledger WHERE kind = 'usage_debit' AND NOT (${isRepeated})`,
  )
  if (all !== matched) debits.add(`${all} debits on the ledger, ${matched} belong to a call`)
  yield {
    check: 'the charge of a request equals its ledger entries, for each source',
    rows,
    difference: debits.text(),
  }
}

function nameOf(row: SqlRow): string {
  return textIn(row, 'call_id')
}

function ratingFaults(
  record: SqlRow,
  usage: Usage,
  legs: readonly Leg[],
  quote: Quote,
  attempts: AttemptSums,
): string[] {
  const worstMicros = bigintIn(record, 'worst_micros')
  const cost = providerCost(usage, quote)
  const sold = costOf(usage, quote.sell).amount
  const used = quote.basis === 'sell_price' ? sold : cost.amount
  // Compare only micros. The hold also limits the credits, but the row does not store the held credits.
  const charge = chargeOf({ micros: used, credits: 0n }, { quote, worstMicros, worstCredits: 0n }).micros
  const paid = legs.reduce((sum, leg) => sum + leg.micros, 0n)
  const faults: string[] = []
  const expect = (name: string, stored: bigint, rated: bigint): void => {
    if (stored !== rated) faults.push(`${name} ${stored}, rated again ${rated}`)
  }
  const ofAccount = providerCost(accountUsage(usage), quote)
  expect('cost', bigintIn(record, 'cost_micros'), ofAccount.amount + attempts.micros)
  const assumed = bigintOrNullIn(record, 'assumed_micros')
  if (assumed !== null) expect('assumed', assumed, ofAccount.assumed + attempts.assumedMicros)
  expect('billed', bigintIn(record, 'billed_micros'), billedOf(sold, used, charge))
  expect('charge', bigintIn(record, 'charge_micros'), charge)
  expect('over hold', bigintIn(record, 'over_hold_micros'), used - charge)
  expect('legs', paid, charge)
  return faults
}

async function attemptsOf(
  record: SqlRow,
  quotes: ReadQuote,
  found: Differences,
): Promise<AttemptSums & { readonly faults: string[] }> {
  let micros = 0n
  let assumedMicros = 0n
  const faults: string[] = []
  const read = (): StoredAttempt[] => attemptsFromText(textOrNullIn(record, 'attempts'))
  const attempts = found.read(`the attempts of call ${nameOf(record)}`, read) ?? []
  for (const [at, attempt] of attempts.entries()) {
    const { costMicros, quoteId, usage } = attempt
    if (usage === null) {
      if (costMicros !== 0n) faults.push(`attempt ${at + 1} cost ${costMicros}, rated again 0`)
      continue
    }
    // oxlint-disable-next-line no-await-in-loop -- there are few quotes, and nearly all are cached
    const quote = await quotes(quoteId)
    if (quote === null) continue
    const rated = providerCost(usage, quote)
    if (rated.amount !== costMicros)
      faults.push(`attempt ${at + 1} cost ${costMicros}, rated again ${rated.amount}`)
    micros += rated.amount
    // An attempt that was stored before `assumedMicros` existed counts as 0, because the stored sums count it as 0.
    assumedMicros += attempt.assumedMicros === 0n ? 0n : rated.assumed
  }
  return { micros, assumedMicros, faults }
}

interface AttemptSums {
  readonly micros: bigint
  readonly assumedMicros: bigint
}

async function failedCallsCheck(reading: StoreReading): Promise<Verification> {
  const found = new Differences()
  const quotes = quotesOf(reading, found)
  let rows = 0
  for await (const record of reading.stream('SELECT * FROM requests WHERE attempts IS NOT NULL')) {
    rows += 1
    const { assumedMicros, faults, micros } = await attemptsOf(record, quotes, found)
    const stored = bigintIn(record, 'cost_micros')
    if (stored !== micros) faults.push(`cost ${stored}, its attempts ${micros}`)
    const assumed = bigintOrNullIn(record, 'assumed_micros')
    if (assumed !== null && assumed !== assumedMicros)
      faults.push(`assumed ${assumed}, its attempts ${assumedMicros}`)
    for (const fault of faults) found.add(`call ${nameOf(record)}: ${fault}`)
  }
  return {
    check: 'the cost of a failed request equals the sum of its attempts',
    rows,
    difference: found.text(),
  }
}

/** Null if the ledger has no debit for the call. */
function wantedOf(record: SqlRow, legs: readonly Leg[]): DebitsWanted | null {
  const firstEntry = numberOrNullIn(record, 'first_entry')
  if (firstEntry === null) return null
  return {
    endUserId: textIn(record, 'end_user_id'),
    mode: textIn(record, 'mode'),
    callId: nameOf(record),
    sourceIds: [...new Set(legs.map(({ sourceId }) => sourceId))],
    firstEntry,
    entriesMax: legs.length,
  }
}

/** Returns null if the ledger's debits equal the legs of the charge (the parts that the sources pay). */
function debitFault(legs: readonly Leg[], entries: readonly SqlRow[]): string | null {
  const owed = new Map<string, bigint>()
  for (const { sourceId, amount } of legs) owed.set(sourceId, (owed.get(sourceId) ?? 0n) + amount)
  for (const entry of entries) {
    const sourceId = textIn(entry, 'source_id')
    owed.set(sourceId, (owed.get(sourceId) ?? 0n) + bigintIn(entry, 'amount'))
  }
  for (const [sourceId, left] of owed) {
    if (left !== 0n) return `${sourceId} owes the ledger ${left}`
  }
  return null
}

/** Returns null if the quote is not stored or cannot be read, which is then a difference. */
type ReadQuote = (id: string) => Promise<Quote | null>

function quotesOf(reading: StoreReading, found: Differences): ReadQuote {
  const known = new Map<string, Quote>()
  return async (id) => {
    const old = known.get(id)
    if (old !== undefined) return old
    const body = await reading.quote(id)
    if (body === null) {
      found.add(`quote ${id} of a request is not stored`)
      return null
    }
    const quote = found.read(`quote ${id}`, () => quoteFromText(id, body))
    if (quote === null) return null
    if (known.size >= quotesMax) known.clear()
    known.set(id, quote)
    return quote
  }
}

async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = []
  for await (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
