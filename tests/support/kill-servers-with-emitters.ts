/**
 * Kills server processes with -9 under load, with three emitters. After the last round, each emitter must have received
 * every usage record, and repeated events must be equal. On PostgreSQL, two processes serve requests, and one of them
 * is killed. The other process, or the killed process's successor, sends the remaining events.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { callAtPort } from './send-call-to-process-port.ts'
import { newDataFolder } from './data-folder.ts'
import { startFakeProvider } from './fake-provider.ts'
import { eventually, makeApplication, spawnServer, verifies, type SpawnedServer } from './start-product.ts'
import { newDatabase } from './start-postgres.ts'
import { randomFrom, type Random } from './seeded-random.ts'
import { storedRows } from './read-rows-of-running-store.ts'
import { startUsageReceiver, type Received } from './receiver-of-usage-events.ts'

export interface CrashFigures {
  readonly settled: number
  readonly repeated: number
  readonly recovered: number
}

const program = fileURLToPath(new URL('./run-tollgate-that-posts-to-receiver.ts', import.meta.url))
const emitters = ['/one', '/two', '/v1/ingest'] as const
const concurrency = 12
/** The events of a dead process are retried with growing pauses. */
const patienceMs = 300_000

export async function crashWithEmitters(
  engine: 'SQLite' | 'PostgreSQL',
  { rounds, seed }: { readonly rounds: number; readonly seed: number },
): Promise<CrashFigures> {
  const random = randomFrom(seed)
  const folder = newDataFolder('emitters')
  const database = engine === 'PostgreSQL' ? await newDatabase() : null
  const receiver = await startUsageReceiver()
  // The receiver responds slowly, and is sometimes unavailable for one attempt.
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
      await callAtPort(server.port, { agent, app, body, user: own.pick(users) })
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
    // On a slow machine, too few events would otherwise arrive to prove anything.
    await eventually(async () => assert(provider.calls.length >= from + 3 * concurrency), patienceMs)
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
    const where = { folder, databaseUrl: database?.url ?? null }
    // The calls of the last dead process are recovered within seconds.
    await eventually(
      async () =>
        assert.deepEqual(await storedRows(where, 'SELECT call_id FROM holds'), [], 'holds of a dead process'),
      patienceMs,
    )
    const records = await storedRows(where, 'SELECT call_id, token_source FROM usage_records')
    const settled = new Set(records.map(({ call_id }) => String(call_id)))
    const recovered = records.filter(({ token_source }) => token_source === 'recovered')
    const got = new Map(emitters.map((path) => [path as string, new Map<string, string[]>()]))
    let read = 0
    const readAll = (): void => {
      for (; read < receiver.received.length; read++) {
        const one = receiver.received[read]
        const byId = one && got.get(one.path)
        if (!byId) continue
        for (const { id, text } of eventsOf(one)) byId.set(id, [...(byId.get(id) ?? []), text])
      }
    }
    await eventually(async () => {
      readAll()
      for (const [path, byId] of got)
        assert(byId.size >= settled.size, `${path} received ${byId.size} of ${settled.size}`)
    }, patienceMs)
    let repeated = 0
    for (const [path, received] of got) {
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

/** Returns the call ID and the text of each event, from a webhook or from vendor_b. */
function eventsOf({ body }: Received): Event[] {
  const parsed: { events: { idempotencyKey?: string; idempotency_key?: string }[] } = JSON.parse(body)
  return parsed.events.map((event) => ({
    id: String(event.idempotencyKey ?? event.idempotency_key).replace('ur_', ''),
    text: JSON.stringify(event),
  }))
}
