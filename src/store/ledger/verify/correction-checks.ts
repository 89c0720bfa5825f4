import { legsFromText } from '#store/rows/legs-column.ts'
import { bigintIn, type SqlRow, textIn } from '#store/rows/read-row-strictly.ts'
import { Differences } from './first-difference-and-count.ts'
import { isRepeated } from './checks-in-sql.ts'
import type { StoreReading, Verification } from './store-snapshot-interface.ts'

/** Ordered by call. An adjustment with a call ID is usage that was reported late. */
const entriesText = `SELECT call_id, sequence, source_id, amount, kind FROM ledger
  WHERE (kind = 'refund' AND NOT (${isRepeated})) OR (kind = 'adjustment' AND call_id IS NOT NULL)
  ORDER BY call_id, sequence`
const correctionsText = `SELECT call_id, id, kind, charge_micros, legs, entries FROM call_corrections
  ORDER BY call_id, number`

const entryKinds: Readonly<Record<string, string>> = { refund: 'refund', late_usage: 'adjustment' }

/** Checks that each stored correction has its ledger entries, and that each such entry has its correction. */
export async function correctionCheck(reading: StoreReading): Promise<Verification> {
  const found = new Differences()
  const entries = reading.stream(entriesText)[Symbol.asyncIterator]()
  let next = await entries.next()
  let rows = 0
  for await (const { callId, corrections } of byCall(reading.stream(correctionsText))) {
    while (next.done !== true && textIn(next.value, 'call_id') < callId) {
      found.add(strayText(next.value))
      next = await entries.next()
    }
    const own: SqlRow[] = []
    while (next.done !== true && textIn(next.value, 'call_id') === callId) {
      own.push(next.value)
      next = await entries.next()
    }
    rows += corrections.length
    for (const fault of faultsOf(corrections, own, found)) found.add(`call ${callId}: ${fault}`)
  }
  for (; next.done !== true; next = await entries.next()) found.add(strayText(next.value))
  return {
    check: 'the corrections of a request equal their ledger entries, for each source',
    rows,
    difference: found.text(),
  }
}

function strayText(entry: SqlRow): string {
  return `entry ${String(entry.sequence)} corrects call ${textIn(entry, 'call_id')}, and no correction names it`
}

function faultsOf(corrections: readonly SqlRow[], entries: readonly SqlRow[], found: Differences): string[] {
  const faults: string[] = []
  const left = new Map(entries.map((entry) => [String(entry.sequence), entry]))
  for (const correction of corrections) {
    const id = textIn(correction, 'id')
    const owed = new Map<string, bigint>()
    let micros = 0n
    const legs = found.read(`the legs of ${id}`, () => legsFromText(textIn(correction, 'legs')))
    for (const leg of legs ?? []) {
      owed.set(leg.sourceId, (owed.get(leg.sourceId) ?? 0n) + leg.amount)
      micros += leg.micros
    }
    if (micros !== bigintIn(correction, 'charge_micros')) faults.push(`${id}: its legs add up to ${micros}`)
    for (const sequence of sequencesIn(textIn(correction, 'entries'))) {
      const entry = left.get(sequence)
      left.delete(sequence)
      if (entry === undefined || entry.kind !== entryKinds[textIn(correction, 'kind')]) {
        faults.push(`${id}: its entry ${sequence} is not there`)
        continue
      }
      const sourceId = textIn(entry, 'source_id')
      owed.set(sourceId, (owed.get(sourceId) ?? 0n) + bigintIn(entry, 'amount'))
    }
    for (const [sourceId, amount] of owed)
      if (amount !== 0n) faults.push(`${id}: ${sourceId} differs from the ledger by ${amount}`)
  }
  for (const entry of left.values()) faults.push(strayText(entry))
  return faults
}

function sequencesIn(text: string): string[] {
  return text.slice(1, -1).split(',').filter(Boolean)
}

async function* byCall(
  rows: AsyncIterable<SqlRow>,
): AsyncGenerator<{ readonly callId: string; readonly corrections: readonly SqlRow[] }> {
  let corrections: SqlRow[] = []
  let callId: string | null = null
  for await (const row of rows) {
    const of = textIn(row, 'call_id')
    if (callId !== null && of !== callId) {
      yield { callId, corrections }
      corrections = []
    }
    callId = of
    corrections.push(row)
  }
  if (callId !== null) yield { callId, corrections }
}
