import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import { newDataFolder } from '../support/data-folder.ts'
import {
  connectAccount,
  eventually,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { askAt } from '../support/send-post-to-process-port.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

const credit = 1_000_000n

describe.runIf(hasPostgres)('two server processes', () => {
  let database: Awaited<ReturnType<typeof migratedDatabase>>
  let servers: LocalServer[]
  let app: Application
  let vendor: Vendor
  let user: User
  // Both processes read their master key from this folder.
  const folder = newDataFolder('background-processes')

  beforeAll(async () => {
    database = await migratedDatabase()
    // During a test, the first process never asks the provider whether a response has ended.
    const slow = { ...gatewayLimits.background, firstMs: 600_000, maxMs: 600_000 }
    const options = { folder, databaseUrl: database.url, limits: { background: slow } }
    const first = await startServer(options)
    servers = [first, await startServer({ token: first.token, ...options })]
    app = await makeApplication(first)
    vendor = await startVendor()
    const price = { input: '1000000', cacheWrite: '1000000', output: '1000000' }
    const account = { kind: 'openai', baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey, price }
    await connectAccount(app, 'openai', { ...account, model: 'gpt-5.4' })
  })
  afterAll(async () => {
    for (const server of servers.toReversed()) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await server.close()
    }
    await app.provider.close()
    await vendor.close()
    await database.drop()
    rmSync(folder, { recursive: true })
  })

  const ask = (
    place: number,
    method: string,
    path: string,
    more: { body?: object; onText?: (text: string) => void; signal?: AbortSignal } = {},
  ) =>
    askAt(servers[place]?.port ?? 0, {
      method,
      path: `/v1/responses${path}`,
      headers: {
        host: app.gatewayHost,
        authorization: `Bearer ${user.key}`,
        'content-type': 'application/json',
      },
      ...more,
      body: more.body === undefined ? '' : JSON.stringify({ model: 'acme/openai', ...more.body }),
    })

  async function spent(): Promise<bigint> {
    const { balanceMicros, reservedMicros } = await user.balance()
    expect(reservedMicros).toBe(0n)
    return credit - balanceMicros
  }

  test('when a client of the other process sees that a response has ended, the exact charge is already on record', async () => {
    user = await app.newUser({ balanceMicros: credit })
    const { body } = await ask(0, 'POST', '', {
      body: { input: '[[tokens=20 delay=3ms]]', background: true },
    })
    expect(body.status).toBe('in_progress')
    const reads = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        eventually(async () => {
          const read = await ask(at % 2, 'GET', `/${body.id}`)
          expect(read.body.status, read.text).toBe('completed')
          return read.body
        }),
      ),
    )
    const [{ usage }] = reads
    expect(await spent()).toBe(BigInt(usage.input_tokens + 20))
    expect((await user.ledger()).filter(({ kind }) => kind === 'usage_debit')).toHaveLength(1)
  })

  test('output that the other process delivered is charged, even if the canceled response reports no usage', async () => {
    user = await app.newUser({ balanceMicros: credit })
    const input = '[[tokens=80 hang]]'
    const created = await ask(0, 'POST', '', { body: { input, background: true } })
    const left = new AbortController()
    let text = ''
    const reading = ask(1, 'GET', `/${created.body.id}?stream=true&starting_after=0`, {
      signal: left.signal,
      onText(piece) {
        text += piece
        // Each event contains its type twice, so 50 occurrences are 25 events.
        if (text.split('output_text.delta').length > 50) left.abort()
      },
    })
    await reading.catch(() => {})
    await eventually(async () => {
      const [open] = await user.requests()
      const { usage } = await app.api('GET', `/v1/requests/${open.id}`)
      expect(usage?.output).toBeGreaterThanOrEqual(24)
    })
    const canceled = await ask(1, 'POST', `/${created.body.id}/cancel`)
    expect(canceled.body).toMatchObject({ status: 'cancelled', usage: null })
    expect(await spent()).toBeGreaterThanOrEqual(24n)
  })

  test('if a process is stopped, the running process settles the responses of the stopped process', async () => {
    user = await app.newUser({ balanceMicros: credit })
    const answer = await ask(1, 'POST', '', { body: { input: '[[tokens=20 delay=1ms]]', background: true } })
    expect(answer.body.status).toBe('in_progress')
    await servers.pop()?.close()
    // The running process detects within seconds that the other process has stopped, and takes over its responses.
    await eventually(async () => expect(await spent()).toBeGreaterThan(20n))
    const [record] = await user.requests()
    expect(record).toMatchObject({ status: 'settled', errorCode: null })
  })
})
