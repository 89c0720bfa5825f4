import { assertMoney } from './amount.ts'
import { entryPosting, type LedgerKind, type Posting } from './posting.ts'
import type { OwnedPool } from './plan-pools.ts'
import { creditPrefix } from './payment-sources.ts'

/** If the wallet balance is below 0, the money first reduces the debt. */
export function creditWallet(
  walletId: string,
  amountMicros: bigint,
  entry: Extract<LedgerKind, 'topup' | 'grant'>,
): Posting {
  assertMoney(amountMicros > 0n, 'creditWallet: at least one micro')
  return entryPosting(walletId, 'micros', amountMicros, entry)
}

/** Reverses a payment (a chargeback), at most once per top-up. */
export function reverseTopup(walletId: string, amountMicros: bigint): Posting {
  assertMoney(amountMicros > 0n, 'reverseTopup: at least one micro')
  return entryPosting(walletId, 'micros', -amountMicros, 'reversal', true)
}

/**
 * Creates expiring credit as a pool that belongs to no plan. The credit pays after the plan's pools and before the
 * wallet, and the credit that expires soonest pays first.
 * @param sequence orders pools of credit that expire at the same time
 */
export function endingCredit({
  amountMicros,
  endsAtMs,
  grantId,
  sequence,
  startsAtMs,
}: {
  readonly grantId: string
  readonly amountMicros: bigint
  readonly startsAtMs: number
  readonly endsAtMs: number
  readonly sequence: number
}): OwnedPool {
  assertMoney(amountMicros > 0n, 'endingCredit: at least one micro')
  assertMoney(startsAtMs < endsAtMs, 'endingCredit: it begins before it ends')
  return {
    source: {
      kind: 'pool',
      id: creditPrefix + grantId,
      slug: grantId,
      unit: 'micros',
      currency: null,
      posted: 0n,
      held: 0n,
      granted: amountMicros,
      withheld: 0n,
      expired: 0n,
      isSuspended: false,
      rank: { models: Number.MAX_SAFE_INTEGER, endsAtMs, isPaid: false, sequence },
      models: ['*'],
      memberCap: null,
      spilloverTo: null,
      thenOnDemand: true,
      startsAtMs,
      endsAtMs,
    },
    bundleId: null,
    displayName: 'Credit',
    recurring: false,
    rollover: null,
    rolled: 0,
    priceMicros: null,
  }
}
