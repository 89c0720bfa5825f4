import type { CreditResult } from '#domain/ledger.ts'
import { creditWallet, reverseTopup } from '#money/grant.ts'
import { entryPosting, type Posting } from '#money/posting.ts'
import type { Book } from './book.ts'
import type { GrantTerms, Person } from './cells.ts'
import { completeSources, walletId } from './due-sources.ts'
import { assertCounts, OperationFault } from './operation-fault.ts'
import { post } from './apply-posting.ts'

/** A grant that was interrupted, with everyone it is for. */
export interface UnfinishedGrant {
  readonly kind: 'unfinished'
  readonly grantId: string
  readonly endUserIds: readonly string[]
}

/**
 * Begins a grant: writes its row, and credits all of its people when they are few. A large one keeps
 * the list of them on its row until the last `continueGrant`, so that the calls of everyone else go
 * in between, and so that a crash leaves nothing half granted: the next start finishes it.
 */
export function beginGrant(
  book: Book,
  terms: GrantTerms,
  endUserIds: readonly string[],
  isLarge: boolean,
): CreditResult | UnfinishedGrant {
  assertTerms(terms)
  const before = book.grant(terms)
  if (before !== null) {
    const { grantId, requestHash, endUsers, pending } = before
    if (requestHash !== terms.requestHash) return { kind: 'idempotency_mismatch' }
    if (pending === null) return { kind: 'credited', grantId, isReplay: true, endUsers }
    return { kind: 'unfinished', grantId, endUserIds: pending }
  }
  const { grantId } = terms
  if (isLarge) {
    for (const endUserId of endUserIds) {
      if (book.ownerOf(endUserId) !== terms.applicationId) throw namesStranger(terms, endUserId)
    }
    book.addGrant(terms, endUserIds.length, endUserIds)
    return { kind: 'unfinished', grantId, endUserIds }
  }
  const people = peopleOf(book, terms, endUserIds)
  book.addGrant(terms, endUserIds.length, null)
  creditEach(book, terms, people)
  return { kind: 'credited', grantId, isReplay: false, endUsers: endUserIds.length }
}

/** Credits some of the people of a large grant; a person who has it already is passed over. */
export function continueGrant(
  book: Book,
  terms: GrantTerms,
  endUserIds: readonly string[],
  isLast: boolean,
): void {
  creditEach(book, terms, peopleOf(book, terms, endUserIds))
  if (isLast) book.finishGrant(terms.applicationId, terms.grantId)
}

/** All of them are looked up before any is credited: a grant that names a stranger changes nothing. */
function peopleOf(book: Book, terms: GrantTerms, endUserIds: readonly string[]): Person[] {
  const { applicationId, mode, nowMs } = terms
  return endUserIds.map((endUserId) => {
    const person = book.person(endUserId, mode, nowMs)
    if (person !== null && person.applicationId === applicationId) return person
    throw namesStranger(terms, endUserId)
  })
}

function namesStranger({ applicationId, grantId }: GrantTerms, endUserId: string): OperationFault {
  return new OperationFault(`grant ${grantId} names ${endUserId}, who is not a person of ${applicationId}`)
}

function creditEach(book: Book, terms: GrantTerms, people: readonly Person[]): void {
  const { grantId, nowMs: atMs, reason } = terms
  for (const person of people) {
    // The grant's id, and not the caller's key: entries of one person are unique by it, for ever.
    if (book.hasEntry(person, grantId)) continue
    completeSources(book, person, atMs)
    post(book, person, postingOf(terms), { callId: null, grantId, reason, idempotencyKey: grantId, atMs })
  }
}

function postingOf({ kind, amountMicros }: GrantTerms): Posting {
  switch (kind) {
    case 'grant':
    case 'topup':
      return creditWallet(walletId, amountMicros, kind)
    case 'reversal':
      return reverseTopup(walletId, amountMicros)
    case 'adjustment':
      return entryPosting(walletId, 'micros', amountMicros, kind, true)
    default:
      return kind satisfies never
  }
}

/** An adjustment may take; everything else names how much, and the kind says which way. */
function assertTerms({ grantId, kind, amountMicros, nowMs }: GrantTerms): void {
  assertCounts('grant', grantId, [nowMs])
  if (amountMicros > 0n || (kind === 'adjustment' && amountMicros !== 0n)) return
  throw new OperationFault(`grant ${grantId}: a ${kind} cannot be of ${amountMicros} micros`)
}
