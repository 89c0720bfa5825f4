/** Price lists show these prices as costs. */
import { useQueries } from '@tanstack/react-query'
import type { AccountModel } from '#sdk/generated/types.ts'
import { allRowsQuery } from '../load-all-rows.ts'
import { useScope } from '../application-and-mode.ts'

export interface AccountPrices {
  /** Undefined before the prices are loaded, or without a price for the model. */
  readonly priceOf: (source: {
    readonly provider: string
    readonly model: string
  }) => AccountModel | undefined
  readonly isReady: boolean
  readonly error: unknown
}

export function useAccountPrices(labels: readonly string[]): AccountPrices {
  const scope = useScope()
  const unique = [...new Set(labels)].toSorted()
  return useQueries({
    queries: unique.map((id) => ({
      ...allRowsQuery('providers.models', { id }, scope),
      placeholderData: undefined,
    })),
    combine: (results) => {
      const byLabel = new Map(
        unique.map((label, at) => [
          label,
          new Map((results[at]?.data?.rows ?? []).map((row) => [row.model, row])),
        ]),
      )
      return {
        priceOf: ({ model, provider }) => byLabel.get(provider)?.get(model),
        isReady: results.every(({ isPending }) => !isPending),
        error: results.find(({ error }) => error !== null)?.error ?? null,
      }
    },
  })
}
