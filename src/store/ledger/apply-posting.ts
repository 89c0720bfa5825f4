import { assertMoney, maxOf, minOf } from '#money/amount.ts'
import { applyPosting, type Posting } from '#money/posting.ts'
import { payerOf, sharedSourceId, teamPrefix, walletId } from '#money/payment-sources.ts'
import type { Book } from './ledger-state-in-memory.ts'
import type { Person, SourceCell } from './state-types.ts'
import { payerPerson } from './member-shares-of-payer-money.ts'

export interface Cause {
  readonly callId: string | null
  readonly grantId: string | null
  readonly reason: string | null
  readonly idempotencyKey: string | null
  /** ID of the correction. Absent if the entry has another cause. */
  readonly correctionId?: string
  readonly atMs: number
}

export function causeOfCall(callId: string, atMs: number): Cause {
  return { callId, grantId: null, reason: null, idempotencyKey: null, atMs }
}

/**
 * Applies the postings of a call. A posting to a member's share in a payer's wallet or pool is also applied to the
 * payer's wallet or pool. The end user's entries are written first, because their numbers must be consecutive.
 * @returns the sequence numbers of the end user's entries
 */
export function postAll(
  book: Book,
  person: Person,
  postings: readonly Posting[],
  cause: Cause,
): readonly number[] {
  const sequences: number[] = []
  for (const posting of postings) {
    const sequence = post(book, person, posting, cause)
    if (sequence !== null) sequences.push(sequence)
  }
  if (person.hasShares) {
    for (const posting of postings)
      if (payerOf(posting.sourceId) !== null) repeatOnPayer(book, person, posting, cause)
  }
  return sequences
}

/**
 * The entry on the payer's source names the member instead of the call, because the payer does not own the call.
 *
 * If a pool's money returns to the payer's wallet, the entry also names the pool, and the amount counts as granted
 * credit. The entry then has an idempotency key, because reversals of grants search for entries with a key. A refund to
 * a wallet with a negative balance first reduces the debt. Only the remaining part of the refund can become granted
 * credit.
 */
function repeatOnPayer(book: Book, member: Person, posting: Posting, cause: Cause): void {
  const payer = payerPerson(book, member, payerOf(posting.sourceId), cause.atMs)
  const shared = sharedSourceId(posting.sourceId)
  const {
    creditsPayer = false,
    givenDelta = creditsPayer ? posting.postedDelta : undefined,
    ...same
  } = posting
  const sourceId = creditsPayer ? walletId : shared
  const balance = payer.sources.find(({ id }) => id === sourceId)?.posted ?? 0n
  const beyondDebt = maxOf(0n, posting.postedDelta + minOf(0n, balance))
  const onPayer = {
    ...same,
    sourceId,
    ...(givenDelta !== undefined && { givenDelta: minOf(givenDelta, beyondDebt) }),
  }
  const of = teamPrefix + member.endUserId + (creditsPayer ? `/${shared}` : '')
  const reason = posting.entry === null ? null : of
  const idempotencyKey = creditsPayer ? `${cause.correctionId}/${shared}` : null
  post(book, payer, onPayer, { ...cause, callId: null, reason, idempotencyKey })
}

/** Returns the entry's sequence number, or null if no entry is written. */
export function post(book: Book, person: Person, posting: Posting, cause: Cause): number | null {
  const cell = cellOf(person, posting.sourceId)
  assertMoney(cell !== undefined, `source ${posting.sourceId} of ${person.endUserId} is not loaded`)
  cell.source = applyPosting(cell.source, posting)
  book.changeSource(person, cell)
  if (posting.entry === null) return null
  const { entry: kind, unit, postedDelta: amount, givenDelta: given = null, reason = cause.reason } = posting
  return book.addEntry({ ...cause, reason, person, cell, kind, unit, amount, given })
}

function cellOf(person: Person, sourceId: string): SourceCell | undefined {
  for (const cell of person.cells) if (cell.source.id === sourceId) return cell
  return undefined
}
