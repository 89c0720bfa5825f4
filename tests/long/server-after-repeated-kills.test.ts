/**
 * Repeats kill -9 under load on one data folder (docs/reference/threats.md "A process that dies"). After each restart,
 * no hold of the dead process remains, and `tollgate verify` finds no fault. If a client saw the end of an answer, the
 * answer's exact charge is on the ledger. Every call that the provider received had a hold. CRASH_ROUNDS sets the
 * number of repetitions.
 *
 * Each call names its own run in `svc.outcome_id`, and contains the same number in `user`, which the provider receives.
 * Calls can therefore be identified at the client, the gateway and the provider, although no content of a request is
 * stored.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WaitingSources } from '#store/sqlite/views-with-buffered-balances.ts'
import { costMicros } from '../support/expected-costs.ts'
import { startFakeProvider, type Behaviour, type FakeProvider } from '../support/fake-provider.ts'
import {
  command,
  control,
  defaultRates,
  eventually,
  makeApplication,
  spawnServer,
  verifies,
  type Application,
  type SpawnedServer,
  type User,
} from '../support/start-product.ts'
import { sizeOf } from '../support/start-several-processes.ts'
import { randomFrom, seedOfRun, type Random } from '../support/seeded-random.ts'

const rounds = sizeOf('CRASH_ROUNDS', 24)
/** In every fourth round, a stream starts first, and the round lasts longer than a checkpoint interval. */
const roundsPerLong = 4
const concurrency = 16
/** Complete responses that clients must receive per round, on average. */
const endsARound = 20
/** Long enough for a machine with twenty times the usual load. */
const patienceMs = 300_000
const people = 8
const credit = 1_000_000_000_000n

const seed = seedOfRun()
let folder: string
let provider: FakeProvider
let server: SpawnedServer
let app: Application
let users: User[]

/**
 * Exact cost of each call whose last byte reached the client, by the call's number. Null if the provider reported no
 * usage.
 */
const acknowledged = new Map<number, bigint | null>()
/** Grants that returned success. */
const granted = new Map<string, bigint>()
const unsure = new Map<string, bigint>()
let calls = 0

beforeAll(async () => {
  console.log(`crash: SEED=${seed}`)
  folder = mkdtempSync(join(tmpdir(), 'tollgate-crash-'))
  provider = await startFakeProvider((call) => planOf(numberOf(call.body?.['user'])).behaviour)
  server = await spawnServer(folder)
  app = await makeApplication(server, { provider })
  await app.api('PUT', '/v1/outcomes/crash', { displayName: 'Crash', ceilingMicros: '1000000000000' })
  users = await Promise.all(Array.from({ length: people }, () => app.newUser({ balanceMicros: credit })))
})
afterAll(async () => {
  server.child.kill('SIGKILL')
  await provider.close()
  rmSync(folder, { recursive: true })
})

function numberOf(user: unknown): number {
  return Number(String(user).slice('call-'.length))
}

interface Plan {
  readonly body: object
  readonly behaviour: Behaviour
  /** Null if the provider reports no usage, so that the gateway's own count is charged. */
  readonly cost: bigint | null
  readonly isBroken: boolean
}

/** With 20 ms before each chunk, the stream lasts twice as long as a checkpoint interval. */
const longChunks = 200

/** Client and provider compute the same plan for call `n`. */
function planOf(n: number): Plan {
  const random = randomFrom(seed + n)
  const tokens = random.whole(1, 120)
  const input = random.whole(1, 60)
  const isLong = random.chance(0.15)
  const kind = random.pick(['whole', 'stream', 'stream'] as const)
  const saysUsage = random.chance(0.85)
  const isBroken = random.chance(0.05)
  return {
    body: {
      user: `call-${n}`,
      svc: { outcome: 'crash', outcome_id: `call-${n}` },
      ...(kind === 'stream' ? { stream: true } : {}),
      ...(random.chance(0.5) ? { max_tokens: 400 } : {}),
    },
    behaviour: {
      chunks: isLong ? longChunks : tokens,
      chunkDelayMs: isLong ? 20 : random.whole(0, 4),
      usage: saysUsage
        ? { prompt_tokens: input, completion_tokens: tokens, total_tokens: input + tokens }
        : null,
      ...(isBroken ? { cutAfterChunks: Math.floor(tokens / 2) } : {}),
    },
    cost: saysUsage ? costMicros(defaultRates, { input, output: tokens }) : null,
    isBroken,
  }
}

async function load(random: Random, signal: AbortSignal): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- one after the other, in each of the loops
  while (!signal.aborted && (await callOnce(random, ++calls)));
}

/** Uses the next call number for which the provider plans such a long stream. */
async function longStream(random: Random): Promise<void> {
  do calls++
  while (!isLongStream(planOf(calls)))
  await callOnce(random, calls)
}

const isLongStream = ({ behaviour, body, isBroken }: Plan): boolean =>
  behaviour.chunks === longChunks && 'stream' in body && !isBroken

/** Returns false if the server has ended. */
async function callOnce(random: Random, n: number): Promise<boolean> {
  const { body, cost, isBroken } = planOf(n)
  const answer = await app.call(random.pick(users), body).catch(() => null)
  if (answer === null) return false
  const isWhole = answer.body?.choices !== undefined || answer.text.endsWith('data: [DONE]\n\n')
  if (answer.status !== 200 || !isWhole || answer.text.includes('"error"')) return true
  expect(isBroken, `call ${n}`).toBe(false)
  acknowledged.set(n, cost)
  return true
}

/** Each grant has an idempotency key. The test later repeats a grant without a response. */
async function grants(random: Random, round: number, signal: AbortSignal): Promise<void> {
  for (let i = 0; !signal.aborted; i++) {
    const key = `${random.whole(0, people - 1)} ${round} ${i}`
    const amount = BigInt(random.whole(1, 1000))
    unsure.set(key, amount)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    if (!(await grant(key, amount))) return
  }
}

/** Returns false if the grant got no response. */
async function grant(key: string, amount: bigint): Promise<boolean> {
  const user = users[Number(key.split(' ')[0])]
  assert(user !== undefined)
  const body = {
    endUsers: [user.externalId],
    amountUnits: String(amount),
    reason: 'crash',
    idempotencyKey: key,
  }
  try {
    const answer = await control(server, 'POST', '/v1/grants', body, { 'x-svc-app': app.slug })
    assert.equal(answer.status, 200, answer.text)
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    return false
  }
  unsure.delete(key)
  granted.set(key, amount)
  return true
}

async function killWhileStarting(afterMs: number): Promise<void> {
  const child = spawn(command, ['serve', '--data', folder, '--port', '0', '--json'], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  await delay(afterMs)
  child.kill('SIGKILL')
  await ended
}

async function restart(writer: string): Promise<void> {
  const environment = { TOLLGATE_WRITER: writer }
  server = await spawnServer(folder, { token: server.token, environment })
  app = await app.again(server)
}

/** Reads the data on disk through another connection. */
function look(): {
  holds: number
  charges: Map<number, bigint>
  runs: Set<number>
  sources: Map<string, bigint>
  recovered: number
  /** Number of recovered calls whose charge includes output that a checkpoint had counted. */
  checkpointed: number
} {
  const database = new DatabaseSync(join(folder, 'tollgate.db'), { readOnly: true, timeout: 10_000 })
  database.exec('BEGIN')
  new WaitingSources(database).refresh()
  const all = (sql: string): Record<string, unknown>[] => {
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    return statement.all()
  }
  const holds = all('SELECT count(*) AS n FROM holds')[0]?.['n']
  const recovered = all(
    `SELECT (SELECT count(*) FROM requests WHERE status = 'recovered')
       + (SELECT count(*) FROM usage_records WHERE token_source = 'recovered') AS n`,
  )[0]?.['n']
  const checkpointed = all(
    "SELECT count(*) AS n FROM usage_records WHERE token_source = 'recovered' AND output_tokens > 0",
  )[0]?.['n']
  const charges = all('SELECT run_id, charge_micros FROM usage_records')
  const runs = all('SELECT run_id FROM outcome_runs')
  const sources = all("SELECT end_user_id, posted FROM sources WHERE id = 'wallet'")
  database.close()
  return {
    holds: Number(holds),
    recovered: Number(recovered),
    checkpointed: Number(checkpointed),
    charges: new Map(charges.map((row) => [numberOf(row['run_id']), BigInt(String(row['charge_micros']))])),
    runs: new Set(runs.map((row) => numberOf(row['run_id']))),
    sources: new Map(sources.map((row) => [String(row['end_user_id']), BigInt(String(row['posted']))])),
  }
}

async function check(round: number): Promise<void> {
  const { charges, holds, runs, sources } = look()
  expect(holds, `round ${round}: holds of a dead process`).toBe(0)
  for (const [n, cost] of acknowledged) {
    const charge = charges.get(n)
    expect(charge, `round ${round}: call ${n} was seen to end and is not on the ledger`).toBeDefined()
    if (cost !== null) expect(charge, `round ${round}: call ${n}`).toBe(cost)
  }
  for (const { body } of provider.calls) {
    const n = numberOf(body?.['user'])
    expect(runs.has(n), `round ${round}: call ${n} reached the provider without a hold`).toBe(true)
  }
  await verifies(folder)
  // Repeat each unanswered grant with its idempotency key. The server must record the grant once.
  for (const [key, amount] of unsure) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await grant(key, amount)).toBe(true)
  }
  const total = (values: Iterable<bigint>): bigint => [...values].reduce((sum, value) => sum + value, 0n)
  const balances = total(look().sources.values())
  expect(balances, `round ${round}`).toBe(
    BigInt(people) * credit + total(granted.values()) - total(charges.values()),
  )
  expect(sources.size).toBe(people)
}

test(`${rounds} rounds of kill -9 lose and double no call or grant (SEED=${seed})`, async () => {
  const random = randomFrom(seed)
  let killedAtStart = 0
  for (let round = 1; round <= rounds; round++) {
    /* oxlint-disable no-await-in-loop -- one round after the other */
    const stop = new AbortController()
    const isLong = round % roundsPerLong === 0
    const running = [
      ...(isLong ? [longStream(random)] : []),
      ...Array.from({ length: concurrency }, (_, i) =>
        load(randomFrom(seed + 1000 * round + i), stop.signal),
      ),
      grants(randomFrom(seed - round), round, stop.signal),
    ]
    // A round takes longer on a slow machine.
    await delay(isLong ? random.whole(2_500, 3_900) : random.whole(5, 1_200))
    const isEnough = async (): Promise<void> => expect(acknowledged.size).toBeGreaterThan(endsARound * round)
    if (isLong) await eventually(isEnough, patienceMs)
    server.child.kill('SIGKILL')
    stop.abort()
    await server.ended
    await Promise.all(running)
    if (random.chance(0.2)) {
      await killWhileStarting(random.whole(50, 900))
      killedAtStart++
    }
    await restart(random.pick(['thread', 'inline']))
    await check(round)
    /* oxlint-enable no-await-in-loop */
  }
  const { checkpointed, recovered } = look()
  console.log(
    `crash: ${calls} calls sent, ${provider.calls.length} reached the provider, ${acknowledged.size} seen to end, ` +
      `${recovered} recovered (${checkpointed} at a checkpoint), ${granted.size} grants, ${killedAtStart} kills while starting`,
  )
  expect(recovered).toBeGreaterThan(rounds)
  expect(checkpointed).toBeGreaterThan(0)
  expect(acknowledged.size).toBeGreaterThan(endsARound * (rounds - roundsPerLong))
}, 1_800_000)
