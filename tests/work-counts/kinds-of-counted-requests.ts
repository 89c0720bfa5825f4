/** Requests are sent one at a time, over one connection, to one application. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { apiOf, makeApplication, upstreamModel, type Server } from '../support/start-product.ts'

const chunksOfStream = 20

const chat = { messages: [{ role: 'user', content: 'Count to twenty, please.' }], max_tokens: 100 }
const wholePath = '/v1/chat/completions'

const requests = {
  'non-streaming': { path: wholePath, body: { model: 'acme/smart', ...chat }, status: 200 },
  streamed: { path: wholePath, body: { model: 'acme/smart', stream: true, ...chat }, status: 200 },
  converted: { path: '/v1/messages', body: { model: 'acme/smart', ...chat }, status: 200 },
  routed: { path: wholePath, body: { model: 'acme/routed', ...chat }, status: 200 },
  rejected: { path: wholePath, body: { model: 'acme/smart', ...chat }, status: 402 },
  limited: { path: wholePath, body: { model: 'acme/smart', ...chat, svc: { tags: ['batch'] } }, status: 200 },
} as const
export type Kind = keyof typeof requests
export const kinds = Object.keys(requests) as Kind[]

export interface Scenarios {
  send(kind: Kind, times: number): Promise<void>
  close(): Promise<void>
}

export async function openScenarios(server: Server): Promise<Scenarios> {
  const application = await makeApplication(server, { slug: 'counted' })
  const { gatewayPort, provider } = application
  const api = apiOf(server, 'counted')
  await api('PUT', '/v1/models/acme%2Fsecond', { sources: [{ provider: 'counted', model: upstreamModel }] })
  await api('PUT', '/v1/routers/acme%2Frouted', {
    policy: 'priority',
    targets: [{ alias: 'acme/smart' }, { alias: 'acme/second' }],
  })
  provider.script({ chunks: chunksOfStream })
  const rich = await application.newUser({ balanceMicros: 10n ** 12n })
  const poor = await application.newUser()
  const other = await limitedApplication(server)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sendOne = async (kind: Kind): Promise<void> => {
    const { body, path, status } = requests[kind]
    const text = JSON.stringify(body)
    const { key } = kind === 'limited' ? other : kind === 'rejected' ? poor : rich
    const asking = request({
      agent,
      host: '127.0.0.1',
      port: kind === 'limited' ? other.gatewayPort : gatewayPort,
      method: 'POST',
      path,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      },
    })
    asking.end(text)
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    assert.equal(response.statusCode, status)
  }
  return {
    async send(kind, times) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      for (let sent = 0; sent < times; sent += 1) await sendOne(kind)
    },
    async close() {
      agent.destroy()
      await provider.close()
      await other.close()
    },
  }
}

/** The five limits are those of the key, the plan, the end user, the application and a tag. */
async function limitedApplication(
  server: Server,
): Promise<{ readonly gatewayPort: number; readonly key: string; readonly close: () => Promise<void> }> {
  const application = await makeApplication(server, { slug: 'limited' })
  const { gatewayPort, provider } = application
  const api = apiOf(server, 'limited')
  const limits = [{ measure: 'requests', window: 'month', most: '1000000000000' }]
  const [bundle] = (await api('GET', '/v1/bundles')).data as { slug: string }[]
  assert(bundle)
  await api('PATCH', `/v1/bundles/${bundle.slug}`, { limits })
  await api('PUT', '/v1/tags', { tags: [{ slug: 'batch', limits }] })
  await api('PATCH', '/v1/gateway', { limits })
  const { externalId } = await application.newUser({ balanceMicros: 10n ** 12n })
  await api('PUT', `/v1/end-users/${externalId}/limit`, { limits })
  const { key } = (await api('POST', '/v1/keys', { endUserId: externalId, limits })) as { key: string }
  return { gatewayPort, key, close: () => provider.close() }
}
