/**
 * Kills servers with -9 while a provider generates responses in the background (docs/reference/rules.md "A process that
 * dies"). The next start (SQLite), or another process (PostgreSQL), finds the end of each response whose ID a client
 * has received, and charges its exact usage once. CRASH_ROUNDS sets the number of kills.
 */
import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import {
  connectAccount,
  eventually,
  makeApplication,
  spawnServer,
  verifies,
  type Application,
  type SpawnedServer,
  type User,
} from '../support/harness.ts'
import { askAt } from '../support/post-at.ts'
import { hasPostgres } from '../support/postgres.ts'
import { sizeOf } from '../support/processes.ts'
import { randomFrom, seedOfRun } from '../support/random.ts'
import { migratedDatabase } from '../support/reused-databases.ts'
import { startVendor, type Vendor } from '../support/vendor.ts'

const rounds = sizeOf('CRASH_ROUNDS', 4)
const responsesPerRound = 12
const credit = 1_000_000_000n
const price = { input: '1000000', cacheWrite: '1000000', output: '1000000' }

/** On PostgreSQL, the other process takes the holds over after its lease has ended. */
const patienceMs = 120_000

interface Servers {
  readonly vendor: Vendor
  readonly user: User
  /** The application at the server that is running. */
  app: Application
  server: SpawnedServer
  /** Kills the server that got the last requests. Another server continues. */
  readonly kill: () => Promise<void>
  readonly end: () => Promise<void>
}

const children: SpawnedServer['child'][] = []

async function spawned(...options: Parameters<typeof spawnServer>): Promise<SpawnedServer> {
  const server = await spawnServer(...options)
  children.push(server.child)
  return server
}

// A failed test leaves no process behind.
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

async function begin(first: SpawnedServer, folder: string) {
  const vendor = await startVendor()
  const app = await makeApplication(first)
  const account = { kind: 'openai', baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey, price }
  await connectAccount(app, 'openai', { ...account, model: 'gpt-5.4' })
  const user = await app.newUser({ balanceMicros: credit })
  const close = async (databaseUrl?: string): Promise<void> => {
    await app.provider.close()
    await vendor.close()
    await verifies(folder, databaseUrl)
    rmSync(folder, { recursive: true })
  }
  return { vendor, app, user, close }
}

async function onSqlite(): Promise<Servers> {
  const folder = newDataFolder('background-crash')
  const first = await spawned(folder)
  const { close, ...begun } = await begin(first, folder)
  const servers: Servers = {
    ...begun,
    server: first,
    async kill() {
      servers.server.child.kill('SIGKILL')
      await servers.server.ended
      servers.server = await spawned(folder, { token: first.token })
      servers.app = await begun.app.again(servers.server)
    },
    async end() {
      servers.server.child.kill('SIGTERM')
      await servers.server.ended
      await close()
    },
  }
  return servers
}

async function onPostgres(): Promise<Servers> {
  const folder = newDataFolder('background-crash')
  const database = await migratedDatabase()
  const environment = { DATABASE_URL: database.url }
  const first = await spawned(folder, { environment })
  const { close, ...begun } = await begin(first, folder)
  const next = (): Promise<SpawnedServer> => spawned(folder, { environment, token: first.token })
  let standby = await next()
  const servers: Servers = {
    ...begun,
    server: first,
    async kill() {
      servers.server.child.kill('SIGKILL')
      await servers.server.ended
      servers.server = standby
      servers.app = await begun.app.again(standby)
      standby = await next()
    },
    async end() {
      for (const { child, ended } of [servers.server, standby]) {
        child.kill('SIGTERM')
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await ended
      }
      await close(database.url)
      await database.drop()
    },
  }
  return servers
}

const engines = [
  { name: 'SQLite', start: onSqlite },
  ...(hasPostgres ? [{ name: 'PostgreSQL', start: onPostgres }] : []),
]

describe.each(engines)('background responses on $name', ({ start }) => {
  test('after kill -9, each response is charged its exact usage once', async () => {
    const seed = seedOfRun()
    console.log(`background-crash: SEED=${seed}`)
    const random = randomFrom(seed)
    const servers = await start()
    const { user, vendor } = servers
    const at = (method: string, path: string, body?: object, onText?: (text: string) => void) =>
      askAt(servers.server.port, {
        method,
        path,
        headers: {
          host: servers.app.gatewayHost,
          authorization: `Bearer ${user.key}`,
          'content-type': 'application/json',
        },
        ...(body && { body: JSON.stringify({ model: 'acme/openai', ...body }) }),
        ...(onText && { onText }),
      })
    const known = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      const asked = Array.from({ length: responsesPerRound }, async () => {
        const input = `[[tokens=${random.whole(1, 80)} delay=${random.whole(1, 60)}ms]]`
        await delay(random.whole(0, 300))
        let text = ''
        const body = {
          input,
          background: true,
          stream: random.chance(0.3),
          max_output_tokens: 500,
        }
        const read = (piece: string): void => {
          text += piece
          const id = /"id":\s*"(?<id>resp_[\w-]{60,})"/.exec(text)?.groups?.id
          if (id !== undefined) known.add(id)
        }
        await at('POST', '/v1/responses', body, read).catch(() => {})
      })
      const before = known.size
      // Some clients have received an ID, and other requests are still on their way.
      // oxlint-disable-next-line no-await-in-loop -- one round after the other
      await eventually(async () => expect(known.size).toBeGreaterThanOrEqual(before + random.whole(1, 6)))
      // oxlint-disable-next-line no-await-in-loop -- as above
      await delay(random.whole(0, 100))
      // oxlint-disable-next-line no-await-in-loop -- as above
      await servers.kill()
      // oxlint-disable-next-line no-await-in-loop -- as above
      await Promise.all(asked)
    }
    const same = servers.app.person(user)
    await eventually(async () => expect((await same.balance()).reservedMicros).toBe(0n), patienceMs)
    // Each request to the provider has one record.
    const created = vendor.calls.filter(({ path }) => path === '/v1/responses')
    const records = await same.requests()
    const charged = records.filter(({ status }) => status === 'settled' || status === 'recovered')
    expect(charged.length).toBeGreaterThanOrEqual(created.length)
    const debits = (await same.ledger()).filter(({ kind }) => kind === 'usage_debit')
    expect(new Set(debits.map(({ requestId }) => requestId)).size).toBe(debits.length)
    const settled = records.filter(({ status, errorCode }) => status === 'settled' && errorCode === null)
    const charges = settled.map(({ chargeMicros }) => Number(chargeMicros))
    for (const id of known) {
      // oxlint-disable-next-line no-await-in-loop -- one response after the other
      const { body, text } = await at('GET', `/v1/responses/${id}`)
      expect(body?.status, text).toBe('completed')
      const charge = charges.indexOf(body.usage.input_tokens + body.usage.output_tokens)
      expect(charge, `the exact charge of ${text}`).toBeGreaterThanOrEqual(0)
      charges.splice(charge, 1)
    }
    console.log(
      `${known.size} of ${created.length} responses are known to clients, ${settled.length} settled`,
    )
    // A response that no client knows is charged its usage too, if its ID was stored in time, or else its input.
    const all = charged.reduce((micros, { chargeMicros }) => micros + BigInt(chargeMicros), 0n)
    expect(credit - (await same.balance()).balanceMicros).toBe(all)
    await servers.end()
  }, 600_000)
})
