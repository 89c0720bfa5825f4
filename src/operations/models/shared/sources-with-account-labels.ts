import type * as z from 'zod'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import type { AliasRecordSource } from '#domain/model-name-record.ts'
import { refused, type Refused } from '#operations/kernel/returned-error.ts'
import type { Source } from './model-view.ts'

/** Omits deleted accounts, to which only an archived application can refer. */
export function labelledSources(
  sources: readonly AliasRecordSource[],
  accounts: readonly Provider[],
): z.output<typeof Source>[] {
  const labels = new Map(accounts.map(({ id, label }) => [id, label]))
  return sources.flatMap(({ accountId, model }) => {
    const provider = labels.get(accountId)
    return provider === undefined ? [] : { provider, model }
  })
}

/**
 * @param accounts all accounts of the organization
 * @param param the field of the request that contains the list
 */
export function accountsOf(
  sources: readonly z.output<typeof Source>[],
  accounts: readonly Provider[],
  param: string,
): AliasRecordSource[] | Refused<'not_found'> {
  const found: AliasRecordSource[] = []
  for (const [index, { model, provider: label }] of sources.entries()) {
    const account = accounts.find((one) => one.label === label)
    if (!account) {
      return refused('not_found', { resource: 'provider account', id: label }, `${param}.${index}.provider`)
    }
    found.push({ accountId: account.id, model })
  }
  return found
}
