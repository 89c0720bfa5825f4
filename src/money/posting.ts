/**
 * A decision has one posting for each source and kind of ledger entry. A balance is the sum of its postings, so a
 * replay of the ledger reproduces the balance.
 */
import { assertMoney } from './amount.ts'
import type { Leg, PoolSource, Source, Unit, WalletSource } from './decision-types.ts'

export type LedgerKind = 'topup' | 'grant' | 'usage_debit' | 'refund' | 'reversal' | 'adjustment'

/** Why an entry changes a pool if no request causes the change. The reason is stored with the entry. */
export const poolReasons = [
  'included',
  'expired',
  'reversed',
  'rolled_over',
  'plan_changed',
  'used_on_another_plan',
  'end_user_removed',
] as const
export type PoolReason = (typeof poolReasons)[number]

export interface Posting {
  readonly sourceId: string
  readonly unit: Unit
  readonly heldDelta: bigint
  /** A negative amount is a debit. */
  readonly postedDelta: bigint
  /**
   * The kind of ledger entry. Null if only `held` changes, because the ledger records only completed movements of
   * money.
   */
  readonly entry: LedgerKind | null
  /**
   * The granted part of a wallet posting, with the sign of `postedDelta`. Set for the postings of a refund. For all
   * other postings, the kind of the ledger entry determines the granted part (`givenAfter`).
   */
  readonly givenDelta?: bigint
  /** Only for a posting that changes a pool without a request. */
  readonly reason?: PoolReason
  /**
   * Whether this posting may reduce a wallet below 0. True only for a response that exceeded its hold, the reversal
   * of a top-up, and a forced adjustment.
   */
  readonly mayOverdraw: boolean
  /**
   * True if a share in a payer's pool gets money back, but the pool no longer accepts money. The posting then credits
   * the payer's wallet. If absent, the posting to the share is repeated on the pool.
   */
  readonly creditsPayer?: boolean
}

export function holdPosting(sourceId: string, unit: Unit, heldDelta: bigint): Posting {
  return { sourceId, unit, heldDelta, postedDelta: 0n, entry: null, mayOverdraw: false }
}

export function legPostings(legs: readonly Leg[], change: 'hold' | 'give_back'): Posting[] {
  const postings: Posting[] = []
  for (const { amount, sourceId, unit } of legs) {
    // A leg of amount 0 (see `allocate`) changes nothing.
    if (amount > 0n) postings.push(holdPosting(sourceId, unit, change === 'hold' ? amount : -amount))
  }
  return postings
}

export function entryPosting(
  sourceId: string,
  unit: Unit,
  postedDelta: bigint,
  entry: LedgerKind,
  mayOverdraw = false,
): Posting {
  return { sourceId, unit, heldDelta: 0n, postedDelta, entry, mayOverdraw }
}

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
  if (after.kind === 'team' || after.kind === 'team_pool')
    assertMoney(after.posted <= 0n, 'a member takes from a payer, and adds nothing')
  if (after.kind === 'on_demand') {
    assertMoney(after.posted <= 0n, 'on-demand only owes')
    const isUsed = posting.entry === 'usage_debit' || posting.heldDelta > 0n
    assertMoney(!isUsed || after.closedUntilMs < after.endsAtMs, 'no call uses a closed month')
  }
  if (after.kind !== 'wallet' || source.kind !== 'wallet') return after
  if (!posting.mayOverdraw) {
    const left = after.posted - after.held
    // If the wallet balance is already below 0, the balance may only increase or stay the same.
    assertMoney(left >= 0n || left >= source.posted - source.held, 'only a marked posting overdraws')
  }
  return posting.entry === null ? after : { ...after, given: givenAfter(source, posting) }
}

/**
 * Grants and positive adjustments increase the granted part. Requests and negative adjustments use the granted part
 * before paid money. Top-ups, refunds and top-up reversals change paid money, unless `givenDelta` states a granted
 * part. A grant to a wallet below 0 first reduces the debt.
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

/** Amounts that a plan removes from the pool are tracked separately from amounts that requests consume. */
function takenOff(
  { expired, granted, posted, withheld }: PoolSource,
  taken: bigint,
  reason: PoolReason,
): Pick<PoolSource, 'withheld' | 'expired'> {
  const after = { withheld, expired }
  // Amounts that are removed for these reasons do not return to the pool.
  if (reason === 'expired' || reason === 'reversed' || reason === 'rolled_over') after.expired += taken
  else after.withheld += taken
  assertMoney(after.expired >= 0n && after.withheld >= 0n, 'a plan gives back what it took off, at most')
  assertMoney(posted + after.withheld + after.expired <= granted, 'a pool never has more than was granted')
  return after
}
