/**
 * kill -9 under load with three emitters. After the last round every usage record has been received by each of them,
 * and what was received twice was the same both times. On PostgreSQL two processes serve, and one of them is killed,
 * so what it left is attempted by the other one or by its successor.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { callAt } from './call-at.ts'
import { newDataFolder } from './data-folder.ts'
import { startFakeProvider } from './fake-provider.ts'
import { eventually, makeApplication, spawnServer, verifies, type SpawnedServer } from './harness.ts'
import { newDatabase } from './postgres.ts'
import { randomFrom, type Random } from './random.ts'
import { startUsageReceiver, type Received } from './usage-receiver.ts'

export interface CrashFigures {
  readonly settled: number
  /** Events received more than once, over all emitters. */
  readonly repeated: number
  readonly recovered: number
}

const program = fileURLToPath(new URL('./serve-to-receiver.ts', import.meta.url))
const emitters = ['/one', '/two', '/v1/ingest'] as const
const concurrency = 12
/** Five minutes in all: what a dead process left is attempted again later and later. */
const deliveryTriesMax = 3_000

export async function crashWithEmitters(
  engine: 'SQLite' | 'PostgreSQL',
  { rounds, seed }: { readonly rounds: number; readonly seed: number },
): Promise<CrashFigures> {
  const random = randomFrom(seed)
  const folder = newDataFolder('emitters')
  const database = engine === 'PostgreSQL' ? await newDatabase() : null
  const receiver = await startUsageReceiver()
  // Slow, and sometimes out of order for one attempt.
  const slow = randomFrom(seed + 1)
  receiver.answer = (_, response) => {
    const status = slow.chance(0.03) ? 503 : 200
    setTimeout(() => response.writeHead(status).end(), slow.whole(0, 120))
  }
  const provider = await startFakeProvider(() => {
    const chunks = random.whole(1, 30)
    return { chunks, chunkDelayMs: random.chance(0.2) ? 25 : 0 }
  })
  const environment = database === null ? {} : { DATABASE_URL: database.url }
  const start = (token?: string): Promise<SpawnedServer> =>
    spawnServer(folder, {
      environment,
      program: [program, folder, String(receiver.port)],
      ...(token !== undefined && { token }),
    })
  const first = await start()
  const servers = [first, ...(database === null ? [] : [await start(first.token)])]
  const app = await makeApplication(first, { provider })
  const users = await Promise.all([1, 2, 3, 4].map(() => app.newUser({ balanceMicros: 1_000_000_000_000n })))
  for (const path of emitters.slice(0, 2)) {
    // oxlint-disable-next-line no-await-in-loop -- in this order
    const added = await app.api('POST', '/v1/emitters', {
      kind: 'webhook',
      url: `https://hooks.receiver.test${path}`,
    })
    receiver.secrets.set(path, added.signingSecret)
  }
  await app.api('POST', '/v1/emitters', { kind: 'vendor_b', apiKey: 'orb-key-0001', eventName: 'llm_call' })

  const agent = new Agent({ keepAlive: true })
  const load = async (own: Random, isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      const server = own.pick(servers)
      const body = { max_tokens: 40, ...(own.chance(0.5) && { stream: true }) }
      // oxlint-disable-next-line no-await-in-loop -- one call after the other, in each of the loops
      await callAt(server.port, { agent, app, body, user: own.pick(users) })
      // oxlint-disable-next-line no-await-in-loop -- a server that is gone refuses at once
      if (server.child.exitCode !== null || server.child.signalCode !== null) await delay(20)
    }
  }

  let isOver = false
  const loops = Array.from({ length: concurrency }, (_, i) => load(randomFrom(seed + 10 + i), () => isOver))
  for (let round = 0; round < rounds; round++) {
    // oxlint-disable no-await-in-loop -- one round after the other
    const from = provider.calls.length
    await delay(random.whole(300, 1_500))
    // Enough of them to have settled, on a slow machine too.
    await eventually(async () => assert(provider.calls.length >= from + 2 * concurrency))
    const place = random.whole(0, servers.length - 1)
    const old = servers[place]
    assert(old)
    old.child.kill('SIGKILL')
    await old.ended
    servers[place] = await start(first.token)
    // oxlint-enable no-await-in-loop
  }
  isOver = true
  await Promise.all(loops)
  agent.destroy()
  try {
    return await check()
  } finally {
    for (const { child } of servers) child.kill('SIGTERM')
    await Promise.all(servers.map(({ ended }) => ended))
    await verifies(folder, database?.url)
    await provider.close()
    await receiver.close()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  }

  async function check(): Promise<CrashFigures> {
    const where = { folder, url: database?.url ?? null }
    // Calls of the last dead process are recovered within seconds.
    while ((await settledOf(where, 'SELECT call_id FROM holds')).length > 0) await delay(100)
    const settled = new Set(await settledOf(where, 'SELECT call_id FROM usage_records'))
    const recovered = await settledOf(
      where,
      "SELECT call_id FROM usage_records WHERE token_source = 'recovered'",
    )
    const got = (path: string): Map<string, string[]> => {
      const byId = new Map<string, string[]>()
      for (const { id, text } of receiver.received.filter((one) => one.path === path).flatMap(eventsOf)) {
        byId.set(id, [...(byId.get(id) ?? []), text])
      }
      return byId
    }
    const isMissing = (): boolean => emitters.some((path) => got(path).size < settled.size)
    for (let tries = 0; isMissing() && tries < deliveryTriesMax; tries++) await delay(100)
    let repeated = 0
    for (const path of emitters) {
      const received = got(path)
      assert.deepEqual([...received.keys()].toSorted(), [...settled].toSorted(), `what ${path} received`)
      for (const texts of received.values()) {
        assert.equal(new Set(texts).size, 1, 'an event is the same each time')
        if (texts.length > 1) repeated += 1
      }
    }
    assert(receiver.received.every(({ isSigned }) => isSigned !== false))
    return { settled: settled.size, repeated, recovered: recovered.length }
  }
}

interface Event {
  readonly id: string
  readonly text: string
}

/** Call id and text of each event, of a webhook or of vendor_b. */
function eventsOf({ body }: Received): Event[] {
  const parsed: { events: { idempotencyKey?: string; idempotency_key?: string }[] } = JSON.parse(body)
  return parsed.events.map((event) => ({
    id: String(event.idempotencyKey ?? event.idempotency_key).replace('ur_', ''),
    text: JSON.stringify(event),
  }))
}

/** The one column of a query. */
async function settledOf(
  { folder, url }: { readonly folder: string; readonly url: string | null },
  query: string,
): Promise<string[]> {
  if (url === null) {
    const file = new DatabaseSync(join(folder, 'tollgate.db'), { readOnly: true })
    try {
      return file
        .prepare(query)
        .all()
        .map((row) => String(Object.values(row)[0]))
    } finally {
      file.close()
    }
  }
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(query)
    return rows.map((row) => String(Object.values(row)[0]))
  } finally {
    await client.end()
  }
}
