import type {
  FailedAttempt,
  ReleaseRequest,
  RequestRecord,
  SettleRequest,
  SettleResult,
} from '#domain/ledger-interface.ts'
import { assertMoney } from '#money/amount.ts'
import { statusOfRun } from '#money/outcome-run-status.ts'
import { settledAmounts } from '#money/rate-limit.ts'
import { release as releaseHold } from '#money/release.ts'
import { remainingMicros } from '#money/remaining-amount.ts'
import { settle as settleHold } from '#money/settle.ts'
import { isPlausible, totalInput, type Usage } from '#money/usage-counts.ts'
import type { Book } from './ledger-state-in-memory.ts'
import type { NewUsageRecord, OpenHold, Person } from './state-types.ts'
import { attemptsOf, joinedAttempts, type Attempts } from '#store/rows/failed-attempts-column.ts'
import { legsToText } from '#store/rows/legs-column.ts'
import { settleLate } from './call-corrections.ts'
import { walletId } from '#money/payment-sources.ts'
import { completeAfter, completeSources } from './add-due-sources.ts'
import { assertCounts, noSuchHold, OperationFault } from './operation-fault.ts'
import { countRates, countSpend, limitsOf, ratesOf } from './spend-limits.ts'
import { causeOfCall, postAll } from './apply-posting.ts'
import { capRun } from './reserve.ts'

/** Converts a hold to a charge, only once. A repeated settle finds the usage record and returns the same result. */
export function settle(book: Book, request: SettleRequest): SettleResult {
  const { attempts, callId, nowMs, usage, tokenSource, record } = request
  const open = book.open(callId)
  if (open === null) {
    const before = book.settled(record.applicationId, callId)
    if (before === null) throw noSuchHold(callId)
    settleLate(book, request)
    return before
  }
  assertCounts('settle of call', callId, [nowMs])
  if (!isPlausible(usage)) throw new OperationFault(`the usage of call ${callId} cannot be`)
  if (attempts !== undefined) open.attempts = storedAttempts(book, attempts)
  const { isDisputed, wantsRemaining } = request
  const result = closeWithCharge(book, open, { usage, tokenSource, record, nowMs, isDisputed })
  return wantsRemaining === true ? { ...result, remainingMicros: remainingAfter(book, open, nowMs) } : result
}

/** Returns the amount that another call with the same key, model name and run could hold. */
function remainingAfter(book: Book, open: OpenHold, nowMs: number): bigint | null {
  const { hold, keyId, outcome } = open
  const person = holderOf(book, open, nowMs)
  const key = book.key(person, keyId)
  const bundle = completeSources(book, person, nowMs)
  const run = outcome === null ? null : book.run(person, outcome.slug, outcome.runId)
  if (key === null) return 0n
  return remainingMicros(hold.bound.alias, hold.quote, {
    nowMs,
    isFrozen: person.isFrozen,
    key,
    run: run && outcome && { status: statusOfRun(run, outcome.ceilingMicros) },
    sources: person.sources,
    limits: limitsOf(book, person, key, bundle, outcome, run, nowMs),
    rates: ratesOf(book, { person, key, bundle }, hold.bound.alias, nowMs),
  })
}

/** Does nothing if the call has no hold. */
export function release(book: Book, request: ReleaseRequest): void {
  const { attempts, callId, lastAttempt, nowMs, record } = request
  const open = book.open(callId)
  if (open === null) return
  assertCounts('release of call', callId, [nowMs])
  if (attempts !== undefined) open.attempts = storedAttempts(book, attempts)
  // A single failed attempt without a cost is described by the call's record, so do not store it separately.
  if (lastAttempt && (open.attempts !== null || lastAttempt.usage !== null))
    open.attempts = joinedAttempts(open.attempts, storedAttempts(book, [lastAttempt]))
  closeWithoutCharge(book, open, record, nowMs)
}

/** Writes the attempts' quotes first, because each stored attempt refers to its quote. */
export function storedAttempts(book: Book, attempts: readonly FailedAttempt[]): Attempts | null {
  for (const { quote } of attempts) book.quote(quote)
  return attemptsOf(attempts)
}

export interface Ending {
  readonly usage: Usage
  readonly tokenSource: NewUsageRecord['tokenSource']
  readonly record: RequestRecord
  readonly nowMs: number
  readonly isDisputed?: boolean | undefined
}

export function closeWithCharge(book: Book, open: OpenHold, ending: Ending): SettleResult {
  const { usage, tokenSource, record, nowMs } = ending
  const { hold } = open
  const person = holderOf(book, open, nowMs)
  const bundle = completeSources(book, person, nowMs)
  const settlement = settleHold({ hold, usage, sources: person.sources, nowMs })
  const [firstEntry = null] = postAll(book, person, settlement.postings, causeOfCall(hold.callId, nowMs))
  completeAfter(book, person, hold.legs, nowMs)
  const { billedMicros, chargeMicros, overHoldMicros, legs, paid } = settlement
  // The end user pays only for the response that was returned. The application pays for the failed attempts before this
  // response.
  const costMicros = settlement.costMicros + (open.attempts?.costMicros ?? 0n)
  const result: SettleResult = {
    costMicros,
    assumedMicros: settlement.assumedMicros + (open.attempts?.assumedMicros ?? 0n),
    billedMicros,
    chargeMicros,
    overHoldMicros,
    walletPostedMicros: walletPosted(person),
  }
  book.closeHold(open, 'charged')
  book.addUsageRecord({
    open,
    usage,
    inputTokens: totalInput(usage),
    tokenSource,
    result,
    paid,
    legsText: legsToText(legs),
    firstEntry,
    atMs: nowMs,
    went: record,
    attempts: open.attempts,
    isDisputed: ending.isDisputed ?? null,
  })
  countSpend(person, open, chargeMicros, nowMs)
  const key = book.key(person, open.keyId)
  countRates(book, { person, key, bundle }, hold.bound.alias, settledAmounts(usage, chargeMicros), nowMs)
  spendRun(book, person, open, chargeMicros)
  return result
}

export function closeWithoutCharge(book: Book, open: OpenHold, record: RequestRecord, nowMs: number): void {
  const person = holderOf(book, open, nowMs)
  const cause = causeOfCall(open.hold.callId, nowMs)
  postAll(book, person, releaseHold(open.hold), cause)
  completeAfter(book, person, open.hold.legs, nowMs)
  book.closeHold(open, 'released')
  book.addRequest({ record, attempts: open.attempts }, open)
}

/** Returns the end user even if the end user was deleted or frozen in the meantime. */
function holderOf(book: Book, { hold, person: { endUserId, mode } }: OpenHold, nowMs: number): Person {
  const person = book.person(endUserId, mode, nowMs)
  assertMoney(person !== null, `call ${hold.callId} holds money of ${endUserId}, who is not stored`)
  return person
}

function walletPosted(person: Person): bigint {
  for (const source of person.sources) if (source.id === walletId) return source.posted
  return 0n
}

function spendRun(book: Book, person: Person, { outcome }: OpenHold, chargeMicros: bigint): void {
  if (outcome === null) return
  const run = book.run(person, outcome.slug, outcome.runId)
  assertMoney(run !== null, `run ${outcome.runId} of ${person.endUserId} is not stored`)
  run.spentMicros += chargeMicros
  if (run.status === 'running' && run.spentMicros >= outcome.ceilingMicros) capRun(run, outcome.ceilingMicros)
  book.changeRun(person, run)
}
