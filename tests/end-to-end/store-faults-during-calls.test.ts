/**
 * Source: docs/reference/threats.md "A store that fails". No money is lost or moved twice, no client sees the end of
 * an answer before its charge is on the ledger, and every provider call has a hold. The test repeats each call with
 * the fault at step 1, then at step 2, and so on, until a call meets no fault.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import {
  eventually,
  framesOf,
  makeApplication,
  settledBalance,
  startServer,
  type Answer,
  type Application,
  type LocalServer,
  type StartOptions,
  type User,
} from '../support/start-product.ts'
import { sampleOfCases } from '../support/reduced-suite.ts'

type FaultPoint = Parameters<NonNullable<StartOptions['faults']>>[0]
type Fault = NonNullable<ReturnType<NonNullable<StartOptions['faults']>>>
/** Null means that the step succeeds. */
type Plan = (point: FaultPoint, step: number) => Fault | null

const healthy: Plan = () => null
const credit = 1_000_000n
const attemptsUntilHealed = 3

let plan: Plan = healthy
let step = 0
let server: LocalServer
let app: Application
/** Another connection to the database file, which sees only committed data. */
let committed: DatabaseSync
/** The committed holds when a request reached the provider. */
let holdsSeen: number[] = []

const chunks = Array.from({ length: 40 }, (_, i) => ` word${i}`)
const usage = { prompt_tokens: 30, completion_tokens: 60, total_tokens: 90 }

function startFailing(queue: StartOptions['queue'] = {}): Promise<LocalServer> {
  return startServer({
    mayLogFaults: true,
    environment: { TOLLGATE_WRITER: 'inline' },
    faults: (point) => plan(point, ++step),
    queue: {
      backoffMs: (attempts) => {
        if (attempts >= attemptsUntilHealed) plan = healthy
        return 0
      },
      ...queue,
    },
  })
}

beforeAll(async () => {
  server = await startFailing()
  app = await makeApplication(server, { outputTokens: 40 })
  committed = new DatabaseSync(join(server.folder, 'tollgate.db'), { readOnly: true })
  app.provider.script(() => {
    holdsSeen.push(count('SELECT count(*) AS n FROM holds'))
    return { chunks, usage }
  })
})
afterAll(async () => {
  plan = healthy
  committed.close()
  await app.provider.close()
  await server.close()
})

function count(sql: string, ...parameters: string[]): number {
  return Number(committed.prepare(sql).get(...parameters)?.['n'])
}

/** The stream exceeds its first hold, and its hold is extended. */
const kinds = [
  { name: 'a whole answer', body: { max_tokens: 80 } },
  { name: 'a stream', body: { max_tokens: 80, stream: true } },
  { name: 'a stream that outgrows its hold', body: { stream: true } },
]
const charge = costMicros(
  { input: 2_500_000n, output: 10_000_001n },
  { input: usage.prompt_tokens, output: usage.completion_tokens },
)

interface Ends {
  served: number
  refused: number
  /** These calls were served within their first hold, because the store rejected the extension. */
  capped: number
}

/** Calls `faultAt(n)` for n = 1, 2, ... until no step is left. */
async function atEveryStep(body: object, faultAt: (n: number) => Plan): Promise<Ends> {
  const ends: Ends = { served: 0, refused: 0, capped: 0 }
  for (let n = 1; ; n++) {
    /* oxlint-disable no-await-in-loop -- one call after the other */
    const user = await app.newUser({ balanceMicros: credit })
    holdsSeen = []
    let isMet = false
    const planned = faultAt(n)
    step = 0
    plan = (point, at) => {
      const fault = planned(point, at)
      if (fault !== null) isMet = true
      return fault
    }
    const answer = await app.call(user, body)
    const onLedger = chargeOnLedger(answer)
    plan = healthy
    const end = await ended(user, answer, onLedger, body)
    if (!isMet) return ends
    ends[end]++
    /* oxlint-enable no-await-in-loop */
  }
}

/**
 * Returns the charge that was committed when the last byte of the response arrived. Null if no charge was committed.
 */
function chargeOnLedger(answer: Answer): bigint | null {
  const callId = (answer.headers.get('x-request-id') ?? '').slice('req_'.length)
  const statement = committed.prepare('SELECT charge_micros AS n FROM usage_records WHERE call_id = ?')
  statement.setReadBigInts(true)
  const found = statement.get(callId)?.['n']
  return typeof found === 'bigint' ? found : null
}

async function ended(user: User, answer: Answer, onLedger: bigint | null, body: object): Promise<keyof Ends> {
  // The gateway writes the grant after every operation in progress has ended.
  await user.grant(1n)
  const paid = credit + 1n - (await settledBalance(user))
  if (answer.status === 503) {
    expect(answer.body.error.code).toBe('store_unavailable')
    expect(answer.headers.get('retry-after')).toBe('1')
    expect([holdsSeen, paid, onLedger]).toEqual([[], 0n, null])
    return 'refused'
  }
  expect(answer.status, answer.text).toBe(200)
  if ('stream' in body) expect(framesOf(answer.text).at(-1)).toBe('[DONE]')
  expect(holdsSeen, 'one provider call, on one hold').toEqual([1])
  expect(onLedger, 'the end of an answer is on the ledger').toBe(paid)
  if (paid === charge) return 'served'
  const { reserve, settle } = await app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
  expect(paid, 'what could not be held more for is charged to the hold').toBe(BigInt(reserve.worstMicros))
  expect(settle).toMatchObject({ overHoldMicros: String(charge - paid) })
  return 'capped'
}

describe.each(kinds.map((kind, at) => ({ ...kind, at })))('$name', ({ at: kindAt, body }) => {
  const isExtended = !('max_tokens' in body)
  // Each kind of call is tested with one fault, and each fault with one kind of call.
  const faults = sampleOfCases<Fault>(['busy', 'full', 'io'], 3, kindAt)

  test.each(faults)('a single failure (%s) at any step has no visible effect', async (fault) => {
    const ends = await atEveryStep(body, (n) => (_, at) => (at === n ? fault : null))
    expect(ends.refused).toBe(0)
    expect(ends.capped).toBe(0)
    expect(ends.served).toBeGreaterThan(14)
  })

  test.each(faults)(
    'no call is lost or charged twice if the store becomes unavailable (%s) at any step',
    async (fault) => {
      const ends = await atEveryStep(body, (n) => (_, at) => (at >= n ? fault : null))
      expect(ends.refused).toBeGreaterThan(4)
      expect(ends.served).toBeGreaterThan(5)
      if (!isExtended) expect(ends.capped).toBe(0)
    },
  )

  /** The nth commit of a call fails. Commits are counted separately from the other steps. */
  const nthCommit =
    (point: FaultPoint, isRereadBroken: boolean) =>
    (n: number): Plan => {
      let commits = 0
      return (at) => {
        if (at === point && ++commits === n) return 'io'
        return isRereadBroken && at === 'reread' && commits >= n ? 'io' : null
      }
    }

  test('a commit whose response is lost is not repeated', async () => {
    const ends = await atEveryStep(body, nthCommit('committed', false))
    expect(ends).toMatchObject({ refused: 0, capped: 0 })
    expect(ends.served).toBeGreaterThanOrEqual(2)
  })

  test('a commit that failed is repeated once', async () => {
    const ends = await atEveryStep(body, nthCommit('commit', false))
    expect(ends).toMatchObject({ refused: 0, capped: 0 })
    expect(ends.served).toBeGreaterThanOrEqual(2)
  })

  test('a call waits until the result of its commit is known', async () => {
    const made = await atEveryStep(body, nthCommit('committed', true))
    expect(made).toMatchObject({ refused: 0, capped: 0 })
    const lost = await atEveryStep(body, nthCommit('commit', true))
    expect(lost.refused).toBe(1)
    expect(lost.served).toBeGreaterThanOrEqual(1)
  })
})

test('if the settlement takes too long, the client receives an error before the last byte, and the cost is still charged', async () => {
  const impatient = await startFailing({ settleWaitMs: 0 })
  const own = await makeApplication(impatient)
  own.provider.script({ chunks, usage })
  for (const stream of [false, true]) {
    /* oxlint-disable no-await-in-loop -- one after the other */
    const user = await own.newUser({ balanceMicros: credit })
    let isSettling = false
    plan = (point) => {
      isSettling ||= point === 'usage'
      return isSettling ? 'full' : null
    }
    const answer = await own.call(user, { max_tokens: 80, stream })
    if (stream) {
      expect(answer.status).toBe(200)
      const error = framesOf(answer.text).find((frame) => frame.error)?.error
      expect(error.code).toBe('store_unavailable')
    } else {
      expect([answer.status, answer.body.error.code]).toEqual([503, 'store_unavailable'])
    }
    await eventually(async () => expect(await settledBalance(user)).toBe(credit - charge))
    /* oxlint-enable no-await-in-loop */
  }
  await own.provider.close()
  await impatient.close()
})

test('no provider is called while the store accepts no writes', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  holdsSeen = []
  plan = () => 'full'
  for (let i = 0; i < 5; i++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const refused = await app.call(user)
    expect([refused.status, refused.body.error.code]).toEqual([503, 'store_unavailable'])
  }
  expect(holdsSeen).toEqual([])
  plan = healthy
  const served = await app.call(user, { max_tokens: 80 })
  expect(served.status).toBe(200)
  expect(chargeOnLedger(served)).toBe(charge)
  expect(await settledBalance(user)).toBe(credit - charge)
})

test('if the store rejects a request, the request does not count toward a shared limit', async () => {
  const limits = [{ measure: 'requests', window: 'month', most: '2' }]
  await app.api('PATCH', '/v1/gateway', { limits })
  const user = await app.newUser({ balanceMicros: credit })
  expect((await app.call(user, { max_tokens: 80 })).status).toBe(200)
  // Only the write of the hold fails.
  plan = (point) => (point === 'hold' ? 'full' : null)
  expect((await app.call(user, { max_tokens: 80 })).status).toBe(503)
  plan = healthy
  const answers = [await app.call(user, { max_tokens: 80 }), await app.call(user, { max_tokens: 80 })]
  expect(answers.map(({ status }) => status)).toEqual([200, 429])
  await app.api('PATCH', '/v1/gateway', { limits: [] })
})
