import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import type { ProviderAccount } from '#domain/application-config.ts'
import type { UpstreamFailure } from '#domain/provider-upstream-interface.ts'
import { NameResolver } from '#providers/name-resolver.ts'
import { OutboundRefused } from '#providers/outbound-guard.ts'
import { descriptorsIn } from './capacity-of-process.ts'
import { connectionsOfOrganization, upstreams } from './choose-upstream-by-account-kind.ts'

test('the kind of the account decides which adapter is called', async () => {
  const { over: simulated } = call({ kind: 'simulator', baseUrl: null })
  expect(await simulated).toBe(200)
  const { over: refused } = call({ kind: 'openai_compatible', baseUrl: 'https://127.0.0.1/v1' })
  expect(await refused).toMatchObject({ phase: 'connect', cause: expect.any(OutboundRefused) })
})

test('closing waits for provider requests in flight', async () => {
  const server = createServer((_, response) => void response.write('x')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`
  const { provider, over, aborted } = call({ kind: 'openai_compatible', baseUrl }, true)
  expect(await over).toBe(200)
  let isClosed = false
  const closing = provider.close().then(() => (isClosed = true))
  await new Promise(setImmediate)
  expect(isClosed).toBe(false)
  aborted()
  await closing
  server.close()
  server.closeAllConnections()
})

test.each([
  ['Max open files            1024                 4096                 files', 256],
  ['Max processes  7  7  processes\nMax open files            32768       32768       files', 8_192],
  ['Max open files            1048576              1048576              files', 8_192],
  ['Max open files            unlimited            unlimited            files', 8_192],
  ['', 8_192],
])(
  'an organization may use a quarter of the file descriptors for its connections, at most 8,192: %s',
  (limits, max) => {
    expect(connectionsOfOrganization(descriptorsIn(limits))).toBe(max)
  },
)

/** `over` resolves to the status of the response head, or to the failure. */
function call(account: Pick<ProviderAccount, 'kind' | 'baseUrl'>, allowPrivate = false) {
  const names = new NameResolver()
  const provider = upstreams({
    allowPrivate,
    names,
    loopName: 'tollgate-test',
    isOwnPeer: () => false,
    openCredential: () => null,
    nowMs: () => 0,
  })
  const { promise, resolve } = Promise.withResolvers<number | UpstreamFailure>()
  const sent = provider.send(
    {
      account: { ...account, id: 'pa_1', organizationId: 'org_1', label: 'l', sealedCredential: null },
      model: 'm',
      wire: 'chat',
      purpose: 'answer',
      headers: [],
      query: '',
      body: '{"model":"m","messages":[{"role":"user","content":"hi"}]}',
      isStream: false,
      callId: '01',
      deadlines: { connectMs: 5000, firstByteMs: 5000, idleMs: 5000, totalMs: 5000 },
    },
    { onHead: resolve, onData: () => true, onEnd: () => {}, onFailure: resolve },
  )
  return { provider, over: promise, aborted: () => sent.abort() }
}
