import type {
  LateUsageRequest,
  LateUsageResult,
  RefundRequest,
  RefundResult,
  SettleRequest,
} from '#domain/ledger-interface.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { timeIn } from '#domain/test-clock.ts'
import type { Leg } from '#money/decision-types.ts'
import { lateCharge, lateDifference, type LateDifference } from '#money/late-charge-correction.ts'
import { type Paid, paidBy, paidNothing, withGivenParts } from '#money/charge-split-by-payer.ts'
import type { Posting } from '#money/posting.ts'
import {
  billedPart,
  type ChargePart,
  chargeParts,
  type ChargeStep,
  leftOf,
  paidOf,
  returnFrom,
  returnPostings,
} from '#money/refund-by-source.ts'
import { walletId } from '#money/payment-sources.ts'
import { isPlausible, type Usage } from '#money/usage-counts.ts'
import { type Cause, causeOfCall, postAll } from './apply-posting.ts'
import type { Book } from './ledger-state-in-memory.ts'
import { payersOf } from './member-shares-of-payer-money.ts'
import type { NewCorrection, Person, StoredCall, StoredCorrection } from './state-types.ts'
import { completeAgain, completeSources } from './add-due-sources.ts'
import { assertCounts, OperationFault } from './operation-fault.ts'

/**
 * Returns a charge, or a part of the charge, to the sources that paid it. The source that paid last is the first to get
 * its money back.
 */
export function refund(book: Book, request: RefundRequest): RefundResult {
  const { amountMicros, callId, correctionId, idempotencyKey, nowMs, reason } = request
  assertCounts('refund of call', callId, [nowMs])
  if (amountMicros !== null && amountMicros <= 0n)
    throw new OperationFault(`refund ${correctionId} cannot be of ${amountMicros} micros`)
  const ended = endedCall(book, request)
  if (ended === null) return { kind: 'not_charged' }
  const { before, call, parts, person } = ended
  const earlier = before.find((one) => idempotencyKey !== null && one.idempotencyKey === idempotencyKey)
  if (earlier !== undefined) {
    if (earlier.requestHash !== request.requestHash) return { kind: 'idempotency_mismatch' }
    return { kind: 'refunded', correctionId: earlier.id, isReplay: true }
  }
  const left = leftOf(parts)
  const micros = amountMicros ?? left
  if (micros > left || left === 0n) {
    return { kind: 'exceeds', chargeMicros: left + refundedBy(before), refundedMicros: refundedBy(before) }
  }
  completeSources(book, person, nowMs)
  const back = giveBack(
    book,
    ended,
    micros,
    'refund',
    { ...causeOfCall(callId, nowMs), reason },
    correctionId,
  )
  book.addCorrection({
    ...request,
    ...back,
    number: before.length + 1,
    id: correctionId,
    kind: 'refund',
    person,
    call,
    billedMicros: -billedPart(billedSoFar(call, before), micros, left),
    costMicros: 0n,
    usage: null,
    atMs: nowMs,
  })
  return { kind: 'refunded', correctionId, isReplay: false }
}

/**
 * Corrects a call that another process ended with estimated usage, at most once. Several processes may send the true
 * usage.
 */
export function lateUsage(book: Book, request: LateUsageRequest): LateUsageResult {
  const { applicationId, callId, mode, nowMs, usage } = request
  assertCounts('late usage of call', callId, [nowMs])
  if (!isPlausible(usage)) throw new OperationFault(`the late usage of call ${callId} cannot be`)
  if (book.open(callId) !== null) return { kind: 'in_flight' }
  const application = book.application(applicationId)
  const atMs = application === null ? nowMs : timeIn(mode, application, nowMs)
  return correctLate(book, { ...request, nowMs: atMs }, usage) ? { kind: 'corrected' } : { kind: 'nothing' }
}

/**
 * Handles a settle of a call that has already ended. The settle contains the true usage if recovery ended the call with
 * estimated usage.
 */
export function settleLate(book: Book, { callId, nowMs, record, usage }: SettleRequest): void {
  const { applicationId, endUserId, mode } = record
  if (endUserId === null || !isPlausible(usage)) return
  correctLate(book, { applicationId, callId, endUserId, mode, nowMs }, usage)
}

type CallKey = Pick<RefundRequest, 'applicationId' | 'callId' | 'endUserId' | 'mode' | 'nowMs'>

function correctLate(book: Book, key: CallKey, usage: Usage): boolean {
  const { applicationId, callId, nowMs } = key
  const ended = endedCall(book, key)
  if (ended === null || !ended.call.isRecovered) return false
  const { before, call, parts, person } = ended
  if (before.some(({ kind }) => kind === 'late_usage')) return false
  const quote = book.quoteById(call.quoteId)
  const difference = lateDifference({
    quote,
    worstMicros: call.worstMicros,
    recovered: call.usage,
    truth: usage,
    chargeMicros: leftOf(parts),
    recoveredMicros: call.chargeMicros,
    recoveredBilledMicros: call.billedMicros,
  })
  const { billedMicros, chargeMicros, costMicros } = difference
  if (billedMicros === 0n && chargeMicros === 0n && costMicros === 0n) return false
  completeSources(book, person, nowMs)
  const cause = { ...causeOfCall(callId, nowMs), reason: 'late_usage' }
  const id = idOf('cor', callId)
  const moved =
    chargeMicros < 0n ? giveBack(book, ended, -chargeMicros, 'adjustment', cause, id) : nothingMoved
  const charged = chargeMicros > 0n ? takeLate(book, ended, difference, cause) : moved
  book.addCorrection({
    ...charged,
    applicationId,
    callId,
    number: before.length + 1,
    id,
    kind: 'late_usage',
    person,
    call,
    billedMicros: billedOfCollected(difference, charged.chargeMicros),
    costMicros,
    usage,
    reason: 'late_usage',
    actor: null,
    idempotencyKey: null,
    requestHash: null,
    atMs: nowMs,
  })
  return true
}

/** Usage whose charge could not be collected is not billed. */
function billedOfCollected({ billedMicros, chargeMicros }: LateDifference, collected: bigint): bigint {
  if (chargeMicros <= 0n || billedMicros <= 0n) return billedMicros
  return collected === 0n ? 0n : billedPart(billedMicros, collected, chargeMicros)
}

interface Ended {
  readonly person: Person
  readonly call: StoredCall
  readonly before: readonly StoredCorrection[]
  /** For each source, the part of the charge that earlier corrections have not returned. */
  readonly parts: readonly ChargePart[]
}

/** Null if the call was not charged. */
function endedCall(book: Book, { applicationId, callId, endUserId, mode, nowMs }: CallKey): Ended | null {
  const call = book.chargedCall(applicationId, endUserId, callId)
  const person = call === null ? null : book.person(endUserId, mode, nowMs)
  if (call === null || person === null) return null
  const before = book.corrections(applicationId, endUserId, callId)
  const first: ChargeStep = { kind: 'charge', legs: call.legs, paid: call.paid }
  return { before, call, person, parts: chargeParts([first, ...before.map(stepOf)]) }
}

function stepOf({ chargeMicros, legs, paid }: StoredCorrection): ChargeStep {
  if (chargeMicros < 0n) return { kind: 'return', micros: -chargeMicros }
  return { kind: 'charge', legs, paid }
}

function refundedBy(corrections: readonly StoredCorrection[]): bigint {
  return corrections.reduce(
    (sum, { chargeMicros, kind }) => (kind === 'refund' ? sum - chargeMicros : sum),
    0n,
  )
}

function billedSoFar({ billedMicros }: StoredCall, corrections: readonly StoredCorrection[]): bigint {
  return corrections.reduce((sum, one) => sum + one.billedMicros, billedMicros)
}

type Moved = Pick<NewCorrection, 'chargeMicros' | 'entries' | 'legs' | 'paid'>

const nothingMoved: Moved = { chargeMicros: 0n, entries: [], legs: [], paid: paidNothing }

function giveBack(
  book: Book,
  { call, parts, person }: Ended,
  micros: bigint,
  entry: 'refund' | 'adjustment',
  cause: Cause,
  correctionId: string,
): Moved {
  const { returned } = returnFrom(parts, micros)
  const { atMs: nowMs } = cause
  loadShares(book, person, parts, nowMs)
  const { converted, legs, restored } = returnPostings(returned, {
    entry,
    walletId,
    sources: person.sources,
    nowMs,
  })
  const entries = [...postAll(book, person, restored, { ...cause, correctionId })]
  // Credit that was granted returns to the wallet in a separate entry with an idempotency key. Reversals of grants
  // search for such entries.
  if (converted !== null) {
    entries.push(...postAll(book, person, [converted], { ...cause, idempotencyKey: correctionId }))
  }
  lookAgain(book, person, restored, nowMs)
  const paid = call.paid === null ? null : paidOf(returned)
  return { chargeMicros: -micros, entries, legs: legs.map(negative), paid }
}

/** Loads the member's shares, because money returns to the payer even if the period of a share has ended. */
function loadShares(book: Book, person: Person, parts: readonly ChargePart[], nowMs: number): void {
  const shares = parts.filter(({ kind }) => kind === 'team' || kind === 'team_pool')
  for (const { sourceId } of shares) book.month(person, sourceId)
  if (shares.length === 0) return
  person.hasShares = true
  completeSources(book, person, nowMs)
}

function takeLate(book: Book, { call, person }: Ended, late: LateDifference, cause: Cause): Moved {
  const quote = book.quoteById(call.quoteId)
  const { postings, uncollectedMicros, ...taken } = lateCharge(
    late,
    call.alias,
    quote,
    person.sources,
    cause.atMs,
  )
  const legs = withGivenParts(taken.legs, person.sources)
  const paid: Paid = paidBy(legs, person.sources)
  const entries = postAll(book, person, postings, cause)
  return { chargeMicros: late.chargeMicros - uncollectedMicros, entries, legs, paid }
}

/**
 * Applies due changes to the sources. If the plan has changed since the charge, a pool of another plan may already have
 * spent the returned money (money/plan-pools.ts).
 */
function lookAgain(book: Book, person: Person, postings: readonly Posting[], nowMs: number): void {
  if (!postings.some(({ sourceId }) => sourceId !== walletId)) return
  completeAgain(book, person, [person, ...payersOf(book, person, nowMs)], nowMs)
}

function negative(leg: Leg): Leg {
  return { ...leg, amount: -leg.amount, micros: -leg.micros }
}
