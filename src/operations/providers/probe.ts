import * as z from 'zod'
import { probeMessage } from '#domain/accounts/account-fault-messages.ts'
import { accountPrice } from '#domain/prices/price-of-account.ts'
import { probeRecord, type ProbeAnswer } from '#domain/health/provider-probes.ts'
import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import { lackingRates } from '#domain/sources-serving-model-name.ts'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import type { Price } from '#money/price.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { ownProvider } from '#operations/kernel/find-resources-of-caller.ts'
import { refused, Refused } from '#operations/kernel/returned-error.ts'
import {
  Count,
  Label,
  MicrosSum,
  Timestamp,
  UpstreamModel,
} from '#operations/kernel/value-and-page-schemas.ts'
import { pricedModels } from './models.ts'

interface Probed {
  readonly provider: Provider
  readonly model: string
  readonly price: Price | null
  readonly answer: ProbeAnswer
}

export default operation({
  id: 'providers.probe',
  method: 'POST',
  path: '/v1/providers/{id}/probe',
  scope: 'organization',
  summary: 'Probe a provider account',
  description:
    "Sends one small live request to the provider with the account's API key, and returns the result. If the provider fails, the failure is returned as the result, not as an error.\n\n- The request asks for one output token. At OpenAI, the request asks for 16 output tokens, because OpenAI's models require at least 16.\n- No end user is charged. The cost of the probe is part of `probeCostMicros` of the margin report.\n- In test mode, probes are rejected, because test mode calls no provider.",
  parameters: { id: ownProvider.schema },
  body: z.strictObject({
    model: z.exactOptional(UpstreamModel).meta({
      description:
        "The provider's model ID. Defaults to the cheapest model that has a complete price on the account.",
      examples: ['gpt-5-mini'],
    }),
  }),
  output: z
    .object({
      provider: Label.meta({ description: 'Label of the provider account.' }),
      model: UpstreamModel,
      ok: z.boolean().meta({ description: 'Whether the model responded.' }),
      status: z
        .int()
        .nullable()
        .meta({ description: 'HTTP status of the provider. Null if the provider did not respond.' }),
      latencyMs: Count.meta({ description: 'Milliseconds from the request to the end of the response.' }),
      inputTokens: Count.nullable().meta({
        description: 'Input tokens reported by the provider. Null if the provider reported no usage.',
      }),
      outputTokens: Count.nullable().meta({
        description: 'Output tokens reported by the provider. Null if the provider reported no usage.',
      }),
      costMicros: MicrosSum.nullable().meta({
        description:
          'Cost of the request, in micros. Null if the provider reported no usage, or if the model has no price.',
      }),
      error: z
        .object({
          code: z.string().meta({
            description: 'Error code. `requests.list` returns the same codes.',
            examples: ['upstream_unauthorized'],
          }),
          message: z.string().meta({ description: 'Meaning of the error, and what to do.' }),
          said: z.string().nullable().meta({
            description:
              "The provider's own error text, at most 2,000 characters, without the account's API key. Null if the provider sent no text.",
          }),
        })
        .nullable()
        .meta({ description: 'Reason for the failure. Null if the model responded.' }),
      probedAt: Timestamp.meta({ description: 'When the probe was sent.' }),
    })
    .meta({ id: 'Probe', description: 'Result of a probe of a provider account.' }),
  errors: ['not_found'],
  guessable: 'providerCredential',
  changes: ['providers', 'requests'],
  async prepare({ body, path }, context): Promise<Probed | Refused<'invalid_request' | 'not_found'>> {
    const provider = await ownProvider.find(path.id, context)
    if (provider instanceof Refused) return provider
    const fault = faultOf(provider, context)
    if (fault !== null) return fault
    const own = await context.store.providers.prices(provider.id)
    const model = body.model ?? cheapestModel(provider, own, context.nowMs)
    if (model === null) {
      const reason = `No model of the account ${provider.label} has a price. Set model, or price a model with POST /v1/providers/${provider.label}/price.`
      return refused('invalid_request', { reason }, 'model')
    }
    const override = own.find((price) => price.model === model)?.price ?? null
    const price = accountPrice(provider, model, override, context.nowMs)
    return { provider, model, price, answer: await context.ports.probeAccount(provider, model) }
  },
  async run(_, { nowMs, organization, ports, store }, { answer, model, price, provider }) {
    const { failure, latencyMs, status } = answer
    const account = { id: provider.id, kind: provider.kind, organizationId: organization.id }
    const probe = probeRecord({ id: ports.newId(), account, model, price }, answer, nowMs)
    await store.probes.insert(probe)
    return {
      provider: provider.label,
      model,
      ok: failure === null,
      status,
      latencyMs,
      inputTokens: probe.inputTokens,
      outputTokens: probe.outputTokens,
      costMicros: probe.costMicros,
      error: failure && {
        code: failure.code,
        message: probeMessage(failure.code, { label: provider.label, reason: failure.reason }),
        said: failure.said,
      },
      probedAt: nowMs,
    }
  },
})

function faultOf({ kind, label }: Provider, { mode }: Context): Refused<'invalid_request'> | null {
  if (kindFacts(kind).place === 'built_in') {
    const reason = `The account ${label} is the simulator, which is built in and cannot be probed.`
    return refused('invalid_request', { reason }, 'id')
  }
  if (mode === 'live') return null
  const reason = 'A probe is a live request, and test mode calls no provider. Send x-svc-mode: live.'
  return refused('invalid_request', { reason }, 'x-svc-mode')
}

/** Compares models by the price of one input token plus one output token. Null if no model has a complete price. */
function cheapestModel(
  provider: Provider,
  own: Parameters<typeof pricedModels>[1],
  nowMs: number,
): string | null {
  let cheapest: { readonly model: string; readonly rate: bigint } | null = null
  for (const { model, price } of pricedModels(provider, own, nowMs)) {
    if (lackingRates({ account: provider, model, price }).length > 0) continue
    const rate = (price.input ?? 0n) + (price.output ?? 0n)
    if (cheapest === null || rate < cheapest.rate) cheapest = { model, rate }
  }
  return cheapest?.model ?? null
}
