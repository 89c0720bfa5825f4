import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import { newDataFolder } from '../support/data-folder.ts'
import {
  connectAccount,
  control,
  databaseOfServers,
  eventually,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { askAt } from '../support/send-post-to-process-port.ts'
import { hasPostgres, type TestDatabase } from '../support/start-postgres.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

const credit = 1_000_000n

describe.runIf(hasPostgres)('two server processes', () => {
  let database: TestDatabase
  let servers: LocalServer[]
  let app: Application
  let vendor: Vendor
  let user: User
  // Both processes read their master key from this folder.
  const folder = newDataFolder('batch-processes')

  beforeAll(async () => {
    database = await databaseOfServers()
    // During a test, the first process never asks the provider whether a batch has ended.
    const slow = { ...gatewayLimits.background, firstMs: 600_000, maxMs: 600_000 }
    const fast = { ...gatewayLimits.background, firstMs: 20, maxMs: 50 }
    const options = { folder, databaseUrl: database.url }
    const first = await startServer({ ...options, limits: { background: fast } })
    servers = [first, await startServer({ token: first.token, ...options, limits: { background: slow } })]
    app = await makeApplication(first)
    vendor = await startVendor()
    const price = { input: '1000000', cacheWrite: '1000000', cacheWriteLong: '1000000', output: '1000000' }
    const account = { kind: 'anthropic', baseUrl: vendor.baseUrls.anthropic, apiKey: vendor.apiKey, price }
    await connectAccount(app, 'claude', { ...account, model: 'claude-sonnet-4-5' })
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

  const ask = (place: number, method: string, path: string, body?: object) =>
    askAt(servers[place]?.port ?? 0, {
      method,
      path: `/v1/messages/batches${path}`,
      headers: {
        host: app.gatewayHost,
        'x-api-key': user.key,
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    })

  async function create(place: number, contents: readonly string[]): Promise<string> {
    user = await app.newUser({ balanceMicros: credit })
    const requests = contents.map((content, at) => ({
      custom_id: `r${at}`,
      params: { model: 'acme/claude', max_tokens: 100, messages: [{ role: 'user', content }] },
    }))
    const { body, text } = await ask(place, 'POST', '', { requests })
    expect(body?.type, text).toBe('message_batch')
    return body.id
  }

  function tokensOf(text: string): bigint {
    const results = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).result)
    return results.reduce((sum, { message, type }) => {
      expect(type).toBe('succeeded')
      return sum + BigInt(message.usage.input_tokens + message.usage.output_tokens)
    }, 0n)
  }

  async function spent(): Promise<bigint> {
    const { balanceMicros, reservedMicros } = await user.balance()
    expect(reservedMicros).toBe(0n)
    return credit - balanceMicros
  }

  test('if clients read results at both processes concurrently, each result is charged once, before a client receives it', async () => {
    const id = await create(
      1,
      Array.from({ length: 40 }, (_, at) => `[[tokens=${at + 1}]]`),
    )
    await eventually(async () => {
      for (const place of [0, 1]) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const { body } = await ask(place, 'GET', `/${id}`)
        expect(body.processing_status).toBe('ended')
      }
    })
    const reads = await Promise.all(
      Array.from({ length: 6 }, async (_, at) => {
        const { text } = await ask(at % 2, 'GET', `/${id}/results`)
        // The whole charge is already recorded.
        return { tokens: tokensOf(text), spent: await spent() }
      }),
    )
    for (const read of reads) expect(read.spent).toBe(read.tokens)
    const debits = (await user.ledger()).filter(({ kind }) => kind === 'usage_debit')
    expect(debits).toHaveLength(40)
  })

  test('if another process settles and deletes a batch, the metrics of the process that created it include the charge', async () => {
    // The process that created the batch asks the provider about it only after the other process has deleted the batch.
    const background = { ...gatewayLimits.background, firstMs: 1_500, maxMs: 1_500, lostMs: 0 }
    const owner = await startServer({
      folder,
      databaseUrl: database.url,
      token: servers[0]?.token ?? '',
      limits: { background },
    })
    const place = servers.push(owner) - 1
    onTestFinished(async () => {
      servers.splice(place, 1)
      await owner.close()
    })
    const id = await create(place, ['[[tokens=20]]', '[[tokens=10]]'])
    await eventually(async () => expect((await ask(1, 'GET', `/${id}`)).body.processing_status).toBe('ended'))
    expect((await ask(1, 'DELETE', `/${id}`)).body.type).toBe('message_batch_deleted')
    const charge = await spent()
    expect(charge).toBeGreaterThan(30n)
    const sumAtOwner = async (metric: string): Promise<number> => {
      const { text } = await control(owner, 'GET', '/metrics')
      const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`))
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    }
    await eventually(async () => expect(await sumAtOwner('tollgate_calls_total')).toBeGreaterThanOrEqual(2))
    expect(await sumAtOwner('tollgate_charged_micros_total')).toBe(Number(charge))
  })

  test('if clients read an ended batch of OpenAI at both processes concurrently, its results are not deleted', async () => {
    const price = { input: '1000000', cacheWrite: '1000000', output: '1000000' }
    const account = { kind: 'openai', baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey, price }
    await connectAccount(app, 'openai', { ...account, model: 'gpt-5.4' })
    user = await app.newUser({ balanceMicros: credit })
    const askOpenai = (
      place: number,
      method: string,
      path: string,
      body?: string,
      type = 'application/json',
    ) =>
      askAt(servers[place]?.port ?? 0, {
        method,
        path: `/v1${path}`,
        headers: { host: app.gatewayHost, authorization: `Bearer ${user.key}`, 'content-type': type },
        ...(body !== undefined && { body }),
      })
    const url = '/v1/chat/completions'
    const messages = [{ role: 'user', content: '[[tokens=5 delay=50ms]]' }]
    const params = { model: 'acme/openai', max_completion_tokens: 100, messages }
    const line = JSON.stringify({ custom_id: 'one', method: 'POST', url, body: params })
    const head = '--x\r\ncontent-disposition: form-data; name='
    const form = `${head}"purpose"\r\n\r\nbatch\r\n${head}"file"; filename="in.jsonl"\r\n\r\n${line}\r\n--x--\r\n`
    const file = await askOpenai(0, 'POST', '/files', form, 'multipart/form-data; boundary=x')
    const job = { input_file_id: file.body.id, endpoint: url, completion_window: '24h' }
    const { body } = await askOpenai(0, 'POST', '/batches', JSON.stringify(job))
    await eventually(async () => expect(await spent()).toBeGreaterThan(0n))
    const reads = await Promise.all(
      Array.from({ length: 12 }, (_, at) => askOpenai(at % 2, 'GET', `/batches/${body.id}`)),
    )
    expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 200))
    const results = await askOpenai(1, 'GET', `/files/${reads[0]?.body.output_file_id}/content`)
    expect(JSON.parse(results.text)).toMatchObject({ custom_id: 'one', response: { status_code: 200 } })
  })

  test('the running process settles the batches of a process that was stopped', async () => {
    const id = await create(1, ['[[tokens=20 delay=2ms]]', '[[tokens=10]]'])
    expect(await user.requests()).toHaveLength(2)
    expect((await user.balance()).reservedMicros).toBeGreaterThan(0n)
    await servers.pop()?.close()
    // The running process detects within seconds that the other process has stopped, and takes over its batches.
    await eventually(async () => expect(await spent()).toBeGreaterThan(30n))
    const { text } = await ask(0, 'GET', `/${id}/results`)
    expect(await spent()).toBe(tokensOf(text))
  })
})
