/**
 * Loads and updates a team member's shares in the wallet and the pools of the team's payer
 * (docs/decisions/2026-11-29-teams.md).
 */
import { assertMoney } from '#money/amount.ts'
import type { PoolSource, Source, TeamPoolSource, TeamSource } from '#money/decision-types.ts'
import { calendarWindow } from '#money/periods-and-windows.ts'
import {
  isCurrent,
  isShare,
  payerOf,
  sharedSourceId,
  teamPoolSourceId,
  teamSourceId,
} from '#money/payment-sources.ts'
import { poolShareOf, shareOf } from '#store/rows/pool-and-share-rows.ts'
import type { Book } from './ledger-state-in-memory.ts'
import type { Person } from './state-types.ts'

/**
 * Adds a team member's shares in the payer's pools and, for this month, in the payer's wallet. Then reads the payers'
 * sources again, because other members change them, too. Call this function before each decision, after the due sources
 * of all payers (`payersOf`) were added.
 */
export function readShares(book: Book, person: Person, nowMs: number): void {
  const { payer } = person
  if (payer === null && !person.hasShares) return
  if (payer !== null) addShares(book, person, payer.id, nowMs)
  for (const [at, cell] of person.cells.entries()) {
    if (!isShare(cell.source)) continue
    cell.source = current(book, person, cell.source, nowMs)
    person.sources[at] = cell.source
  }
}

/** Includes payers of former teams, if the end user still has shares in their money. */
export function payersOf(book: Book, person: Person, nowMs: number): readonly Person[] {
  const { payer } = person
  if (payer === null && !person.hasShares) return []
  const ids = new Set(person.sources.flatMap(({ id }) => payerOf(id) ?? []))
  if (payer !== null) ids.add(payer.id)
  return [...ids].map((id) => payerPerson(book, person, id, nowMs))
}

function addShares(book: Book, person: Person, payerId: string, nowMs: number): void {
  const { endsAtMs, startsAtMs } = calendarWindow('month', nowMs)
  assertMoney(endsAtMs !== null, 'a calendar month has an end')
  const empty = { posted: 0n, held: 0n }
  addShare(
    book,
    person,
    shareOf({ id: teamSourceId(payerId, startsAtMs), ...empty }, { startsAtMs, endsAtMs }),
  )
  for (const pool of payerPerson(book, person, payerId, nowMs).sources) {
    if (isShared(pool) && isCurrent(pool, nowMs))
      addShare(book, person, poolShareOf({ id: teamPoolSourceId(payerId, pool.id), ...empty }, pool))
  }
}

function addShare(book: Book, person: Person, source: Source): void {
  if (person.sources.some(({ id }) => id === source.id)) return
  book.addSource(person, { source, lastEntry: null, pool: null, isNew: true, isDirty: false })
  person.hasShares = true
}

function isShared(source: Source): source is PoolSource {
  return source.kind === 'pool' && source.memberCap !== null && !source.isSuspended
}

function current(
  book: Book,
  member: Person,
  source: TeamSource | TeamPoolSource,
  nowMs: number,
): TeamSource | TeamPoolSource {
  const payer = payerPerson(book, member, payerOf(source.id), nowMs)
  const shared = payer.sources.find(({ id }) => id === sharedSourceId(source.id))
  const isOwn = member.payer !== null && member.payer.id === payer.endUserId
  const isOpen = isOwn && isCurrent(source, nowMs) && !payer.isFrozen && !payer.isRemoved
  if (source.kind === 'team_pool') return { ...source, isOpen, pool: shared?.kind === 'pool' ? shared : null }
  return {
    ...source,
    isOpen,
    capMicros: isOwn ? member.payer.capMicros : null,
    wallet: shared?.kind === 'wallet' ? shared : { posted: 0n, held: 0n, given: 0n },
  }
}

/** Returns the payer whose money a share belongs to, even if the payer was deleted in the meantime. */
export function payerPerson(book: Book, { mode }: Person, payerId: string | null, nowMs: number): Person {
  const payer = payerId === null ? null : book.person(payerId, mode, nowMs)
  assertMoney(payer !== null, `the payer ${payerId} of a share is stored`)
  return payer
}
