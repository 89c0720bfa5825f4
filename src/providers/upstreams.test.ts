import { expect, test } from 'vitest'
import type { ProviderAccount } from '#domain/snapshot.ts'
import type { UpstreamFailure } from '#domain/upstream.ts'
import { OutboundRefused } from './outbound-guard.ts'
import { upstreams } from './upstreams.ts'

function call(account: Pick<ProviderAccount, 'kind' | 'baseUrl'>): Promise<number | UpstreamFailure> {
  const provider = upstreams({ allowPrivate: false, openCredential: () => null, nowMs: () => 0 })
  return new Promise((resolve) => {
    provider.send(
      {
        account: { ...account, id: 'pa_1', organizationId: 'org_1', label: 'l', sealedCredential: null },
        model: 'm',
        wire: 'chat',
        body: Buffer.from('{"model":"m","messages":[{"role":"user","content":"hi"}]}'),
        isStream: false,
        callId: '01',
        deadlines: { connectMs: 5000, firstByteMs: 5000, idleMs: 5000, totalMs: 5000 },
      },
      { onHead: resolve, onData: () => true, onEnd: () => {}, onFailure: resolve },
    )
  })
}

test('the kind of the account says who answers', async () => {
  expect(await call({ kind: 'simulator', baseUrl: null })).toBe(200)
  expect(await call({ kind: 'openai_compatible', baseUrl: 'https://127.0.0.1/v1' })).toMatchObject({
    phase: 'connect',
    cause: expect.any(OutboundRefused),
  })
})

test('closing without calls in flight is done at once', async () => {
  const provider = upstreams({ allowPrivate: false, openCredential: () => null, nowMs: () => 0 })
  await expect(provider.close()).resolves.toBeUndefined()
})
