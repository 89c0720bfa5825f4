import type { BackgroundRequest } from '#domain/ledger-interface.ts'
import type { Book } from './ledger-state-in-memory.ts'

/** Does nothing if the call has already ended. */
export function background(book: Book, { callId, delivered, response }: BackgroundRequest): void {
  const open = book.open(callId)
  if (open === null) return
  open.background = response
  if (delivered !== undefined && delivered.output > (open.checkpoint?.output ?? 0))
    open.checkpoint = delivered
  book.changeHold(open)
}
