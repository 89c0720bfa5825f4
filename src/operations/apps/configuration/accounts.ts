import * as z from 'zod'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { ownProvider } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { Label, ProviderKindSchema } from '#operations/kernel/value-and-page-schemas.ts'
import { type ApplyCode, invalid } from './steps-to-apply-changes.ts'

/**
 * Provider accounts belong to the organization. A configuration document refers to accounts, but never creates or
 * changes them.
 */
export const AccountItem = z
  .strictObject({
    label: Label.meta({ description: 'Label of the provider account.' }),
    kind: ProviderKindSchema,
  })
  .meta({
    id: 'ConfigurationAccount',
    description: 'A provider account that must exist. Credentials are not included.',
  })

type Item = z.output<typeof AccountItem>

export async function readAccounts(
  models: readonly { readonly sources: readonly { readonly provider: string }[] }[],
  { organization, store }: ApplicationContext,
): Promise<Item[]> {
  const used = new Set(models.flatMap(({ sources }) => sources.map(({ provider }) => provider)))
  const all = await store.providers.all(organization.id)
  return all
    .filter(({ label }) => used.has(label))
    .map(({ kind, label }) => ({ label, kind }))
    .toSorted((one, other) => (one.label < other.label ? -1 : 1))
}

export async function accountFault(
  wanted: readonly Item[] | undefined,
  context: ApplicationContext,
): Promise<Refused<ApplyCode> | null> {
  for (const [index, { kind, label }] of (wanted ?? []).entries()) {
    // oxlint-disable-next-line no-await-in-loop -- one transaction runs one query at a time
    const provider = await ownProvider.find(label, context, `providers.${index}.label`)
    if (provider instanceof Refused) return provider
    if (provider.kind !== kind) {
      const reason = `The provider account ${label} has the kind ${provider.kind}, but the document requires the kind ${kind}.`
      return invalid(reason, `providers.${index}.kind`)
    }
  }
  return null
}
