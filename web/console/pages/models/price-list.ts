/** One line of the price list: a name, what stands behind it, what it is sold at and what it costs. */
import { isAllowed } from '#money/name-pattern.ts'
import type { HealthOutput } from '#sdk/generated/operations.ts'
import type { AccountModel, Bundle, MarginRow, Model, Price } from '#sdk/generated/types.ts'
import type { Tone } from '#web/ui/state.tsx'

export type Source = Model['sources'][number]

export interface PricedName {
  readonly model: Model
  /** The source that is asked first of those that have a whole price; else the first of all. */
  readonly source: Source | undefined
  /** What that source charges; undefined: it has no price. */
  readonly cost: Price | undefined
  /** What the bundle sells it at; null: at cost. */
  readonly sell: Price | null
  readonly isAllowed: boolean
}

export function pricedName(
  model: Model,
  priceOf: (source: Source) => AccountModel | undefined,
  bundle: Bundle | undefined,
): PricedName {
  const whole = model.sources.find((source) => priceOf(source)?.missing.length === 0)
  const source = whole ?? model.sources[0]
  return {
    model,
    source,
    cost: source && priceOf(source)?.price,
    sell: bundle?.prices.find((one) => one.model === model.name)?.price ?? null,
    isAllowed: bundle !== undefined && isAllowed(model.name, bundle.allow, bundle.deny),
  }
}

export interface Words {
  readonly tone: Tone
  readonly words: string
  readonly title: string
}

/** What a person should know of a name's calls of the last day: circuits first, since they keep calls away now. */
export function healthOf(model: Model, health: HealthOutput | undefined): Words {
  if (!health) return { tone: 'neutral', words: 'Not known', title: 'Health has not been read' }
  const kept = health.circuits.filter(({ model: of, provider }) =>
    model.sources.some((source) => source.model === of && source.provider === provider),
  )
  if (kept.length > 0) {
    const isAll = kept.length === model.sources.length
    return {
      tone: isAll ? 'negative' : 'held',
      words: isAll ? 'Kept away' : 'Partly kept away',
      title: kept.map(({ why }) => why).join(' '),
    }
  }
  const window = health.windows.at(-1)
  const own = window?.models.find(({ requestedModel }) => requestedModel === model.name)
  if (!own || own.calls === 0)
    return { tone: 'neutral', words: 'No calls', title: 'No call ended in the last 24 hours' }
  const broken = own.failed.provider + own.failed.ours
  const title = `${broken} of ${own.calls} calls failed at the provider or here in the last 24 hours`
  if (broken === 0) return { tone: 'positive', words: 'Healthy', title }
  const rate = own.failureRates.provider + own.failureRates.ours
  return rate < 0.05
    ? { tone: 'held', words: 'Some fail', title }
    : { tone: 'negative', words: 'Failing', title }
}

export function stateOf({ problems, status }: Model): Words {
  const title = problems.join('. ')
  if (status === 'serving')
    return problems.length > 0
      ? { tone: 'held', words: 'Partly served', title }
      : { tone: 'positive', words: 'Served', title }
  if (status === 'disabled') return { tone: 'neutral', words: 'Disabled', title: title || 'It was disabled' }
  if (status === 'unpriced') return { tone: 'negative', words: 'No price', title }
  if (status === 'test_only') return { tone: 'test', words: 'Not in live mode', title }
  return { tone: 'neutral', words: status, title }
}

/** The week whose calls the margin is of: seven days, today with it. */
export function lastWeek(nowMs: number): { readonly from: string } {
  const day = 86_400_000
  return { from: new Date(Math.floor(nowMs / day) * day - 6 * day).toISOString() }
}

export function marginOf(name: string, rows: readonly MarginRow[] | undefined): MarginRow | undefined {
  return rows?.find(({ requestedModel }) => requestedModel === name)
}
