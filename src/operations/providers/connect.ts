import * as z from 'zod'
import { idOf } from '#domain/id.ts'
import { isPrivateUrl, outboundFault } from '#domain/network/outbound-address.ts'
import { kindFacts } from '#domain/provider-kinds.ts'
import { operation } from '#operations/operation.ts'
import type { Ports } from '#operations/ports.ts'
import { ownProvider } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { Label } from '#operations/schemas.ts'
import { ApiKey, noCredential, sealedCredential } from './credential.ts'
import { ProviderKindSchema, ProviderView, providerView } from './provider-view.ts'

export default operation({
  id: 'providers.connect',
  method: 'PUT',
  path: '/v1/providers/{label}',
  scope: 'organization',
  leastRole: 'admin',
  summary: 'Connect a provider account',
  description:
    'Makes the account of that label or replaces what it is: an API key that is left out is forgotten. A vendor account without a base URL is called at the address of the vendor, and pays what the vendor publishes. The key is stored sealed, never shown again, and sent to the base URL only. Nothing is sent to the provider now.',
  parameters: { label: Label.meta({ description: 'Name of the account in the sources of models.' }) },
  body: z.strictObject({
    kind: ProviderKindSchema,
    baseUrl: z
      .string()
      .max(500)
      .optional()
      .meta({
        description:
          'Where requests go; the paths of the wire are put behind it. Left out: the address of the vendor. Required for `openai_compatible`, and not taken for the simulator.',
        examples: ['https://api.groq.com/openai/v1'],
      }),
    apiKey: ApiKey.optional().meta({
      description:
        'Sent to the provider in the header that its wire has for it. Required for `openai`, `anthropic` and `google`.',
    }),
  }),
  output: ProviderView,
  changes: 'organization',
  async run({ body, path }, context) {
    const { nowMs, organization, ports, store } = context
    const { place, baseUrl: vendorsUrl } = kindFacts(body.kind)
    const isBuiltIn = place === 'built_in'
    if (isBuiltIn && (body.baseUrl !== undefined || body.apiKey !== undefined)) {
      const param = body.baseUrl === undefined ? 'apiKey' : 'baseUrl'
      return refused('invalid_request', { reason: `The simulator is built in and takes no ${param}.` }, param)
    }
    const baseUrl = body.baseUrl ?? vendorsUrl
    if (!isBuiltIn && baseUrl === null) {
      return refused('invalid_request', { reason: 'baseUrl is required.' }, 'baseUrl')
    }
    if (place === 'vendor' && body.apiKey === undefined) {
      return refused('invalid_request', { reason: 'apiKey is required.' }, 'apiKey')
    }
    const fault = baseUrl === null ? null : baseUrlFault(baseUrl, ports)
    if (fault !== null)
      return refused('invalid_request', { reason: `baseUrl cannot be used: ${fault}.` }, 'baseUrl')

    const existing = await store.providers.byLabel(organization.id, path.label)
    const id = existing?.id ?? idOf('pa', ports.newId())
    const provider = {
      id,
      organizationId: organization.id,
      label: path.label,
      kind: body.kind,
      baseUrl: baseUrl?.replace(/\/+$/, '') ?? null,
      ...(body.apiKey === undefined
        ? noCredential
        : sealedCredential(body.apiKey, { organizationId: organization.id, id }, context)),
      createdAtMs: existing?.createdAtMs ?? nowMs,
    }
    await (existing ? store.providers.update(provider) : store.providers.insert(provider))
    return providerView(provider, context)
  },
  revision: ({ path }, context) => ownProvider.revision(path.label, context),
})

function baseUrlFault(
  baseUrl: string,
  { allowPrivateProviders: allowPrivate, isOwnUrl }: Pick<Ports, 'allowPrivateProviders' | 'isOwnUrl'>,
): string | null {
  const policy = { allowPrivate }
  const fault = outboundFault(baseUrl, policy)
  const isForPrivate = !policy.allowPrivate && isPrivateUrl(baseUrl)
  if (isForPrivate && outboundFault(baseUrl, { allowPrivate: true }) === null) {
    return `it is in a private network, and this server calls none; its operator may start it with TOLLGATE_ALLOW_PRIVATE_PROVIDERS=true (for Ollama, vLLM and the like)`
  }
  if (fault !== null) return fault
  if (isOwnUrl(baseUrl)) return 'it is an address of this server, and its requests would come back here'
  return /[?#]/.test(baseUrl) ? 'it has a query or a fragment, and a path is put behind it' : null
}
