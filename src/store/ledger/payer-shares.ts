/** Keeps the shares of a member in the wallet of the team's payer (docs/decisions/2026-11-28-teams.md). */
import { assertMoney } from '#money/amount.ts'
import type { TeamSource } from '#money/hold.ts'
import { calendarWindow } from '#money/period.ts'
import { isCurrent, payerOf, teamSourceId } from '#money/sources.ts'
import { shareOf } from '#store/rows/sources.ts'
import type { Book } from './book.ts'
import type { Person } from './book-cells.ts'

/**
 * Adds this month's share if the end user is in a team, and reads the payers' wallets again, because other members
 * change them. Call before each decision.
 */
export function readShares(book: Book, person: Person, nowMs: number): void {
  const { payer } = person
  if (payer === null && !person.hasShares) return
  if (payer !== null) addShare(book, person, payer.id, nowMs)
  for (const [at, cell] of person.cells.entries()) {
    if (cell.source.kind !== 'team') continue
    cell.source = current(book, person, cell.source, nowMs)
    person.sources[at] = cell.source
  }
}

function addShare(book: Book, person: Person, payerId: string, nowMs: number): void {
  const { endsAtMs, startsAtMs } = calendarWindow('month', nowMs)
  const id = teamSourceId(payerId, startsAtMs)
  if (person.sources.some((source) => source.id === id)) return
  assertMoney(endsAtMs !== null, 'a calendar month has an end')
  const source = shareOf({ id, posted: 0n, held: 0n }, { startsAtMs, endsAtMs })
  book.addSource(person, { source, lastEntry: null, pool: null, isNew: true, isDirty: false })
  person.hasShares = true
}

function current(book: Book, member: Person, source: TeamSource, nowMs: number): TeamSource {
  const payer = payerPerson(book, member, source.id, nowMs)
  const wallet = payer.sources.find((one) => one.kind === 'wallet')
  const isOwn = member.payer !== null && member.payer.id === payer.endUserId
  return {
    ...source,
    isOpen: isOwn && isCurrent(source, nowMs) && !payer.isFrozen && !payer.isRemoved,
    capMicros: isOwn ? member.payer.capMicros : null,
    wallet: wallet ?? { posted: 0n, held: 0n, given: 0n },
  }
}

/** Returns the payer whose wallet the source is a share of, even if the payer was deleted in the meantime. */
export function payerPerson(book: Book, { mode }: Person, sourceId: string, nowMs: number): Person {
  const payerId = payerOf(sourceId)
  const payer = payerId === null ? null : book.person(payerId, mode, nowMs)
  assertMoney(payer !== null, `the payer of ${sourceId} is stored`)
  return payer
}
