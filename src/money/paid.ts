/**
 * Who paid for a call. A charge leaves the end user's sources leg by leg (settle.ts); the split tells the
 * application which part it earned: a plan's pools and gifts are costs, wallet money that was paid for and
 * on-demand are revenue.
 *
 * A wallet mixes money that was paid for with money that was given. `given` is the part of the balance that
 * no one paid for. Debits take the given part first.
 */
import { assertMoney } from './amount.ts'
import type { Leg, Source, WalletSource } from './hold.ts'
import { creditPrefix } from './sources.ts'

/** The parts of a charge, in micros. They add up to the charge. */
export interface Paid {
  /** From the pools of the plan. */
  readonly planMicros: bigint
  /** From wallet money that was paid for. */
  readonly walletMicros: bigint
  /** From wallet money that was given, and from pools of credit (`isCredit`). */
  readonly giftMicros: bigint
  /** Billed at the end of the month. */
  readonly onDemandMicros: bigint
  /** From a wallet that had nothing left: its balance fell below 0. */
  readonly overdraftMicros: bigint
}

export const paidNothing: Paid = {
  planMicros: 0n,
  walletMicros: 0n,
  giftMicros: 0n,
  onDemandMicros: 0n,
  overdraftMicros: 0n,
}

/** Splits a charge by the sources that paid it. @param sources their state before the debits */
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

/** Splits a debit of the wallet: the given part pays first, then the rest of the balance, then the overdraft. */
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

/** Every report relies on this: the parts add up to the charge, to the micro. */
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
