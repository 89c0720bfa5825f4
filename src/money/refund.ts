/**
 * Money that goes back. A refund unwinds the legs that a settle recorded, last payer first, so that
 * what remains charged is a prefix of what was charged: on-demand is relieved before the wallet and
 * the wallet before the pools, whatever the balances are by now.
 */
import { assertMoney } from './amount.ts'
import type { Leg, Source } from './hold.ts'
import { entryPosting, type Posting } from './posting.ts'
import { walletOf } from './settle.ts'
import { isCurrent } from './sources.ts'

export interface RefundInput {
  /** The settled legs of the call. */
  readonly legs: readonly Leg[]
  /** What to give back now, at least 1. */
  readonly amountMicros: bigint
  /** What earlier refunds of this call came to (downward adjustments included). */
  readonly refundedMicros: bigint
  /** As they are now; the wallet, and those of the legs that still exist. */
  readonly sources: readonly Source[]
  readonly nowMs: number
  /** Whether the wallet gets, as a grant, what can no longer go back to a pool. */
  readonly isGoodwill: boolean
}

export interface Refunded {
  readonly kind: 'refunded'
  readonly postings: readonly Posting[]
  /** What counts as refunded from now on: `amountMicros`, wherever it went. */
  readonly refundedMicros: bigint
  /** The part whose pool is over: it came back and ended in the same instant. */
  readonly expiredMicros: bigint
  readonly goodwillMicros: bigint
}

export interface RefundTooLarge {
  readonly kind: 'refund_exceeds_debit'
  readonly refundableMicros: bigint
}

/** All refunds of a call together never exceed what it was charged. Limits stay as spent. */
export function refund(input: RefundInput): Refunded | RefundTooLarge {
  const { amountMicros, isGoodwill, legs, nowMs, refundedMicros, sources } = input
  assertMoney(amountMicros > 0n, 'refund: at least one micro')
  assertMoney(refundedMicros >= 0n, 'refund: what was refunded is not negative')
  const debit = legs.reduce((sum, leg) => sum + leg.micros, 0n)
  assertMoney(refundedMicros <= debit, 'refund: no more was refunded than was charged')
  const from = refundedMicros
  const to = refundedMicros + amountMicros
  if (to > debit) return { kind: 'refund_exceeds_debit', refundableMicros: debit - from }

  const postings: Posting[] = []
  let expiredMicros = 0n
  let walkedMicros = 0n
  let backMicros = 0n
  for (const leg of legs.toReversed()) {
    const { kind, sourceId, unit } = leg
    const micros = clamp(to - walkedMicros, leg.micros) - clamp(from - walkedMicros, leg.micros)
    const amount =
      returned(leg, to - walkedMicros, to === debit) - returned(leg, from - walkedMicros, from === debit)
    walkedMicros += leg.micros
    backMicros += micros
    if (isThere(sources, sourceId, nowMs)) {
      credit(postings, entryPosting(sourceId, unit, amount, 'refund'))
    } else if (kind === 'on_demand') {
      // A month that is over is billed or about to be: its refund is money, not a smaller bill.
      credit(postings, entryPosting(walletOf(sources).id, 'micros', micros, 'refund'))
    } else {
      expiredMicros += micros
    }
  }
  const goodwillMicros = isGoodwill ? expiredMicros : 0n
  if (isGoodwill) credit(postings, entryPosting(walletOf(sources).id, 'micros', goodwillMicros, 'grant'))
  assertMoney(backMicros === amountMicros, 'refund: the parts add up to the refund')
  return { kind: 'refunded', postings, refundedMicros: amountMicros, expiredMicros, goodwillMicros }
}

/** Whether what comes back to this source can still be spent there. */
function isThere(sources: readonly Source[], sourceId: string, nowMs: number): boolean {
  const source = sources.find(({ id }) => id === sourceId)
  return source !== undefined && (source.kind === 'wallet' || isCurrent(source, nowMs))
}

/**
 * How much of a leg, in its own unit, has come back once the walk is `walkedMicros` into it. Computed
 * from the start each time, so that parts add up to the whole whatever their number. A leg too small
 * for a micro of its own comes back as the walk passes it.
 */
function returned(leg: Leg, walkedMicros: bigint, isWhole: boolean): bigint {
  if (leg.micros === 0n) return walkedMicros > 0n || isWhole ? leg.amount : 0n
  return (leg.amount * clamp(walkedMicros, leg.micros)) / leg.micros
}

function clamp(value: bigint, max: bigint): bigint {
  if (value < 0n) return 0n
  return value < max ? value : max
}

/** Adds to the postings, keeping one per source and kind of entry. */
function credit(postings: Posting[], posting: Posting): void {
  if (posting.postedDelta === 0n) return
  const { entry, postedDelta, sourceId } = posting
  const at = postings.findIndex((other) => other.sourceId === sourceId && other.entry === entry)
  const before = postings[at]
  if (before === undefined) postings.push(posting)
  else postings[at] = { ...before, postedDelta: before.postedDelta + postedDelta }
}

/** A payment that was taken back (a chargeback): the wallet may owe from now on. Once per top-up. */
export function reverseTopup(walletId: string, amountMicros: bigint): Posting {
  assertMoney(amountMicros > 0n, 'reverseTopup: at least one micro')
  return entryPosting(walletId, 'micros', -amountMicros, 'reversal', true)
}
