import type { RequestRecord } from '#domain/ledger-interface.ts'
import { timeIn } from '#domain/test-clock.ts'
import { recover as recoverHold } from '#money/charge-after-crash.ts'
import type { Book } from './ledger-state-in-memory.ts'
import type { OpenHold } from './state-types.ts'
import { targetFromText } from '#store/rows/json-columns.ts'
import { closeWithCharge, closeWithoutCharge } from './settle-and-release.ts'

export interface RecoverResult {
  readonly kind: 'ended' | 'taken_over'
}

/**
 * While the process that created a hold runs, only that process settles the hold. Call this function only after the
 * creating process has released the lock of the data folder, or after its epoch has ended. If a provider still
 * generates the response in the background, this process takes over the hold. It later asks the provider for the
 * result.
 * @param realMs the real time, because this process does not know the test clock of the call's application
 */
export function recover(book: Book, callId: string, realMs: number): RecoverResult {
  const open = book.open(callId)
  if (open === null || open.epoch === book.epoch) return { kind: 'ended' }
  if (open.background !== null) {
    open.epoch = book.epoch
    book.changeHold(open)
    return { kind: 'taken_over' }
  }
  const application = book.application(open.applicationId)
  const nowMs = application === null ? realMs : timeIn(open.person.mode, application, realMs)
  const { hold, dispatchedAtMs, checkpoint, inputEstimate } = open
  const recovery = recoverHold(hold, { dispatchedAtMs, checkpoint, inputEstimate })
  const record = recordOf(open, nowMs)
  if (recovery.kind === 'release') {
    closeWithoutCharge(book, open, record, nowMs)
  } else {
    closeWithCharge(book, open, { usage: recovery.usage, tokenSource: 'recovered', record, nowMs })
  }
  return { kind: 'ended' }
}

function recordOf(open: OpenHold, nowMs: number): RequestRecord {
  const { hold, applicationId, keyId, reservedAtMs, person, checkpoint, targetText } = open
  return {
    callId: hold.callId,
    applicationId,
    mode: person.mode,
    endUserId: person.endUserId,
    keyId,
    alias: hold.bound.alias,
    tags: hold.bound.tags ?? null,
    ...(hold.bound.payerId !== undefined && { payerId: hold.bound.payerId }),
    target: targetFromText(targetText),
    // The hold does not store the wire (the API format) of the call.
    wire: 'unknown',
    // Only streamed calls write a checkpoint before they end.
    streamed: checkpoint !== null,
    status: 'recovered',
    httpStatus: 0,
    errorCode: null,
    atMs: reservedAtMs,
    latencyMs: Math.max(0, nowMs - reservedAtMs),
    firstByteMs: null,
    trace: '{}',
  }
}
