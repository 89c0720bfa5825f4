import type * as z from 'zod'
import type { AliasRecordSource } from '#domain/records.ts'
import type { Context } from '#operations/operation.ts'
import { ownProvider } from '#operations/own.ts'
import { Refused } from '#operations/refused.ts'
import type { Source } from './model-view.ts'

/**
 * Sources with the accounts that their labels name.
 * @param param the field with the list
 */
export async function accountsOf(
  sources: readonly z.output<typeof Source>[],
  context: Context,
  param: string,
): Promise<AliasRecordSource[] | Refused<'not_found'>> {
  const found: AliasRecordSource[] = []
  for (const [index, { model, provider: label }] of sources.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- one transaction runs one query at a time
    const provider = await ownProvider.find(label, context, `${param}.${index}.provider`)
    if (provider instanceof Refused) return provider
    found.push({ accountId: provider.id, model })
  }
  return found
}
