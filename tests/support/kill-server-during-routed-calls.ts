/**
 * Kills a process with -9 under load, with a router whose targets fail randomly (docs/reference/threats.md "A process
 * that dies"). After each restart, no hold of the dead process remains. At the end, every request that a provider
 * received must be in the record of its call. A call with an answer is charged at the price of the responding target. A
 * recovered call is charged at the price of the target that was in use when the process died.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newDataFolder } from './data-folder.ts'
import { startFakeProvider } from './fake-provider.ts'
import {
  eventually,
  makeApplication,
  spawnServer,
  verifies,
  type Application,
  type SpawnedServer,
  type User,
} from './start-product.ts'
import { newDatabase } from './start-postgres.ts'
import { randomFrom, type Random } from './seeded-random.ts'
import {
  addRouter,
  callRows,
  checkCall,
  numberOf,
  playOf,
  routedModel,
  type CallRow,
} from './random-routed-calls.ts'
import { storedRows } from './read-rows-of-running-store.ts'

export interface RouterCrashFigures {
  readonly calls: number
  readonly movedOn: number
  readonly failed: number
  readonly recovered: number
  /** The number of calls that had been sent to another target when the process died. */
  readonly recoveredMovedOn: number
}

const shortLease = fileURLToPath(new URL('./serve-with-short-lease.ts', import.meta.url))
const concurrency = 16
const people = 4
const patienceMs = 300_000
const credit = 1_000_000_000_000n
const sizes = { failures: 0.4, inputMax: 30, outputMax: 40, isSlow: true }
/** Each call requests a different number of output tokens, which identifies the call in its record. */
const outputAskedLeast = 100

export async function crashWithRouter(
  engine: 'SQLite' | 'PostgreSQL',
  { rounds, seed }: { readonly rounds: number; readonly seed: number },
): Promise<RouterCrashFigures> {
  const random = randomFrom(seed)
  const folder = newDataFolder('router-crash')
  const database = engine === 'PostgreSQL' ? await newDatabase() : null
  const where = { folder, databaseUrl: database?.url ?? null }
  const start = (token?: string): Promise<SpawnedServer> =>
    spawnServer(folder, {
      ...(token !== undefined && { token }),
      ...(database !== null && {
        environment: { DATABASE_URL: database.url },
        program: [shortLease, folder],
      }),
    })
  const provider = await startFakeProvider((call) => playOf(seed, call, sizes).behaviour)
  let server = await start()
  const { token } = server
  let app = await makeApplication(server, { provider })
  await addRouter(app)
  await app.api('PUT', '/v1/outcomes/crash', { displayName: 'Crash', ceilingMicros: String(credit) })
  const users = await Promise.all(
    Array.from({ length: people }, () => app.newUser({ balanceMicros: credit })),
  )
  let calls = 0

  const load = async (own: Random, at: Application): Promise<void> => {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, in each of the loops
      const answer = await at.call(own.pick<User>(users), bodyOf(++calls, own)).catch(() => null)
      if (answer === null) return
    }
  }

  for (let round = 0; round < rounds; round++) {
    /* oxlint-disable no-await-in-loop -- one round after the other */
    const loops = Array.from({ length: concurrency }, (_, i) => load(randomFrom(seed + 100 * round + i), app))
    const from = provider.calls.length
    await delay(random.whole(200, 1_500))
    // On a slow machine, too few calls would otherwise be sent to another target to prove anything.
    await eventually(async () => assert(provider.calls.length >= from + 3 * concurrency), patienceMs)
    server.child.kill('SIGKILL')
    await server.ended
    await Promise.all(loops)
    server = await start(token)
    app = await app.again(server)
    // On PostgreSQL, the calls of a dead process are recovered within seconds.
    await eventually(
      async () =>
        assert.deepEqual(await storedRows(where, 'SELECT call_id FROM holds'), [], 'holds of a dead process'),
      patienceMs,
    )
    /* oxlint-enable no-await-in-loop */
  }
  try {
    return await check()
  } finally {
    server.child.kill('SIGTERM')
    await server.ended
    await verifies(folder, database?.url)
    await provider.close()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  }

  async function check(): Promise<RouterCrashFigures> {
    const seen = Map.groupBy(provider.calls, numberOf)
    const rows = new Map<number, CallRow>()
    for (const row of await callRows(where)) {
      if (row.how === 'refused') continue
      const n = callOf(row)
      assert(!rows.has(n), `call ${n} is recorded once`)
      rows.set(n, row)
    }
    for (const n of seen.keys()) assert(rows.has(n), `call ${n} reached a provider and is not recorded`)
    for (const [n, row] of rows) checkCall(row, seen.get(n) ?? [], (call) => playOf(seed, call, sizes))
    const all = [...rows.values()]
    const charged = all.reduce((sum, { chargeMicros }) => sum + chargeMicros, 0n)
    const wallets = await storedRows(where, "SELECT posted FROM sources WHERE id = 'wallet'")
    const left = wallets.reduce((sum, { posted }) => sum + BigInt(posted ?? 0), 0n)
    assert.equal(left, BigInt(people) * credit - charged, 'wallets have what was granted without the charges')
    const recovered = all.filter(({ how }) => how === 'recovered')
    return {
      calls: seen.size,
      movedOn: [...seen.values()].filter((requests) => requests.length > 1).length,
      failed: all.filter(({ isCharged }) => !isCharged).length,
      recovered: recovered.length,
      recoveredMovedOn: recovered.filter(({ attempts }) => attempts.length > 0).length,
    }
  }
}

function bodyOf(n: number, random: Random): object {
  return {
    model: routedModel,
    user: `call-${n}`,
    max_tokens: outputAskedLeast + n,
    stream: random.chance(0.5),
    svc: { outcome: 'crash', outcome_id: `call-${n}` },
  }
}

/** A charged call is identified by its own run. An uncharged call is identified by the request in its trace. */
function callOf({ callId, outputAsked, runId }: CallRow): number {
  if (runId !== null) return Number(runId.slice('call-'.length))
  assert(outputAsked !== null, `call ${callId} is told apart`)
  return outputAsked - outputAskedLeast
}
