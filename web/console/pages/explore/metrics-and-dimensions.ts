/** Counts are bigints too, so that all sums are exact. */
import type { UsageSeriesInput } from '#sdk/generated/usage.ts'
import { moneyText } from '#web/ui/money-text.ts'
import { countText } from '#web/ui/number-text.ts'
import { figures } from '#domain/reports/table-of-request-figures.ts'
import { amountIn, furtherNames, type MoneyName } from '../../request-money-figures.ts'
import { earnedOf, failedOf, marginOf, type SeriesTotals } from '../../chart-usage-series.ts'

export interface Metric {
  readonly id: string
  readonly words: string
  /** Null if the server does not know the value for this group or bucket. */
  readonly of: (totals: SeriesTotals) => bigint | null
  readonly format: (value: bigint) => string
  readonly isMoney: boolean
  readonly order: NonNullable<UsageSeriesInput['order']>
}

const money = (
  id: string,
  words: string,
  of: Metric['of'],
  order: Metric['order'] = 'chargeMicros',
): Metric => ({ id, words, of, order, format: moneyText, isMoney: true })

const count = (id: string, words: string, of: (totals: SeriesTotals) => number | null): Metric => ({
  id,
  words,
  of(totals) {
    const value = of(totals)
    return value === null ? null : BigInt(value)
  },
  order: 'calls',
  format: countText,
  isMoney: false,
})

const figure = (name: MoneyName, id: string, order?: Metric['order']): Metric =>
  money(id, figures[name].label, (totals) => BigInt(amountIn(totals, name)), order)

const amounts: readonly Metric[] = [
  figure('chargeMicros', 'charged'),
  figure('billedMicros', 'billed', 'billedMicros'),
  money('earned', 'Request revenue', earnedOf),
  figure('paidPlanMicros', 'paid-plan'),
  figure('paidWalletMicros', 'paid-wallet'),
  figure('paidGiftMicros', 'paid-gift'),
  figure('onDemandMicros', 'on-demand'),
  figure('overdraftMicros', 'overdraft'),
  figure('costMicros', 'cost', 'costMicros'),
  money('margin', 'Request margin', marginOf, 'billedMicros'),
  figure('overHoldMicros', 'over-hold', 'costMicros'),
]

export const metrics: readonly Metric[] = [
  ...amounts,
  ...furtherNames.map((name) => figure(name, figures[name].property)),
  count('requests', 'Requests', ({ calls }) => calls),
  count('charged-requests', figures.calls.label, ({ chargedCalls }) => chargedCalls),
  count('failed', 'Failed requests', failedOf),
  count('tokens-in', figures.inputTokens.label, ({ inputTokens }) => inputTokens),
  count('tokens-out', figures.outputTokens.label, ({ outputTokens }) => outputTokens),
]

export const [firstMetric] = metrics as readonly [Metric, ...Metric[]]

/** Groups by tag do not add up to the total, so they cannot be stacked. */
export type Dimension = Exclude<NonNullable<UsageSeriesInput['by']>, 'tag'>

export const dimensions: readonly (readonly [Dimension, words: string])[] = [
  ['model', 'Model'],
  ['provider', 'Provider'],
  ['bundle', 'Bundle'],
  ['endUser', 'End user'],
  ['key', 'Key'],
  ['team', 'Team'],
]

export const filterOf = {
  model: 'model',
  provider: 'provider',
  bundle: 'bundle',
  endUser: 'endUserId',
  key: 'keyId',
  team: 'team',
} as const satisfies Readonly<Record<Dimension, keyof UsageSeriesInput>>

export const filterNames = [...Object.values(filterOf), 'tag'] as const

/** Sums by end user and by key are daily, and not available by provider, bundle, tag or team. */
export const isOfPeople = (dimension: string | null): boolean =>
  dimension === 'endUser' || dimension === 'key' || dimension === 'endUserId' || dimension === 'keyId'

export const isOfCalls = (dimension: string | null): boolean =>
  dimension === 'provider' || dimension === 'bundle' || isLabel(dimension)

/** A chart can use only one label, so tags and teams cannot be combined. */
export const isLabel = (dimension: string | null): boolean => dimension === 'tag' || dimension === 'team'
