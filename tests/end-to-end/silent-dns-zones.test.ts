import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { startDnsServer, type DnsServer } from '../support/start-dns-server.ts'
import {
  type Answer,
  type Application,
  connectAccount,
  type LocalServer,
  makeApplication,
  startServer,
  upstreamKey,
  type User,
} from '../support/start-product.ts'
import { twoOrganizations } from '../support/create-two-organizations.ts'

const zones = 16

let folder: string
let dns: DnsServer
let server: LocalServer
let honest: Application
let silent: Application

beforeAll(async () => {
  folder = newDataFolder('e2e')
  dns = await startDnsServer({ 'api.good.test': '127.0.0.1' })
  const [token = '', otherToken = ''] = await twoOrganizations(folder)
  server = await startServer({
    folder,
    token,
    names: { servers: [dns.address], timeoutMs: 20_000, hostsFile: '/none', resolverFile: '/none' },
  })
  honest = await makeApplication(server)
  silent = await makeApplication({ ...server, token: otherToken }, { provider: honest.provider })
  const account = { kind: 'openai_compatible', apiKey: upstreamKey, price: { input: '1', output: '1' } }
  const good = honest.provider.baseUrl.replace('127.0.0.1', 'api.good.test')
  await connectAccount(honest, 'named', { ...account, baseUrl: good, model: 'up' })
  for (let zone = 0; zone < zones; zone++) {
    const baseUrl = good.replace('good', `silent-${zone}`)
    // oxlint-disable-next-line no-await-in-loop -- one account after the other
    await connectAccount(silent, `zone-${zone}`, { ...account, baseUrl, model: 'up' })
  }
})
afterAll(async () => {
  await honest.provider.close()
  await server.close()
  await dns.close()
  rmSync(folder, { recursive: true })
})

test('host names in sixteen unresponsive DNS zones of one organization delay no request of another organization', async () => {
  const [theirs, ours]: [User, User] = [
    await silent.newUser({ balanceMicros: 1_000_000n }),
    await honest.newUser({ balanceMicros: 1_000_000n }),
  ]
  let ended = 0
  const stuck = Array.from({ length: zones }, (_, zone) =>
    silent.call(theirs, { model: `acme/zone-${zone}`, max_tokens: 5 }).then(({ status }) => {
      ended += 1
      return status
    }),
  )
  await expect.poll(() => new Set(dns.asked).size).toBe(8)
  // The server closes the connection after each response, so that every request looks up its host.
  const answers: Answer[] = []
  for (let call = 0; call < 5; call++) {
    honest.provider.enqueue({ headers: { connection: 'close' } })
    // oxlint-disable-next-line no-await-in-loop -- one request after the other
    answers.push(await honest.call(ours, { model: 'acme/named', max_tokens: 5 }))
  }
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(dns.asked.filter((name) => name === 'api.good.test').length).toBeGreaterThanOrEqual(5)
  expect(ended, 'requests to silent zones are still waiting').toBe(0)
  dns.denySilent()
  // The last eight of the sixteen look-ups waited in the queue of their organization.
  await expect.poll(() => new Set(dns.asked).size).toBe(zones + 1)
  dns.denySilent()
  expect(new Set(await Promise.all(stuck))).toEqual(new Set([502]))
})
