/**
 * The split of a charge shows the application which part of the charge is revenue. Revenue consists of on-demand usage
 * and of wallet money that was paid for. Plan pools and granted credit are costs.
 *
 * A wallet can contain both paid and granted money. `given` is the granted part of the balance, and debits use this
 * part first. The wallet of a team's payer is split in the same way.
 */
import { assertMoney, minOf } from './amount.ts'
import type { Leg, Source, WalletSource } from './decision-types.ts'
import { creditPrefix, payerOf } from './payment-sources.ts'

/** The parts add up to the charge. */
export interface Paid {
  /** The part that pools of plans paid: pools of the end user, and pools that the team's payer shares. */
  readonly planMicros: bigint
  readonly walletMicros: bigint
  /** The part from granted wallet money and from pools of expiring credit (`isCredit`). */
  readonly giftMicros: bigint
  readonly onDemandMicros: bigint
  /** The part that the wallet paid beyond its balance. */
  readonly overdraftMicros: bigint
}

export const paidNothing: Paid = {
  planMicros: 0n,
  walletMicros: 0n,
  giftMicros: 0n,
  onDemandMicros: 0n,
  overdraftMicros: 0n,
}

/**
 * Adds to each leg of a payer's wallet the part that is granted credit. Without this part, the granted credit of the
 * payer and of the end user could not be distinguished later.
 * @param sources the state of the sources before the debits
 */
export function withGivenParts(legs: readonly Leg[], sources: readonly Source[]): readonly Leg[] {
  if (!legs.some(({ kind }) => kind === 'team')) return legs
  const left = new Map<string, bigint>()
  return legs.map((leg) => {
    const payerId = payerOf(leg.sourceId)
    const source = sources.find(({ id }) => id === leg.sourceId)
    if (payerId === null || source?.kind !== 'team') return leg
    const given = left.get(payerId) ?? source.wallet.given
    const givenMicros = minOf(given, leg.amount)
    left.set(payerId, given - givenMicros)
    return { ...leg, givenMicros }
  })
}

/**
 * @param legs must contain the granted parts (`withGivenParts`)
 * @param sources the state of the sources before the debits
 */
export function paidBy(legs: readonly Leg[], sources: readonly Source[]): Paid {
  let [planMicros, giftMicros, onDemandMicros, fromWallet] = [0n, 0n, 0n, 0n]
  const fromPayer = paidByPayer(legs)
  for (const { givenMicros = 0n, kind, micros, sourceId } of legs) {
    if (kind === 'wallet') fromWallet += micros
    else if (kind === 'team') giftMicros += givenMicros
    else if (kind === 'on_demand') onDemandMicros += micros
    else if (sourceId.startsWith(creditPrefix)) giftMicros += micros
    else planMicros += micros
  }
  if (fromWallet === 0n)
    return { planMicros, walletMicros: fromPayer, giftMicros, onDemandMicros, overdraftMicros: 0n }
  const wallet = sources.find((source) => source.kind === 'wallet')
  assertMoney(wallet !== undefined, 'paidBy: a wallet that pays is known')
  const taken = walletSplit(wallet, fromWallet)
  giftMicros += taken.giftMicros
  return {
    planMicros,
    giftMicros,
    onDemandMicros,
    walletMicros: fromPayer + taken.walletMicros,
    overdraftMicros: taken.overdraftMicros,
  }
}

/** Returns the part of a charge that a team's payer pays from credit that was bought, not granted. */
export function paidByPayer(legs: readonly Leg[]): bigint {
  let micros = 0n
  for (const leg of legs) if (leg.kind === 'team') micros += leg.micros - (leg.givenMicros ?? 0n)
  return micros
}

/** The granted part pays first, then the rest of the balance, then the overdraft. */
export function walletSplit(
  { given, posted }: Pick<WalletSource, 'given' | 'posted'>,
  debitMicros: bigint,
): Pick<Paid, 'giftMicros' | 'walletMicros' | 'overdraftMicros'> {
  const giftMicros = minOf(given, debitMicros)
  const balance = posted > 0n ? posted : 0n
  const walletMicros = minOf(balance - given, debitMicros - giftMicros)
  return { giftMicros, walletMicros, overdraftMicros: debitMicros - giftMicros - walletMicros }
}

/** Throws unless the parts add up exactly to the charge, because every report relies on this sum. */
export function assertPaid(paid: Paid, chargeMicros: bigint): void {
  const { giftMicros, onDemandMicros, overdraftMicros, planMicros, walletMicros } = paid
  assertMoney(
    planMicros >= 0n &&
      walletMicros >= 0n &&
      giftMicros >= 0n &&
      onDemandMicros >= 0n &&
      overdraftMicros >= 0n,
    'no part of a charge is negative',
  )
  assertMoney(
    planMicros + walletMicros + giftMicros + onDemandMicros + overdraftMicros === chargeMicros,
    'the parts of a charge add up to it',
  )
}
