import * as z from 'zod'
import { kindFacts } from '#domain/provider-kinds.ts'
import { operationOn } from '#operations/operation.ts'
import { ownProvider } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { ApiKey, sealedCredential } from './credential.ts'
import { ProviderView, providerView } from './provider-view.ts'

export default operationOn(ownProvider, {
  id: 'providers.rotate',
  method: 'POST',
  path: '/v1/providers/{id}/rotate',
  leastRole: 'admin',
  summary: "Rotate an account's API key",
  description:
    'Puts a new API key in the place of the old one, which is forgotten. Calls in flight end with the old key, so revoke it at the provider once they have; every later call is sent with the new one. The key is stored sealed and never shown again. Nothing is sent to the provider now.',
  body: z.strictObject({
    apiKey: ApiKey.meta({ description: 'The new key.', examples: ['sk-proj-0123456789abcdef'] }),
  }),
  output: ProviderView,
  changes: 'organization',
  async run(provider, context, { body }) {
    if (kindFacts(provider.kind).place === 'built_in') {
      return refused(
        'invalid_request',
        { reason: 'The simulator is built in and takes no apiKey.' },
        'apiKey',
      )
    }
    const rotated = { ...provider, ...sealedCredential(body.apiKey, provider, context) }
    await context.store.providers.update(rotated)
    return providerView(rotated, context)
  },
})
