import type { IncludeTerms } from '#money/plan-pools.ts'
import { bigintIn, bigintOrNullIn, flagIn, type SqlRow, textIn, textOrNullIn, wordIn } from './sql-row.ts'
import { stringsFromText } from './json-columns.ts'

export function includeTermsOf(row: SqlRow): IncludeTerms {
  const models = textOrNullIn(row, 'models')
  return {
    slug: textIn(row, 'slug'),
    displayName: textIn(row, 'display_name'),
    unit: wordIn(row, 'unit', ['micros', 'credits']),
    amount: bigintIn(row, 'amount'),
    priceMicros: bigintOrNullIn(row, 'price_micros'),
    thenOnDemand: flagIn(row, 'then_on_demand'),
    recurring: flagIn(row, 'recurring'),
    spilloverTo: textOrNullIn(row, 'spillover_to'),
    models: models === null ? null : stringsFromText(models),
  }
}
