import type { CreditResult } from '#domain/ledger-interface.ts'
import { balanceMax, minOf } from '#money/amount.ts'
import { unspentOfGrant } from '#money/grant-reversal.ts'
import { creditPrefix, walletId } from '#money/payment-sources.ts'
import { creditWallet, endingCredit, reverseTopup } from '#money/wallet-and-expiring-credit.ts'
import { entryPosting, poolPosting, type Posting } from '#money/posting.ts'
import type { Book } from './ledger-state-in-memory.ts'
import type { CreditEntry, GrantTerms, Person } from './state-types.ts'
import { completeSources } from './add-due-sources.ts'
import { assertCounts, OperationFault } from './operation-fault.ts'
import { post, type Cause } from './apply-posting.ts'

export interface UnfinishedGrant {
  readonly kind: 'unfinished'
  readonly grantId: string
  readonly endUserIds: readonly string[]
  /** Number of end users who have been credited, in the order of the list. */
  readonly done: number
  /** The time of the grant. Every ledger entry of the grant has this time, even if another request continues it. */
  readonly createdAtMs: number
}

/**
 * Begins a grant, and completes it if it is small. Until a large grant is complete, its row keeps the list of end
 * users. Other operations run between the steps of a large grant. After a crash, the next start finishes the grant.
 */
export function beginGrant(
  book: Book,
  terms: GrantTerms,
  endUserIds: readonly string[],
  { isChecked, isLarge }: { readonly isChecked: boolean; readonly isLarge: boolean },
): CreditResult | UnfinishedGrant {
  assertTerms(terms)
  const before = book.grant(terms)
  if (before !== null) {
    const { createdAtMs, done, grantId, requestHash, endUsers, pending } = before
    if (requestHash !== terms.requestHash) return { kind: 'idempotency_mismatch' }
    if (pending === null) return { kind: 'credited', grantId, isReplay: true, endUsers }
    return { kind: 'unfinished', grantId, endUserIds: pending, done, createdAtMs }
  }
  const { grantId } = terms
  const shortage = shortageOf(book, terms, endUserIds)
  if (shortage !== null) return shortage
  if (isLarge) {
    for (const endUserId of isChecked ? [] : endUserIds) {
      if (book.ownerOf(endUserId) !== terms.applicationId) throw namesStranger(terms, endUserId)
    }
    book.addGrant(terms, endUserIds.length, endUserIds)
    return { kind: 'unfinished', grantId, endUserIds, done: 0, createdAtMs: terms.nowMs }
  }
  const people = peopleOf(book, terms, endUserIds)
  const excess = excessOf(terms, people)
  if (excess !== null) return excess
  book.addGrant(terms, endUserIds.length, null)
  creditEach(book, terms, people)
  return { kind: 'credited', grantId, isReplay: false, endUsers: endUserIds.length }
}

/**
 * Credits the next end users of a large grant, and skips end users who are already credited.
 * @param done number of end users who are credited once this step is committed; null means all of them
 */
export function continueGrant(
  book: Book,
  terms: GrantTerms,
  endUserIds: readonly string[],
  done: number | null,
): void {
  creditEach(book, terms, peopleOf(book, terms, endUserIds))
  if (done === null) book.finishGrant(terms.applicationId, terms.grantId)
  else book.stepGrant(terms.applicationId, terms.grantId, done)
}

/**
 * Returns how much money the wallet lacks for a negative adjustment. The wallet must keep the money that calls in
 * flight hold.
 */
function shortageOf(book: Book, terms: GrantTerms, endUserIds: readonly string[]): CreditResult | null {
  const { amountMicros, kind } = terms
  if (kind !== 'adjustment' || amountMicros > 0n) return null
  for (const person of peopleOf(book, terms, endUserIds)) {
    const wallet = person.sources.find(({ id }) => id === walletId)
    const [postedMicros, heldMicros] = [wallet?.posted ?? 0n, wallet?.held ?? 0n]
    if (postedMicros + amountMicros < heldMicros) return { kind: 'below_held', postedMicros, heldMicros }
  }
  return null
}

/**
 * Large grants, and grants to end users of several shard groups, are not checked, because their end users are not in
 * memory. Their sum is limited when they are issued.
 */
function excessOf({ amountMicros, kind }: GrantTerms, people: readonly Person[]): CreditResult | null {
  if (kind === 'reversal') return null
  for (const { endUserId, sources } of people) {
    let balanceMicros = 0n
    for (const { id, posted } of sources)
      if (id === walletId || id.startsWith(creditPrefix)) balanceMicros += posted
    if (amountMicros > 0n && balanceMicros + amountMicros > balanceMax)
      return { kind: 'above_max', endUserId, balanceMicros }
  }
  return null
}

/** Looks up all end users first, so that a grant with an unknown end user changes nothing. */
function peopleOf(book: Book, terms: GrantTerms, endUserIds: readonly string[]): Person[] {
  const { applicationId, mode, nowMs } = terms
  return endUserIds.map((endUserId) => {
    const person = book.person(endUserId, mode, nowMs)
    if (person !== null && person.applicationId === applicationId) return person
    throw namesStranger(terms, endUserId)
  })
}

export function namesStranger({ applicationId, grantId }: GrantTerms, endUserId: string): OperationFault {
  return new OperationFault(`grant ${grantId} names ${endUserId}, who is not a person of ${applicationId}`)
}

function creditEach(book: Book, terms: GrantTerms, people: readonly Person[]): void {
  const { grantId, nowMs: atMs, reason, reverses = null } = terms
  for (const person of people) {
    // Use the grant's ID as the idempotency key, because it stays unique. The key that the caller sent expires after
    // some time.
    if (book.hasEntry(person, grantId)) continue
    completeSources(book, person, atMs)
    const cause: Cause = { callId: null, grantId, reason, idempotencyKey: grantId, atMs }
    const endsAtMs = terms.expiresAtMs ?? null
    if (endsAtMs !== null) addEndingCredit(book, person, terms, endsAtMs, cause)
    else if (reverses === null) post(book, person, postingOf(terms), cause)
    else takeBack(book, person, reverses, terms, cause)
  }
}

/**
 * Adds a source for each grant, because the rest of the grant's credit lapses at the grant's own time
 * (money/plan-pools.ts).
 */
function addEndingCredit(
  book: Book,
  person: Person,
  { amountMicros, grantId, nowMs, startsAtMs }: GrantTerms,
  endsAtMs: number,
  cause: Cause,
): void {
  const ranks = person.sources.map((source) => (source.kind === 'pool' ? source.rank.sequence : 0))
  const { source, ...pool } = endingCredit({
    grantId,
    amountMicros,
    startsAtMs: startsAtMs ?? nowMs,
    endsAtMs,
    sequence: Math.max(0, ...ranks) + 1,
  })
  book.addSource(person, { source, lastEntry: null, pool, isNew: true, isDirty: false })
  post(book, person, entryPosting(source.id, 'micros', amountMicros, 'grant'), cause)
  person.completeUntilMs = Math.min(person.completeUntilMs, endsAtMs)
}

/**
 * Takes back the unspent part of a grant. Writes no entry if the whole grant is spent. The ledger entry names the grant
 * by its ID.
 */
function takeBack(book: Book, person: Person, reverses: string, terms: GrantTerms, cause: Cause): void {
  const posting = reversalOf(book, person, reverses, terms.amountMicros)
  if (posting === null) return
  post(book, person, posting, { ...cause, grantId: reverses })
  book.addReversal(terms.applicationId, terms.grantId, reverses, -posting.postedDelta)
}

function reversalOf(book: Book, person: Person, grantId: string, amountMicros: bigint): Posting | null {
  const expiring = person.sources.find(({ id }) => id === creditPrefix + grantId)
  if (expiring?.kind === 'pool') {
    const free = expiring.posted - expiring.held
    return free > 0n ? poolPosting(expiring, -free, 'reversal', 'reversed') : null
  }
  const wallet = person.sources.find(({ id }) => id === walletId)
  const credits = book.credits(person)
  const granted = credits.find(({ idempotencyKey }) => idempotencyKey === grantId)
  if (wallet?.kind !== 'wallet' || granted === undefined) return null
  const micros = unspentOfGrant({
    amountMicros: minOf(granted.amount, amountMicros),
    reversedMicros: reversedOf(credits, grantId),
    laterMicros: laterGifts(credits, granted.sequence),
    givenMicros: wallet.given,
    freeMicros: wallet.posted - wallet.held,
  })
  if (micros === 0n) return null
  return { ...entryPosting(walletId, 'micros', -micros, 'reversal'), givenDelta: -micros }
}

function reversedOf(credits: readonly CreditEntry[], grantId: string): bigint {
  let micros = 0n
  for (const { amount, grantId: named, kind } of credits)
    if (kind === 'reversal' && named === grantId) micros -= amount
  return micros
}

/** Returns the gifts credited after an entry, without the reversed part of each gift, in micros. */
function laterGifts(credits: readonly CreditEntry[], after: number): bigint {
  let micros = 0n
  for (const { amount, idempotencyKey, kind, sequence } of credits) {
    const isGift = kind !== 'topup' && kind !== 'reversal' && amount > 0n
    if (sequence > after && isGift) micros += amount - reversedOf(credits, idempotencyKey)
  }
  return micros
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

/** An adjustment can be positive or negative. For every other kind, the kind determines the sign. */
function assertTerms({ grantId, kind, amountMicros, expiresAtMs, nowMs, startsAtMs }: GrantTerms): void {
  assertCounts('grant', grantId, [nowMs, startsAtMs ?? nowMs, expiresAtMs ?? nowMs])
  const endsAtMs = expiresAtMs ?? null
  if (endsAtMs !== null && (kind !== 'grant' || (startsAtMs ?? nowMs) >= endsAtMs)) {
    throw new OperationFault(`grant ${grantId}: a ${kind} cannot end at ${endsAtMs}`)
  }
  if (amountMicros > 0n || (kind === 'adjustment' && amountMicros !== 0n)) return
  throw new OperationFault(`grant ${grantId}: a ${kind} cannot be of ${amountMicros} micros`)
}
