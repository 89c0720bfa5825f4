/**
 * What a decision changes: one posting per source and kind of entry. A balance is the sum of its postings, so
 * replaying the ledger rebuilds it.
 */
import { assertMoney } from './amount.ts'
import type { Leg, PoolSource, Source, Unit, WalletSource } from './hold.ts'

export type LedgerKind = 'topup' | 'grant' | 'usage_debit' | 'refund' | 'reversal' | 'adjustment'

/** Why a plan, or the reversal of a grant, and not a call, moves a pool. The entry keeps it. */
export type PoolReason =
  | 'included'
  | 'expired'
  | 'reversed'
  | 'rolled_over'
  | 'plan_changed'
  | 'used_on_another_plan'
  | 'end_user_removed'

export interface Posting {
  readonly sourceId: string
  readonly unit: Unit
  readonly heldDelta: bigint
  /** The ledger entry's amount: negative takes. */
  readonly postedDelta: bigint
  /** Null when only `held` moves: a hold is a promise, and the ledger holds facts. */
  readonly entry: LedgerKind | null
  /**
   * How much of a wallet's posting is given money, with the sign of `postedDelta`. Omit where the kind of entry
   * decides it (`givenAfter`); a refund sets it.
   */
  readonly givenDelta?: bigint
  /** Only when a plan moves one of its pools. */
  readonly reason?: PoolReason
  /**
   * True when this may push a wallet below 0. There are three causes: an answer that ran past its
   * hold, the reversal of a top-up, a forced adjustment.
   */
  readonly mayOverdraw: boolean
}

/** A posting that moves `held` alone. */
export function holdPosting(sourceId: string, unit: Unit, heldDelta: bigint): Posting {
  return { sourceId, unit, heldDelta, postedDelta: 0n, entry: null, mayOverdraw: false }
}

/** Holds these legs, or gives them back. */
export function legPostings(legs: readonly Leg[], change: 'hold' | 'give_back'): Posting[] {
  const postings: Posting[] = []
  for (const { amount, sourceId, unit } of legs) {
    // A leg of nothing (see `allocate`) moves nothing.
    if (amount > 0n) postings.push(holdPosting(sourceId, unit, change === 'hold' ? amount : -amount))
  }
  return postings
}

/** A posting that writes one ledger entry and leaves `held` alone. */
export function entryPosting(
  sourceId: string,
  unit: Unit,
  postedDelta: bigint,
  entry: LedgerKind,
  mayOverdraw = false,
): Posting {
  return { sourceId, unit, heldDelta: 0n, postedDelta, entry, mayOverdraw }
}

/** A posting by which a plan moves one of its pools. */
export function poolPosting(
  source: PoolSource,
  postedDelta: bigint,
  entry: 'grant' | 'reversal' | 'adjustment',
  reason: PoolReason,
): Posting {
  return { ...entryPosting(source.id, source.unit, postedDelta, entry), reason }
}

export function applyPosting<S extends Source>(source: S, posting: Posting): S {
  assertMoney(source.id === posting.sourceId, 'a posting is applied to its own source')
  assertMoney(
    posting.unit === (source.kind === 'pool' ? source.unit : 'micros'),
    'a posting is in the unit of its source',
  )
  assertMoney((posting.postedDelta === 0n) === (posting.entry === null), 'money moves with an entry')
  const after: S = {
    ...source,
    posted: source.posted + posting.postedDelta,
    held: source.held + posting.heldDelta,
  }
  assertMoney(after.held >= 0n, 'no source holds less than nothing')
  if (after.kind === 'pool') {
    assertMoney(after.posted >= after.held, 'a pool is never overdrawn')
    if (posting.reason === undefined) return after
    const taken = posting.entry === 'grant' ? 0n : -posting.postedDelta
    return { ...after, ...takenOff(after, taken, posting.reason) }
  }
  if (after.kind === 'on_demand') {
    assertMoney(after.posted <= 0n, 'on-demand only owes')
    const isUsed = posting.entry === 'usage_debit' || posting.heldDelta > 0n
    assertMoney(!isUsed || after.closedUntilMs < after.endsAtMs, 'no call uses a closed month')
  }
  if (after.kind !== 'wallet' || source.kind !== 'wallet') return after
  if (!posting.mayOverdraw) {
    const left = after.posted - after.held
    // A wallet that is below 0 already may rise or stay.
    assertMoney(left >= 0n || left >= source.posted - source.held, 'only a marked posting overdraws')
  }
  return posting.entry === null ? after : { ...after, given: givenAfter(source, posting) }
}

/**
 * The given part of a wallet after a posting. Grants and positive adjustments add to it. Calls and negative
 * adjustments take it first. Top-ups, refunds and reversals of top-ups move paid money, unless the posting says
 * how much of it was given (`givenDelta`). A grant to a wallet below 0 pays the debt first.
 */
export function givenAfter(
  { given, posted }: Pick<WalletSource, 'given' | 'posted'>,
  { entry, givenDelta, postedDelta }: Pick<Posting, 'entry' | 'postedDelta' | 'givenDelta'>,
): bigint {
  const balance = posted + postedDelta
  let after = given
  if (givenDelta !== undefined) {
    assertMoney(
      postedDelta > 0n
        ? givenDelta >= 0n && givenDelta <= postedDelta
        : givenDelta <= 0n && givenDelta >= postedDelta,
      'givenAfter: the given part of a posting is a part of it',
    )
    after += givenDelta
    assertMoney(after >= 0n, 'givenAfter: a wallet gives back no more than it was given')
  } else if (entry === 'grant' || entry === 'adjustment' || entry === 'usage_debit') {
    after += postedDelta
  }
  if (after > balance) after = balance
  return after > 0n ? after : 0n
}

/** Keeps what a plan takes off a pool apart from what calls have consumed. */
function takenOff(
  { expired, granted, posted, withheld }: PoolSource,
  taken: bigint,
  reason: PoolReason,
): Pick<PoolSource, 'withheld' | 'expired'> {
  const after = { withheld, expired }
  // These are for good.
  if (reason === 'expired' || reason === 'reversed' || reason === 'rolled_over') after.expired += taken
  else after.withheld += taken
  assertMoney(after.expired >= 0n && after.withheld >= 0n, 'a plan gives back what it took off, at most')
  assertMoney(posted + after.withheld + after.expired <= granted, 'a pool never has more than was granted')
  return after
}
