/**
 * Causes failures while money moves, with four processes on one database (PostgreSQL, or Citus with two nodes) and
 * constant calls. The test kills processes with -9, stops a database server as in a crash, and pauses a database server
 * for seconds. On Citus, the stopped server is one of the nodes, and end users of the other node are still served. See
 * docs/reference/threats.md "A process that dies", and docs/reference/rules.md "A process that dies", "Several
 * operations in one commit" and "Configuration is never stale". KILL_ROUNDS, STOP_ROUNDS and PAUSE_ROUNDS set the
 * number of rounds, and PAUSE_SECONDS the length of a pause.
 *
 * Each call names its own run in `svc.outcome_id`, and contains the same number in `user`, which the provider receives.
 * Calls can therefore be identified at the client, the gateway and the provider, as in
 * server-after-repeated-kills.test.ts.
 */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import type { Behaviour } from '../support/fake-provider.ts'
import { control, defaultRates, eventually, type Answer, type User } from '../support/start-product.ts'
import { hasPostgres, type PostgresServer } from '../support/start-postgres.ts'
import {
  processDatabases,
  sizeOf,
  startProcesses,
  type Processes,
} from '../support/start-several-processes.ts'
import { randomFrom, seedOfRun, type Random } from '../support/seeded-random.ts'

const count = 4
const killRounds = sizeOf('KILL_ROUNDS', 8)
const stopRounds = sizeOf('STOP_ROUNDS', 3)
const pauseRounds = sizeOf('PAUSE_ROUNDS', 1)
const pauseSeconds = sizeOf('PAUSE_SECONDS', 8)
const concurrency = 16
const people = 8
const credit = 1_000_000_000_000n
/** Every hold of a dead process must end within 60 s. */
const recoveredMs = 60_000

/** The sum of all time limits of a call. */
const answerMsMax = 25_000

/** Long enough for a machine with twenty times the usual load. */
const patienceMs = 300_000

/** A round takes more than a minute on a busy machine. */
const timeout = 600_000 + 90_000 * Math.max(killRounds, stopRounds)

const seed = seedOfRun()

interface Plan {
  readonly body: object
  readonly behaviour: Behaviour
  /** Null if the provider reports no usage, so that the gateway's own count is charged. */
  readonly cost: bigint | null
}

/** Client and provider compute the same plan for call `n`. */
function planOf(n: number): Plan {
  const random = randomFrom(seed + n)
  const tokens = random.whole(1, 60)
  const input = random.whole(1, 60)
  const isLong = random.chance(0.1)
  const saysUsage = random.chance(0.85)
  return {
    body: {
      user: `call-${n}`,
      svc: { outcome: 'crash', outcome_id: `call-${n}` },
      ...(random.chance(0.6) ? { stream: true } : {}),
      max_tokens: 400,
    },
    behaviour: {
      chunks: isLong ? 200 : tokens,
      chunkDelayMs: isLong ? 20 : random.whole(0, 10),
      usage: saysUsage
        ? { prompt_tokens: input, completion_tokens: tokens, total_tokens: input + tokens }
        : null,
    },
    cost: saysUsage ? costMicros(defaultRates, { input, output: tokens }) : null,
  }
}

function numberOf(name: unknown): number {
  return Number(String(name).slice('call-'.length))
}

const isWhole = ({ body, status, text }: Answer): boolean =>
  status === 200 &&
  (body?.choices !== undefined || text.endsWith('data: [DONE]\n\n')) &&
  !text.includes('"error"')

const onEachDatabase = describe.runIf(hasPostgres).each(processDatabases)

onEachDatabase(`${count} processes on $name (SEED=${seed})`, { timeout }, ({ name, start }) => {
  const random = randomFrom(seed)
  let processes: Processes
  const users: User[] = []
  let usersOfNode: User[][]
  let calls = 0
  /**
   * Exact cost of each call whose last byte reached the client, by the call's number. Null if the provider reported no
   * usage.
   */
  const acknowledged = new Map<number, bigint | null>()
  /** Calls that were rejected because the store was unavailable. */
  const turnedAway = new Set<number>()
  /** Grants that returned success. */
  const granted = new Map<string, bigint>()
  /** Grants with an unknown outcome. */
  const unsure = new Map<string, bigint>()
  const killedAtMs = new Map<number, number>()
  /** By the number of the process. */
  let epochs: number[]
  const unexpected: string[] = []

  beforeAll(async () => {
    console.log(`crash-processes: SEED=${seed}`)
    processes = await startProcesses({
      start,
      count,
      script: (call) => planOf(numberOf(call.body?.['user'])).behaviour,
    })
    epochs = (await processes.rows('SELECT epoch FROM epochs ORDER BY epoch')).map(({ epoch }) =>
      Number(epoch),
    )
    const { app } = processes
    await app.api('PUT', '/v1/outcomes/crash', { displayName: 'Crash', ceilingMicros: '1000000000000' })
    usersOfNode = processes.nodes.map(() => [])
    while (users.length < people || usersOfNode.some(({ length }) => length < 2)) {
      const user = await app.newUser({ balanceMicros: credit })
      users.push(user)
      usersOfNode[await processes.nodeOf(user.endUserId)]?.push(user)
    }
  })
  afterAll(() => processes.close())

  /** @param place defaults to a random process */
  async function callOnce(
    from: Random,
    { among = users, place = from.whole(0, count - 1) }: { among?: readonly User[]; place?: number } = {},
  ): Promise<Answer | null> {
    const n = ++calls
    const { body, cost } = planOf(n)
    const answer = await processes.call(place, from.pick(among), body).catch(() => null)
    if (answer === null) return null
    if (isWhole(answer)) acknowledged.set(n, cost)
    else if (answer.status === 503) {
      turnedAway.add(n)
      if (answer.headers.get('retry-after') === null) unexpected.push(`call ${n}: 503 without retry-after`)
    } else if (answer.status !== 200) unexpected.push(`call ${n}: ${answer.status} ${answer.text}`)
    return answer
  }

  function load(): () => Promise<void> {
    const stop = new AbortController()
    const running = Array.from({ length: concurrency }, async (_, i) => {
      const own = randomFrom(seed + 7919 * (calls + i))
      while (!stop.signal.aborted) {
        // Leave the CPU to the other processes while a process is dead or does not respond.
        if ((await callOnce(own))?.status !== 200) await delay(20)
      }
    })
    const granting = (async () => {
      for (let i = 0; !stop.signal.aborted; i++) {
        const key = `${random.whole(0, users.length - 1)} ${calls} ${i}`
        unsure.set(key, BigInt(random.whole(1, 1000)))
        await grant(key, random.whole(0, count - 1))
        await delay(20)
      }
    })()
    return async () => {
      stop.abort()
      await Promise.all([...running, granting])
    }
  }

  /** A repeated grant has the same idempotency key, so it is credited once. */
  async function grant(key: string, place: number): Promise<boolean> {
    const amount = unsure.get(key)
    const user = users[Number(key.split(' ')[0])]
    const server = processes.servers[place]
    assert(user !== undefined && amount !== undefined && server !== undefined)
    const body = {
      endUsers: [user.externalId],
      amountUnits: String(amount),
      reason: 'crash',
      idempotencyKey: key,
    }
    const answer = await control(server, 'POST', '/v1/grants', body, {
      'x-svc-app': processes.app.slug,
    }).catch(() => null)
    if (answer?.status !== 200) return false
    unsure.delete(key)
    granted.set(key, amount)
    return true
  }

  const number = async (text: string): Promise<number> => Number((await processes.rows(text))[0]?.['n'])

  /** Every call with a known result must be stored, and no data of dead processes may remain for long. */
  async function check(round: string): Promise<void> {
    const seen = new Map(acknowledged)
    const charges = await chargesByCall()
    for (const [n, cost] of seen) {
      const charge = charges.get(n)
      expect(charge, `${round}: call ${n} was seen to end and is not on the ledger`).toBeDefined()
      if (cost !== null) expect(charge, `${round}: call ${n}`).toBe(cost)
    }
    const late = [...killedAtMs].filter(([, atMs]) => performance.now() - atMs > recoveredMs)
    if (late.length > 0) {
      const those = late.map(([epoch]) => epoch).join(', ')
      expect(await number(`SELECT count(*) AS n FROM holds WHERE epoch IN (${those})`), round).toBe(0)
    }
  }

  async function chargesByCall(): Promise<Map<number, bigint>> {
    const rows = await processes.rows('SELECT run_id, charge_micros FROM usage_records')
    return new Map(rows.map(({ charge_micros, run_id }) => [numberOf(run_id), BigInt(String(charge_micros))]))
  }

  /** All amounts must be exact to the micro when no call is in progress. */
  async function settle(): Promise<void> {
    await eventually(async () => expect(await number('SELECT count(*) AS n FROM holds')).toBe(0), recoveredMs)
    for (const key of unsure.keys()) {
      await eventually(async () => expect(await grant(key, 0)).toBe(true), patienceMs)
    }
    await check('at the end')
    const charges = await chargesByCall()
    const total = (values: Iterable<bigint>): bigint => [...values].reduce((sum, value) => sum + value, 0n)
    const [balances] = await processes.rows("SELECT sum(posted) AS n FROM sources WHERE id = 'wallet'")
    expect(BigInt(String(balances?.['n']))).toBe(
      BigInt(users.length) * credit + total(granted.values()) - total(charges.values()),
    )
    const runs = new Set(
      (await processes.rows('SELECT run_id FROM outcome_runs')).map(({ run_id }) => numberOf(run_id)),
    )
    const reached = new Set(processes.provider.calls.map(({ body }) => numberOf(body?.['user'])))
    for (const n of reached) expect(runs.has(n), `call ${n} reached the provider without a hold`).toBe(true)
    for (const n of turnedAway) expect(reached.has(n), `call ${n} was refused and sent`).toBe(false)
    expect(unexpected).toEqual([])
    await processes.verify()
  }

  async function restartOne(place: number): Promise<void> {
    const dead = epochs[place]
    assert(dead !== undefined)
    killedAtMs.set(dead, performance.now())
    await processes.restart(place)
    epochs[place] = await number('SELECT max(epoch) AS n FROM epochs')
  }

  test(`kill -9 of a process under load loses and doubles nothing, ${killRounds} times`, async () => {
    const stop = load()
    for (let round = 1; round <= killRounds; round++) {
      await delay(random.chance(0.25) ? random.whole(2_000, 4_000) : random.whole(100, 1_500))
      await restartOne(random.whole(0, count - 1))
      await check(`kill ${round}`)
    }
    await stop()
    await settle()
    const recovered = await number(
      `SELECT (SELECT count(*) FROM requests WHERE status = 'recovered')
         + (SELECT count(*) FROM usage_records WHERE token_source = 'recovered') AS n`,
    )
    console.log(
      `kill -9 on ${name}: ${killRounds} rounds, ${calls} calls sent, ${acknowledged.size} seen to end, ${recovered} recovered, ${granted.size} grants`,
    )
    expect(recovered).toBeGreaterThan(0)
  })

  function nodeAt(round: number): { node: PostgresServer; own: readonly User[]; others: readonly User[] } {
    const at = round % processes.nodes.length
    const [node, own] = [processes.nodes[at], usersOfNode[at]]
    assert(node !== undefined && own !== undefined)
    return { node, own, others: users.filter((user) => !own.includes(user)) }
  }

  test(`a crash of a database server under load loses and doubles nothing, ${stopRounds} times`, async () => {
    const stop = load()
    let served = 0
    for (let round = 1; round <= stopRounds; round++) {
      const stopped = nodeAt(round)
      await delay(random.whole(500, 2_000))
      await stopped.node.stopImmediate()
      // Calls in flight wait until they can be settled, but new calls are rejected immediately.
      const refused = await Promise.all(
        Array.from({ length: 2 * count }, () => callOnce(random, { among: stopped.own })),
      )
      expect(refused.map((answer) => answer?.status)).toEqual(refused.map(() => 503))
      for (const user of stopped.others) {
        for (let place = 0; place < count; place++) {
          expect((await callOnce(random, { among: [user], place }))?.status).toBe(200)
          served += 1
        }
      }
      await delay(random.whole(0, 2_000))
      await stopped.node.start()
      const seen = acknowledged.size
      await eventually(async () => expect(acknowledged.size).toBeGreaterThan(seen + concurrency), patienceMs)
      // Each process must detect that the database runs again, before the next round begins.
      for (const user of stopped.own) {
        for (let place = 0; place < count; place++) {
          await eventually(
            async () => expect((await callOnce(random, { among: [user], place }))?.status).toBe(200),
            patienceMs,
          )
        }
      }
      await check(`stop ${round}`)
    }
    await stop()
    await settle()
    for (const { child } of processes.servers) expect(child.exitCode, 'no process has given up').toBe(null)
    console.log(
      `stops on ${name}: ${stopRounds} rounds, ${turnedAway.size} calls turned away, ${served} of other nodes served`,
    )
  })

  test(`while a database server does not respond for ${pauseSeconds} s, streams continue and settle, ${pauseRounds} times`, async () => {
    for (let round = 1; round <= pauseRounds; round++) {
      const { node, own } = nodeAt(round)
      const streams = [0, 1, 2, 3].map(async (place) => {
        const n = ++calls
        processes.provider.enqueue({
          chunks: 40 * (pauseSeconds + 4),
          chunkDelayMs: 25,
          usage: { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 },
        })
        const user = own[place % own.length]
        assert(user !== undefined)
        const answer = await processes.call(place, user, {
          ...planOf(n).body,
          stream: true,
          max_tokens: 40 * (pauseSeconds + 4),
        })
        expect(isWhole(answer), answer.text.slice(-300)).toBe(true)
        acknowledged.set(n, costMicros(defaultRates, { input: 10, output: 100 }))
      })
      const reached = processes.provider.calls.length
      await eventually(async () => expect(processes.provider.calls.length).toBe(reached + 4), patienceMs)
      node.pause()
      const startedMs = performance.now()
      const during = Array.from({ length: 2 * count }, async (_, i) => {
        const answer = await callOnce(randomFrom(seed + i), { among: own })
        return { status: answer?.status, tookMs: performance.now() - startedMs }
      })
      await delay(pauseSeconds * 1000)
      node.resume()
      const answers = await Promise.all(during)
      console.log(
        `pause on ${name}: ${answers.map(({ status, tookMs }) => `${status} after ${Math.round(tookMs)} ms`).join(', ')}`,
      )
      // A shorter pause than the time limits may still settle a waiting call.
      if (pauseSeconds * 1000 > answerMsMax) {
        for (const { status, tookMs } of answers) {
          expect(status).toBe(503)
          expect(tookMs).toBeLessThan(answerMsMax)
        }
      }
      await Promise.all(streams)
      await check(`pause ${round}`)
    }
    await settle()
  })
})
