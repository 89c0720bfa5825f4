import type * as z from 'zod'
import type { AliasRecordSource, Provider } from '#domain/records.ts'
import { refused, type Refused } from '#operations/refused.ts'
import type { Source } from './model-view.ts'

/**
 * Sources with the accounts that their labels name.
 * @param accounts all of the organization
 * @param param the field with the list
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
