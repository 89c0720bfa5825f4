import type { RedirectRequest } from '#domain/ledger-interface.ts'
import { demandAt, worstCase } from '#money/worst-case.ts'
import { targetToText } from '#store/rows/json-columns.ts'
import type { Book } from './ledger-state-in-memory.ts'
import { noSuchHold, OperationFault } from './operation-fault.ts'
import { storedAttempts } from './settle-and-release.ts'

/**
 * The new target's price replaces the former price, and the worst-case cost must still fit into the hold. The hold
 * stores the cost of the failed attempts, so that the cost is not lost if the process dies.
 */
export function redirect(book: Book, request: RedirectRequest): void {
  const { attempts, callId, outputTokens, target } = request
  const open = book.open(callId)
  if (open === null) throw noSuchHold(callId)
  const quote = book.quote(request.quote)
  const bound = { ...open.hold.bound, outputTokens }
  const { credits, micros } = demandAt(worstCase(quote, bound), outputTokens)
  if (micros > open.hold.worstMicros || credits > open.hold.worstCredits)
    throw new OperationFault(
      `call ${callId} holds ${open.hold.worstMicros} micros, and ${target.model} may cost ${micros}`,
    )
  // Drop the checkpoint that is not stored yet, because it describes the target that failed.
  open.checkpoint = null
  open.attempts = storedAttempts(book, attempts)
  open.targetText = targetToText(target)
  open.hold = { ...open.hold, quote, bound }
  book.changeHold(open)
}
