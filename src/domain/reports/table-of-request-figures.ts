/**
 * The figures (amounts and counts) of charged requests, one row each, in the order in which responses list them. The
 * stored rows, sums by day and hour, series, margin, exports, metrics and pages are derived from this table
 * (sums-of-request-figures.ts). To add a figure, add a row here and a column in a migration.
 *
 * The five parts of a charge (money/charge-split-by-payer.ts) add up to the charge. In records that were written before
 * charges were split, the parts are 0, and `unattributedMicros` is the difference.
 */
import type { Paid } from '#money/charge-split-by-payer.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { SettleResult } from '#domain/ledger-interface.ts'

export interface ObservedCharge {
  readonly usage: Usage
  readonly result: SettleResult
}

export interface SettledRequest extends ObservedCharge {
  readonly inputTokens: number
  readonly paid: Paid
}

interface FigureFacts {
  readonly unit: 'calls' | 'tokens' | 'micros'
  /** The name of the figure in API responses. */
  readonly wire: string
  /** The name of the figure in the properties of events, in snake case as vendors use it. */
  readonly property: string
  readonly label: string
  readonly description: string
  /** Whether corrections change the figure. If so, the table `call_corrections` has a column for the figure. */
  readonly isCorrected?: true
}

interface PlainFigure extends FigureFacts {
  readonly metric?: undefined
  /** Returns the value of one request: a bigint for micros, otherwise a number. */
  readonly of: (settled: SettledRequest) => number | bigint
}

/** A figure for which metrics have a counter. Observers of calls receive the value of such a figure. */
interface CountedFigure extends FigureFacts {
  readonly metric: { readonly name: string; readonly help: string }
  readonly of: (charge: ObservedCharge) => bigint
}

export type Figure = PlainFigure | CountedFigure

/**
 * The keys of this table are field names. In snake case, these names are columns of `usage_days` and
 * `application_days`. All figures except the number of calls are also columns of `usage_records`. Amounts of money are
 * also columns of `call_hours`, `run_hours` and `tag_hours`.
 */
export const figures = {
  calls: {
    unit: 'calls',
    wire: 'calls',
    property: 'calls',
    label: 'Charged requests',
    description: 'Number of charged requests.',
    of: () => 1,
  },
  inputTokens: {
    unit: 'tokens',
    wire: 'inputTokens',
    property: 'input_tokens',
    label: 'Tokens in',
    description: 'Input tokens.',
    of: ({ inputTokens }: SettledRequest) => inputTokens,
  },
  outputTokens: {
    unit: 'tokens',
    wire: 'outputTokens',
    property: 'output_tokens',
    label: 'Tokens out',
    description: 'Output tokens.',
    of: ({ usage }: SettledRequest) => usage.output,
  },
  costMicros: {
    unit: 'micros',
    wire: 'costMicros',
    property: 'cost_micros',
    label: 'Provider cost',
    description: 'Provider cost, in micros.',
    isCorrected: true,
    metric: {
      name: 'tollgate_cost_micros_total',
      help: 'Provider cost of calls, including failed attempts, in millionths of a dollar.',
    },
    of: ({ result }: ObservedCharge) => result.costMicros,
  },
  billedMicros: {
    unit: 'micros',
    wire: 'billedMicros',
    property: 'billed_micros',
    label: 'List value',
    description:
      'List value: amount of the usage at the sell price of the bundle, in micros, regardless of who paid.',
    isCorrected: true,
    metric: {
      name: 'tollgate_billed_micros_total',
      help: 'List value of settled calls, in millionths of a dollar.',
    },
    of: ({ result }: ObservedCharge) => result.billedMicros,
  },
  chargeMicros: {
    unit: 'micros',
    wire: 'chargeMicros',
    property: 'charge_micros',
    label: 'Charged',
    description: 'Amount debited from pools, wallets and on-demand billing, in micros.',
    isCorrected: true,
    metric: {
      name: 'tollgate_charged_micros_total',
      help: 'Amount debited from pools, wallets and on-demand billing, in millionths of a dollar.',
    },
    of: ({ result }: ObservedCharge) => result.chargeMicros,
  },
  overHoldMicros: {
    unit: 'micros',
    wire: 'overHoldMicros',
    property: 'over_hold_micros',
    label: 'Over hold',
    description:
      'Amount of the usage above the hold, in micros. This amount is neither charged nor billed, so the application bears the cost.',
    metric: {
      name: 'tollgate_over_hold_micros_total',
      help: 'Usage above the holds, in millionths of a dollar. The application bears it.',
    },
    of: ({ result }: ObservedCharge) => result.overHoldMicros,
  },
  paidPlanMicros: {
    unit: 'micros',
    wire: 'paidFromPlanMicros',
    property: 'paid_from_plan_micros',
    label: 'Paid by plan',
    description: 'Part of the charge paid from pools of the plan, in micros.',
    isCorrected: true,
    of: ({ paid }: SettledRequest) => paid.planMicros,
  },
  paidWalletMicros: {
    unit: 'micros',
    wire: 'paidFromWalletMicros',
    property: 'paid_from_wallet_micros',
    label: 'Paid credit',
    description: 'Part of the charge paid from purchased wallet money, in micros.',
    isCorrected: true,
    of: ({ paid }: SettledRequest) => paid.walletMicros,
  },
  paidGiftMicros: {
    unit: 'micros',
    wire: 'paidFromGiftMicros',
    property: 'given_micros',
    label: 'Gifted credit',
    description: 'Part of the charge paid from gifted credit, in micros.',
    isCorrected: true,
    of: ({ paid }: SettledRequest) => paid.giftMicros,
  },
  onDemandMicros: {
    unit: 'micros',
    wire: 'onDemandMicros',
    property: 'on_demand_micros',
    label: 'On-demand',
    description: 'Part of the charge billed on demand, in micros.',
    isCorrected: true,
    of: ({ paid }: SettledRequest) => paid.onDemandMicros,
  },
  overdraftMicros: {
    unit: 'micros',
    wire: 'overdraftMicros',
    property: 'overdraft_micros',
    label: 'Overdraft',
    description: 'Part of the charge that took a wallet below 0, in micros.',
    isCorrected: true,
    of: ({ paid }: SettledRequest) => paid.overdraftMicros,
  },
} as const satisfies Readonly<Record<string, Figure>>
