import * as z from 'zod'
import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { ApiKey, credentialFault, sealedCredential } from '#operations/providers/shared/provider-api-key.ts'
import { ProviderView, providerView } from '#operations/providers/shared/provider-view.ts'
import { providerWithEtag } from '#operations/providers/shared/provider-with-etag.ts'

export default operationOn(providerWithEtag, {
  id: 'providers.rotate',
  method: 'POST',
  path: '/v1/providers/{id}/rotate',
  leastRole: 'admin',
  summary: 'Rotate a provider API key',
  description:
    "Replaces the account's API key, starting with the next request, and deletes the old key. Requests in flight continue with the old key, so revoke the old key at the provider after these requests end. The new key is stored encrypted and cannot be retrieved. No request is sent to the provider.",
  body: z.strictObject({
    apiKey: ApiKey.meta({ description: 'The new API key.', examples: ['sk-proj-0123456789abcdef'] }),
  }),
  output: ProviderView,
  configures: 'organization',
  async run(provider, context, { body }) {
    if (kindFacts(provider.kind).place === 'built_in') {
      return refused(
        'invalid_request',
        { reason: 'The simulator is built in and accepts no apiKey.' },
        'apiKey',
      )
    }
    const fault = credentialFault(provider.kind, body.apiKey, context.ports)
    if (fault !== null) return refused('invalid_request', { reason: fault }, 'apiKey')
    const rotated = { ...provider, ...sealedCredential(provider.kind, body.apiKey, provider, context) }
    await context.store.providers.update(rotated)
    return providerView(rotated, context)
  },
})
