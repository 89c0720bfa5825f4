import { assertMoney } from '#money/amount.ts'
import { applyPosting, type Posting } from '#money/posting.ts'
import type { Book } from './book.ts'
import type { Person, SourceCell } from './book-cells.ts'

/** The reason why a ledger entry is written. */
export interface Cause {
  readonly callId: string | null
  readonly grantId: string | null
  readonly reason: string | null
  readonly idempotencyKey: string | null
  readonly atMs: number
}

export function causeOfCall(callId: string, atMs: number): Cause {
  return { callId, grantId: null, reason: null, idempotencyKey: null, atMs }
}

/**
 * Applies a posting to its source and writes the ledger entry. Returns the entry's sequence number, or null if no entry
 * is written.
 */
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
