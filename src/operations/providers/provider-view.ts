import * as z from 'zod'
import { providerKindNames } from '#domain/provider-kinds.ts'
import type { Provider, ProviderPrice } from '#domain/store.ts'
import type { Context } from '#operations/operation.ts'
import { refused, type Refused } from '#operations/refused.ts'
import { Label, PriceSchema, text, Timestamp, UpstreamModel } from '#operations/schemas.ts'

export const ProviderKindSchema = z
  .enum(providerKindNames)
  .meta({ description: 'What it speaks. The simulator is built in and answers without a network.' })

export const ProviderView = z
  .object({
    id: z.string().meta({ description: 'Id of the account, `pa_…`.' }),
    label: Label.meta({ description: 'What the sources of models name it by.' }),
    kind: ProviderKindSchema,
    baseUrl: z.string().nullable().meta({ description: 'Where requests go; null for the simulator.' }),
    lastFour: z.string().nullable().meta({ description: 'The end of its API key; null: it has none.' }),
    prices: z
      .array(z.object({ model: UpstreamModel, price: PriceSchema }))
      .meta({ description: 'What the account is charged, by exact model, where that was set here.' }),
    createdAt: Timestamp.meta({ description: 'When it was first connected.' }),
  })
  .meta({ id: 'ProviderAccount', description: 'An account at a model provider, without its API key.' })

/** What a path names an account by. */
export const ProviderId = text(64).meta({ description: 'Id of the account, `pa_…`, or its label.' })

export async function providerView(
  provider: Provider,
  { store }: Context,
): Promise<z.output<typeof ProviderView>> {
  return viewOf(provider, await store.providers.prices(provider.id))
}

function viewOf(provider: Provider, prices: readonly ProviderPrice[]): z.output<typeof ProviderView> {
  return {
    id: provider.id,
    label: provider.label,
    kind: provider.kind,
    baseUrl: provider.baseUrl,
    lastFour: provider.lastFour,
    prices: [...prices],
    createdAt: provider.createdAtMs,
  }
}

/** What an ETag of an account stands for. The sealed credential differs whenever one was entered. */
export async function providerRevision(provider: Provider | null, context: Context): Promise<object | null> {
  if (!provider) return null
  return { ...(await providerView(provider, context)), sealed: provider.sealedCredential }
}

/** The organization's account of that id or label: labels never start with `pa_`. */
export async function ownProvider(
  id: string,
  { organization, store }: Context,
): Promise<Provider | Refused<'not_found'>> {
  const provider =
    (await store.providers.byId(organization.id, id)) ?? (await store.providers.byLabel(organization.id, id))
  return provider ?? refused('not_found', { resource: 'provider account', id }, 'id')
}
