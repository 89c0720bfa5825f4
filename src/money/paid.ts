/**
 * Splits a charge by who paid for it. A charge is taken from the end user's sources leg by leg (settle.ts), and the
 * split shows the application which part is revenue. Wallet money that was paid for and on-demand usage are revenue.
 * Plan pools and granted credit are costs.
 *
 * A wallet can contain both paid and granted money. `given` is the granted part of the balance, and debits use this
 * part first.
 */
import { assertMoney } from './amount.ts'
import type { Leg, Source, WalletSource } from './hold.ts'
import { creditPrefix } from './sources.ts'

/** The parts of a charge, in micros. They add up to the charge. */
export interface Paid {
  /** Paid from the plan's pools. */
  readonly planMicros: bigint
  /** Paid from wallet money that the end user has paid for. */
  readonly walletMicros: bigint
  /** Paid from granted wallet money and from pools of expiring credit (`isCredit`). */
  readonly giftMicros: bigint
  /** Paid by on-demand billing, which is invoiced after the end of the month. */
  readonly onDemandMicros: bigint
  /** Taken from an empty wallet, whose balance fell below 0. */
  readonly overdraftMicros: bigint
}

export const paidNothing: Paid = {
  planMicros: 0n,
  walletMicros: 0n,
  giftMicros: 0n,
  onDemandMicros: 0n,
  overdraftMicros: 0n,
}

/** Splits a charge by the sources that paid for it. @param sources the state of the sources before the debits */
export function paidBy(legs: readonly Leg[], sources: readonly Source[]): Paid {
  let [planMicros, giftMicros, onDemandMicros, fromWallet] = [0n, 0n, 0n, 0n]
  for (const { kind, micros, sourceId } of legs) {
    if (kind === 'wallet') fromWallet += micros
    else if (kind === 'on_demand') onDemandMicros += micros
    else if (sourceId.startsWith(creditPrefix)) giftMicros += micros
    else planMicros += micros
  }
  if (fromWallet === 0n)
    return { planMicros, walletMicros: 0n, giftMicros, onDemandMicros, overdraftMicros: 0n }
  const wallet = sources.find((source) => source.kind === 'wallet')
  assertMoney(wallet !== undefined, 'paidBy: a wallet that pays is known')
  const taken = walletSplit(wallet, fromWallet)
  giftMicros += taken.giftMicros
  return {
    planMicros,
    giftMicros,
    onDemandMicros,
    walletMicros: taken.walletMicros,
    overdraftMicros: taken.overdraftMicros,
  }
}

/** Splits a wallet debit. The granted part pays first, then the rest of the balance, then the overdraft. */
export function walletSplit(
  { given, posted }: Pick<WalletSource, 'given' | 'posted'>,
  debitMicros: bigint,
): Pick<Paid, 'giftMicros' | 'walletMicros' | 'overdraftMicros'> {
  const giftMicros = least(given, debitMicros)
  const balance = posted > 0n ? posted : 0n
  const walletMicros = least(balance - given, debitMicros - giftMicros)
  return { giftMicros, walletMicros, overdraftMicros: debitMicros - giftMicros - walletMicros }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

/** Throws unless the parts add up exactly to the charge. Every report relies on this. */
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
