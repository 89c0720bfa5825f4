/** The result states whether the maximum number of rows was reached. */
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { PageCall } from '#sdk/page.ts'
import { call, type OperationId, type RowOf } from './operations/use-operation.ts'
import { scopeOptions, useScope, type Scope } from './application-and-mode.ts'

const rowsMax = 2000
const pageSize = 200

export interface AllRows<Row> {
  readonly rows: readonly Row[]
  readonly isCut: boolean
}

export function useAllRows<Id extends OperationId>(
  id: Id,
  input: object = {},
  { isEnabled = true }: { readonly isEnabled?: boolean } = {},
): UseQueryResult<AllRows<RowOf<Id>>> {
  const scope = useScope()
  return useQuery({ ...allRowsQuery(id, input, scope), enabled: isEnabled })
}

// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the type of a query is its inference
export function allRowsQuery<Id extends OperationId>(id: Id, input: object, scope: Scope) {
  return {
    queryKey: [...id.split('.'), 'all', input, scope] as const,
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<AllRows<RowOf<Id>>> => {
      const asking = { limit: pageSize, ...input } as Parameters<typeof call<Id>>[1]
      const list = call(id, asking, { ...scopeOptions(scope), signal }) as unknown as PageCall<
        RowOf<Id>,
        { data: RowOf<Id>[]; nextCursor: string | null }
      >
      const rows: RowOf<Id>[] = []
      for await (const row of list) {
        if (rows.length === rowsMax) return { rows, isCut: true }
        rows.push(row)
      }
      return { rows, isCut: false }
    },
    placeholderData: keepPreviousData,
  }
}
