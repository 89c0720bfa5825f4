import { recover as recoverHold } from '#money/recover.ts'
import type { Book, RequestRow } from './book.ts'
import { closeWithCharge, closeWithoutCharge } from './settle.ts'

/**
 * Ends a call whose process died. Its own process can never end it: a hold is settled by the process
 * that made it, and that one is gone for certain, since it gave up the folder's lock.
 */
export function recover(book: Book, callId: string, nowMs: number): void {
  const open = book.open(callId)
  if (open === null || open.epoch === book.epoch) return
  const { hold, dispatchedAtMs, checkpoint, inputEstimate } = open
  const recovery = recoverHold(hold, { dispatchedAtMs, checkpoint, inputEstimate })
  let chargeMicros = 0n
  if (recovery.kind === 'release') {
    closeWithoutCharge(book, open, nowMs)
  } else {
    const { usage } = recovery
    // Only a stream is metered before its end.
    const streamed = checkpoint !== null
    chargeMicros = closeWithCharge(book, open, {
      usage,
      tokenSource: 'recovered',
      streamed,
      nowMs,
    }).chargeMicros
  }
  const { applicationId, keyId, reservedAtMs, person } = open
  const row: RequestRow = {
    callId,
    applicationId,
    mode: person.mode,
    endUserId: person.endUserId,
    keyId,
    alias: hold.bound.alias,
    // The hold does not say, and the client got what it got.
    wire: 'unknown',
    streamed: checkpoint !== null,
    status: 'recovered',
    httpStatus: 0,
    errorCode: null,
    atMs: reservedAtMs,
    latencyMs: Math.max(0, nowMs - reservedAtMs),
    firstByteMs: null,
    trace: '{}',
  }
  book.addRequest(row, chargeMicros)
}
