import { isAllowed } from '#money/model-name-pattern.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import type { AccountModel, Bundle, MarginRow, Model, Price } from '#sdk/generated/types.ts'
import type { Words } from '../../providers/health-words.ts'

export const sourcesTitle = 'Sources, in the order they are tried'

export type Source = Model['sources'][number]

export interface PricedName {
  readonly model: Model
  /** The first source with a complete price, or else the first source. */
  readonly source: Source | undefined
  /** Undefined if `source` has no price. */
  readonly cost: Price | undefined
  /** Null if the model sells at cost. */
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

export function stateOf({ problems, status }: Model): Words {
  const title = problems.join('. ')
  if (status === 'serving')
    return problems.length > 0
      ? { tone: 'held', words: 'Partially serving', title }
      : { tone: 'positive', words: 'Serving', title }
  if (status === 'disabled') return { tone: 'neutral', words: 'Disabled', title }
  if (status === 'unpriced') return { tone: 'negative', words: 'No price', title }
  if (status === 'test_only') return { tone: 'test', words: 'Test mode only', title }
  return { tone: 'neutral', words: status, title }
}

/** The last seven days, including today. */
export function lastWeek(nowMs: number): { readonly from: string } {
  return { from: new Date(Math.floor(nowMs / dayMs) * dayMs - 6 * dayMs).toISOString() }
}

export function marginOf(name: string, rows: readonly MarginRow[] | undefined): MarginRow | undefined {
  return rows?.find(({ requestedModel }) => requestedModel === name)
}
