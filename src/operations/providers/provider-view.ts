import * as z from 'zod'
import { onClientLeftChoices } from '#domain/on-client-left.ts'
import { kindFacts, providerKindNames } from '#domain/provider-kinds.ts'
import type { Provider } from '#domain/records.ts'
import type { Context } from '#operations/context.ts'
import {
  CredentialRefusedView,
  credentialRefusedView,
  type CredentialState,
  refusedCredentials,
} from './credential-state.ts'
import { Label, PriceSchema, Timestamp, UpstreamModel } from '#operations/schemas.ts'

export const ProviderKindSchema = z
  .enum(providerKindNames)
  .meta({ description: 'Its protocol. The simulator is built in and answers without a network.' })

export const OnClientLeftSchema = z.enum(onClientLeftChoices).meta({
  description:
    '`cut` closes the stream to the provider immediately and charges what was delivered; `drain` reads on for up to 30 seconds and 64 KiB and charges what was generated.',
})

const defaults = onClientLeftChoices
  .map((choice) => {
    const kinds = providerKindNames.filter((kind) => kindFacts(kind).onClientLeft === choice)
    return `\`${choice}\` for ${kinds.map((kind) => `\`${kind}\``).join(', ')}`
  })
  .join('; ')

export const ProviderView = z
  .object({
    id: z.string().meta({ description: 'Id of the account, `pa_…`.' }),
    label: Label.meta({ description: 'Its name in the sources of models.' }),
    kind: ProviderKindSchema,
    baseUrl: z.string().nullable().meta({ description: 'Base URL of requests; null for the simulator.' }),
    lastFour: z.string().nullable().meta({ description: 'Last characters of its API key; null: none.' }),
    credentialSetAt: Timestamp.nullable().meta({
      description: 'When its API key was connected or last rotated; null: it has none, or not known.',
    }),
    credentialRefused: CredentialRefusedView.nullable().meta({
      description: 'What its provider says of its API key now; null: nothing against it, as far as is known.',
    }),
    onClientLeft: OnClientLeftSchema.nullable().meta({
      description: `What happens to a stream of the account when the client leaves. Null means the default of its kind: ${defaults}.`,
    }),
    prices: z
      .array(z.object({ model: UpstreamModel, price: PriceSchema }))
      .meta({ description: 'What the account is charged, by exact model, where that was set here.' }),
    createdAt: Timestamp.meta({ description: 'When it was first connected.' }),
  })
  .meta({ id: 'ProviderAccount', description: 'An account at a model provider, without its API key.' })

export async function providerView(
  provider: Provider,
  context: Context,
  refused: Promise<ReadonlyMap<string, CredentialState>> = refusedCredentials(context),
): Promise<z.output<typeof ProviderView>> {
  const state = (await refused).get(provider.id)
  return {
    ...(await providerSettings(provider, context)),
    credentialRefused: state ? credentialRefusedView(provider, state) : null,
  }
}

/** What was set of it, without what calls found out. */
export async function providerSettings(
  provider: Provider,
  { store }: Context,
): Promise<Omit<z.output<typeof ProviderView>, 'credentialRefused'>> {
  return {
    id: provider.id,
    label: provider.label,
    kind: provider.kind,
    baseUrl: provider.baseUrl,
    lastFour: provider.lastFour,
    credentialSetAt: provider.credentialSetAtMs,
    onClientLeft: provider.onClientLeft,
    prices: [...(await store.providers.prices(provider.id))],
    createdAt: provider.createdAtMs,
  }
}
