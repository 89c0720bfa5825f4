/**
 * The figures of charged requests, one row each. Sums by day and by hour, series, margin and exports are derived from this
 * table. To add a figure, add it here and in a migration.
 *
 * The five parts of a charge (money/paid.ts) add up to it, except in records from before the split. Their parts are 0,
 * and `unattributedMicros` is the difference.
 */
import type { Paid } from '#money/paid.ts'

interface Figure {
  readonly unit: 'calls' | 'tokens' | 'micros'
  /** The name in responses. */
  readonly wire: string
  /** The name in properties of events, in snake case as vendors use it. */
  readonly property: string
  /** For one call or a sum of calls, for API references. */
  readonly description: string
}

/** Keys are field names. In snake case they are columns of `usage_days`, `application_days` and the hour sums. */
export const figures = {
  calls: { unit: 'calls', wire: 'calls', property: 'calls', description: 'Charged requests.' },
  inputTokens: {
    unit: 'tokens',
    wire: 'inputTokens',
    property: 'input_tokens',
    description: 'Input tokens.',
  },
  outputTokens: {
    unit: 'tokens',
    wire: 'outputTokens',
    property: 'output_tokens',
    description: 'Output tokens.',
  },
  costMicros: {
    unit: 'micros',
    wire: 'costMicros',
    property: 'cost_micros',
    description: 'Provider cost, in micros.',
  },
  billedMicros: {
    unit: 'micros',
    wire: 'billedMicros',
    property: 'billed_micros',
    description:
      'List value: usage at the sell price of the bundle, in micros, regardless of who paid for it.',
  },
  chargeMicros: {
    unit: 'micros',
    wire: 'chargeMicros',
    property: 'charge_micros',
    description: 'Amount debited from the sources of end users, in micros.',
  },
  overHoldMicros: {
    unit: 'micros',
    wire: 'overHoldMicros',
    property: 'over_hold_micros',
    description:
      'Usage above the hold, in micros. It is neither charged nor billed, and the application bears its cost.',
  },
  paidPlanMicros: {
    unit: 'micros',
    wire: 'paidFromPlanMicros',
    property: 'paid_from_plan_micros',
    description: 'Part of the charge paid from pools of the plan, in micros.',
  },
  paidWalletMicros: {
    unit: 'micros',
    wire: 'paidFromWalletMicros',
    property: 'paid_from_wallet_micros',
    description: 'Part of the charge paid from purchased wallet money, in micros.',
  },
  paidGiftMicros: {
    unit: 'micros',
    wire: 'paidFromGiftMicros',
    property: 'given_micros',
    description: 'Part of the charge paid from credit that was given, in micros.',
  },
  onDemandMicros: {
    unit: 'micros',
    wire: 'onDemandMicros',
    property: 'on_demand_micros',
    description: 'Part of the charge billed on demand, in micros.',
  },
  overdraftMicros: {
    unit: 'micros',
    wire: 'overdraftMicros',
    property: 'overdraft_micros',
    description: 'Part of the charge that took a wallet below 0, in micros.',
  },
} as const satisfies Readonly<Record<string, Figure>>

export type FigureName = keyof typeof figures
export type MoneyName = {
  [name in FigureName]: (typeof figures)[name]['unit'] extends 'micros' ? name : never
}[FigureName]
export type CountName = Exclude<FigureName, MoneyName>

/** The money of calls, by figure. Sums are changed in place. */
export type Money = Record<MoneyName, bigint>
export type Counts = Record<CountName, number>
export interface CallFiguresSum extends Money, Counts {}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
const names = Object.keys(figures) as FigureName[]
export const moneyNames: readonly MoneyName[] = names.filter((name) => isMoney(name))
export const countNames: readonly CountName[] = names.filter((name) => !isMoney(name)) as CountName[]

function isMoney(name: FigureName): name is MoneyName {
  return figures[name].unit === 'micros'
}

/** The parts that a charge is split into, in the order in which sources pay. */
export const paidNames = [
  'paidPlanMicros',
  'paidGiftMicros',
  'paidWalletMicros',
  'onDemandMicros',
  'overdraftMicros',
] as const satisfies readonly MoneyName[]
export type PaidFigures = Record<(typeof paidNames)[number], bigint>

export function paidFigures(paid: Paid): PaidFigures {
  return {
    paidPlanMicros: paid.planMicros,
    paidGiftMicros: paid.giftMicros,
    paidWalletMicros: paid.walletMicros,
    onDemandMicros: paid.onDemandMicros,
    overdraftMicros: paid.overdraftMicros,
  }
}

export function zeroMoney(): Money {
  return {
    costMicros: 0n,
    billedMicros: 0n,
    chargeMicros: 0n,
    overHoldMicros: 0n,
    paidPlanMicros: 0n,
    paidWalletMicros: 0n,
    paidGiftMicros: 0n,
    onDemandMicros: 0n,
    overdraftMicros: 0n,
  }
}

/** Adds in place. Subtracts if `sign` is -1n. */
export function addMoney(sum: Money, more: Readonly<Money>, sign: 1n | -1n = 1n): void {
  for (const name of moneyNames) sum[name] += sign * more[name]
}

/** Returns the money fields of a larger record. */
export function moneyOf(record: Readonly<Money>): Money {
  const money = zeroMoney()
  for (const name of moneyNames) money[name] = record[name]
  return money
}

/** Returns the part of a charge whose payer is not recorded. 0 for every record since the split. */
export function unattributedMicros(money: Readonly<PaidFigures & Pick<Money, 'chargeMicros'>>): bigint {
  let rest = money.chargeMicros
  for (const name of paidNames) rest -= money[name]
  return rest
}

/** Returns the application's revenue on calls: paid wallet money and on-demand. */
export function earnedOnCalls({ onDemandMicros, paidWalletMicros }: Readonly<PaidFigures>): bigint {
  return paidWalletMicros + onDemandMicros
}
