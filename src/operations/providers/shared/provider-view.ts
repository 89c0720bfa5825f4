import * as z from 'zod'
import { probeMessage } from '#domain/accounts/account-fault-messages.ts'
import { errors, type ErrorCode } from '#domain/errors.ts'
import { onClientLeftChoices } from '#domain/accounts/client-disconnect-choices.ts'
import { kindFacts, providerKindNames } from '#domain/accounts/provider-kinds.ts'
import type { ProbeRecord } from '#domain/health/provider-probes.ts'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import {
  Label,
  PriceSchema,
  ProviderKindSchema,
  Timestamp,
  UpstreamModel,
} from '#operations/kernel/value-and-page-schemas.ts'
import {
  CredentialRefusedView,
  credentialRefusedView,
  type CredentialState,
  refusedCredentials,
} from './rejected-credentials.ts'

const FailedProbeView = z
  .object({
    model: UpstreamModel,
    code: z.string().meta({ description: 'Error code.', examples: ['upstream_unauthorized'] }),
    status: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the provider. Null if the provider did not respond.' }),
    message: z.string().meta({ description: 'Meaning of the error, and what to do.' }),
    said: z.string().nullable().meta({
      description:
        "The provider's own error text, without the account's API key. Null if the provider sent no text, or if the text was not kept.",
    }),
    probedAt: Timestamp.meta({ description: 'When the probe was sent.' }),
  })
  .meta({ id: 'FailedProbe', description: 'A probe that failed, sent by a member or by the gateway.' })

export const OnClientLeftSchema = z.enum(onClientLeftChoices).meta({
  description:
    'Handling of a stream when the client disconnects. `cut` closes the stream to the provider immediately and charges the delivered output. `drain` keeps reading the stream for up to 30 seconds and 64 KiB, and charges the generated output.',
})

const defaults = onClientLeftChoices
  .map((choice) => {
    const kinds = providerKindNames.filter((kind) => kindFacts(kind).onClientLeft === choice)
    return `\`${choice}\` for ${kinds.map((kind) => `\`${kind}\``).join(', ')}`
  })
  .join('; ')

export const ProviderView = z
  .object({
    id: z.string().meta({ description: 'ID of the provider account, `pa_…`.' }),
    label: Label.meta({ description: 'Label of the provider account, used in the sources of model names.' }),
    kind: ProviderKindSchema,
    baseUrl: z
      .string()
      .nullable()
      .meta({ description: 'Base URL of the requests to the provider. Null for the simulator.' }),
    lastFour: z
      .string()
      .nullable()
      .meta({ description: 'Last characters of the API key. Null if the account has no API key.' }),
    credentialSetAt: Timestamp.nullable().meta({
      description:
        'When the API key was set or last rotated. Null if the account has no API key, or if the time is not known.',
    }),
    credentialRefused: CredentialRefusedView.nullable().meta({
      description: 'Rejections of the API key by the provider. Null if no current rejection is known.',
    }),
    lastFailedProbe: FailedProbeView.nullable().meta({
      description: 'Newest failed probe of the account. Null if no probe failed.',
    }),
    onClientLeft: OnClientLeftSchema.nullable().meta({
      description: `Handling of a stream when the client disconnects. Null means the default for the kind: ${defaults}.`,
    }),
    prices: z
      .array(z.object({ model: UpstreamModel, price: PriceSchema }))
      .meta({ description: 'Prices set on this account, by exact model ID.' }),
    createdAt: Timestamp.meta({ description: 'When the account was first connected.' }),
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

/** If a later release has stored a code that this release does not know, returns `upstream_error`. */
function codeOf({ errorCode }: Pick<ProbeRecord, 'errorCode'>): ErrorCode {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is a key of the table
  return errorCode !== null && Object.hasOwn(errors, errorCode) ? (errorCode as ErrorCode) : 'upstream_error'
}

export function failedProbeMessage(label: string, probe: Pick<ProbeRecord, 'errorCode' | 'status'>): string {
  const reason = probe.status === null ? 'it did not respond' : `it returned ${probe.status}`
  return probeMessage(codeOf(probe), { label, reason })
}

async function failedProbe(
  { id, label }: Provider,
  { organization, store }: Context,
): Promise<z.output<typeof FailedProbeView> | null> {
  const probe = await store.probes.newestFailed(organization.id, id)
  if (probe === null) return null
  const { createdAtMs, model, said, status } = probe
  return {
    model,
    code: codeOf(probe),
    status,
    message: failedProbeMessage(label, probe),
    said,
    probedAt: createdAtMs,
  }
}

/** Omits facts that come from requests and probes. */
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
