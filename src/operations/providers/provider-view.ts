import * as z from 'zod'
import { errors, type ErrorCode, messageOf } from '#domain/errors.ts'
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

const FailedProbeView = z
  .object({
    model: UpstreamModel,
    code: z.string().meta({ description: 'Code of the error.', examples: ['upstream_unauthorized'] }),
    status: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the provider. Null if it did not answer.' }),
    message: z.string().meta({ description: 'What the code means.' }),
    said: z.string().nullable().meta({
      description:
        "The provider's own words, without the account's key. Null if it sent none, or if they were not kept.",
    }),
    probedAt: Timestamp.meta({ description: 'When the probe was sent.' }),
  })
  .meta({ id: 'FailedProbe', description: 'A probe that failed, sent by a member or by the gateway.' })

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
    lastFailedProbe: FailedProbeView.nullable().meta({
      description: 'The newest probe of the account that failed. Null if none did.',
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
    lastFailedProbe: await failedProbe(provider, context),
  }
}

/** Returns the stored code, or `upstream_error` if a later release has written an unknown one. */
function codeOf(stored: string | null): ErrorCode {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is a key of the table
  return stored !== null && Object.hasOwn(errors, stored) ? (stored as ErrorCode) : 'upstream_error'
}

async function failedProbe(
  { id, label }: Provider,
  { organization, store }: Context,
): Promise<z.output<typeof FailedProbeView> | null> {
  const probe = await store.probes.newestFailed(organization.id, id)
  if (probe === null) return null
  const { createdAtMs, errorCode, model, said, status } = probe
  const code = codeOf(errorCode)
  const reason = status === null ? 'it did not answer' : `it answered ${status}`
  return {
    model,
    code,
    status,
    message: messageOf(code, { reason, provider: label }),
    said,
    probedAt: createdAtMs,
  }
}

/** Returns the settings without facts that requests have shown. */
export async function providerSettings(
  provider: Provider,
  { store }: Context,
): Promise<Omit<z.output<typeof ProviderView>, 'credentialRefused' | 'lastFailedProbe'>> {
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
