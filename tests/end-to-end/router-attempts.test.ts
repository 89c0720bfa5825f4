import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { costMicros, worstMicros } from '../support/expected-costs.ts'
import {
  assertWallet,
  keyOf,
  labelOf,
  outputTokensMax,
  rates,
  route,
  send,
  startFaultWorld,
  voices,
  type FaultApplication,
  type FaultWorld,
  type Person,
  type Target,
} from '../support/router-with-faulty-provider.ts'
import type { FramedAnswer } from '../support/provider-with-given-frames.ts'
import { eventually } from '../support/start-product.ts'
import { goodAnswer } from '../support/provider-faults.ts'
import { clientWires, readStream, readWhole, requestOf } from '../support/request-and-reader-of-each-wire.ts'

let world: FaultWorld
let app: FaultApplication
let person: Person
beforeAll(async () => {
  // An attempt whose client disconnects continues until the attempt's own deadline.
  world = await startFaultWorld({ drainMs: 60_000 })
})
afterAll(() => world.close())
// Each test gets a new application, because each application has a separate retry budget.
beforeEach(async () => {
  app = await world.newApplication()
  person = await app.person('basic')
})
afterEach(() => assertWallet(app, person))

const kind = 'openai_compatible'
const [a, b, c] = (['a', 'b', 'c'] as const).map((side): Target => ({ side, kind })) as [
  Target,
  Target,
  Target,
]
const fails =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  (): FramedAnswer => ({
    isWhole: true,
    status,
    headers,
    frames: ['{"error":{"message":"no","type":"x","code":null}}'],
  })
const silent = (): FramedAnswer => ({ frames: [], hangs: 'before_head' })

let names = 0
const newName = (): string => `acme/tried-${++names}`

// oxlint-disable-next-line typescript/no-explicit-any -- a test looks at what is there
type Json = any

interface Called {
  readonly status: number
  readonly headers: Headers
  readonly voice: string
  readonly explained: Json
}

async function call(
  name: string,
  {
    by = person,
    from = app,
    isStream = false,
    text: said = 'Hello',
  }: { by?: Person; from?: FaultApplication; isStream?: boolean; text?: string } = {},
): Promise<Called> {
  const asked = requestOf('chat', { model: name, isStream, outputTokensMax, text: said })
  const received = await send(from, by, asked)
  const { headers, status, text } = received
  const read = isStream && status === 200 ? readStream('chat', text) : readWhole('chat', text)
  const id = headers.get('x-request-id')
  const explained = await eventually(() => from.api('GET', `/v1/requests/${id}`))
  by.charged += BigInt(explained.chargeMicros)
  return { status, headers, voice: read.text, explained }
}

const modelsTried = ({ explained }: Called): string[] =>
  explained.attempts.map(({ target }: { target: string }) => target.split('/').at(-1))

describe('a target is called again', () => {
  test('a target is called again only after its retry-after, and then the next target is called', async () => {
    const name = newName()
    const [first = '', second = ''] = await route(app, name, [a, b], { retriesPerTarget: 2 })
    world.say(first, fails(429, { 'retry-after': '1' }))
    const called = await call(name)
    expect([called.voice, world.callsOf(first), world.callsOf(second)]).toEqual([voices.b.text, 3, 1])
    const [one, two, three] = called.explained.attempts
    expect(two.atMs - one.atMs).toBeGreaterThanOrEqual(1_000)
    expect(three.atMs - two.atMs).toBeGreaterThanOrEqual(1_000)
  })

  test('a target is called again only if its wait ends within the time for attempts', async () => {
    const name = newName()
    const [first = '', second = ''] = await route(app, name, [a, b], { retriesPerTarget: 2, withinMs: 900 })
    world.say(first, fails(429, { 'retry-after': '1' }))
    const called = await call(name)
    expect([called.voice, world.callsOf(first), world.callsOf(second)]).toEqual([voices.b.text, 1, 1])
  })

  test('a target that states no wait is called again soon, or not at all if a retry cannot help', async () => {
    for (const [status, calls] of [
      [500, 3],
      [429, 3],
      [503, 3],
      [401, 1],
      [404, 1],
    ] as const) {
      const name = newName()
      /* oxlint-disable no-await-in-loop -- one after the other */
      const own = await world.newApplication()
      const by = await own.person('basic')
      const [first = '', second = ''] = await route(own, name, [a, b], { retriesPerTarget: 2 })
      world.say(first, fails(status))
      const called = await call(name, { by, from: own })
      /* oxlint-enable no-await-in-loop */
      expect([status, called.voice, world.callsOf(first), world.callsOf(second)]).toEqual([
        status,
        voices.b.text,
        calls,
        1,
      ])
      // The router waits for a shorter time than the gateway reports to a client.
      expect(called.explained.attempts.at(-1).atMs).toBeLessThan(5_000)
    }
  })

  test('a target is called again until the maximum number of attempts is reached', async () => {
    const name = newName()
    const models = await route(app, name, [a, b, c], { attemptsMax: 2 })
    for (const model of models) world.say(model, fails(500))
    const called = await call(name)
    expect(models.map(world.callsOf)).toEqual([1, 1, 0])
    expect([called.status, called.explained.errorCode]).toEqual([502, 'upstream_error'])
  })
})

describe('the statuses after which the next target is called', () => {
  test('the router sets the statuses after which the next target is called', async () => {
    const never = newName()
    const [first = '', second = ''] = await route(app, never, [a, b], { neverMovesOn: [503] })
    world.say(first, fails(503))
    expect((await call(never)).status).toBe(503)
    expect([world.callsOf(first), world.callsOf(second)]).toEqual([1, 0])
    const also = newName()
    const [third = '', fourth = ''] = await route(app, also, [a, b], { alsoMovesOn: [415] })
    world.say(third, fails(415))
    expect((await call(also)).voice).toBe(voices.b.text)
    expect([world.callsOf(third), world.callsOf(fourth)]).toEqual([1, 1])
  })

  test('a request that a target rejects as invalid is the client’s error, even after failures of other targets', async () => {
    const name = newName()
    const models = await route(app, name, [a, b, c])
    const [first = '', second = ''] = models
    world.say(first, fails(429, { 'retry-after': '3' }))
    world.say(second, fails(400))
    const called = await call(name)
    expect([called.status, called.explained.errorCode]).toEqual([400, 'upstream_rejected'])
    expect(called.headers.get('retry-after')).toBeNull()
    expect(models.map(world.callsOf)).toEqual([1, 1, 0])
  })

  test('if several targets state a wait, the client receives the shortest wait', async () => {
    const name = newName()
    const models = await route(app, name, [a, b, c])
    for (const [i, seconds] of ['9', '3', '6'].entries())
      world.say(models[i] ?? '', fails(429, { 'retry-after': seconds }))
    const called = await call(name)
    expect([called.status, called.headers.get('retry-after')]).toEqual([429, '3'])
    expect(models.map(world.callsOf)).toEqual([1, 1, 1])
  })
})

describe('a client that disconnects', () => {
  test.each([false, true])(
    'if a client disconnects during an attempt, the attempt ends and no other attempt begins (streamed: %s)',
    async (isStream) => {
      const name = newName()
      const models = await route(app, name, [a, b], { timeouts: { firstByteMs: 5_000 } })
      for (const model of models) world.say(model, silent)
      const leaving = new AbortController()
      const { body, path } = requestOf('chat', { model: name, isStream, outputTokensMax })
      const asked = fetch(app.gateway + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.key}`, 'content-type': 'application/json' },
        body,
        signal: leaving.signal,
      })
      await eventually(async () => expect(world.callsOf(models[0] ?? '')).toBe(1))
      leaving.abort()
      await expect(asked).rejects.toThrow('abort')
      const ended = await eventually(async () => {
        const { data } = await app.api('GET', `/v1/requests?endUserId=${person.externalId}&limit=1`)
        expect(data[0]).toMatchObject({ requestedModel: name, errorCode: 'client_left' })
        return data[0]
      })
      person.charged += BigInt(ended.chargeMicros)
      expect(models.map(world.callsOf)).toEqual([1, 0])
    },
  )

  test('if a client disconnects during the wait for a retry, the call ends and nothing is charged', async () => {
    const name = newName()
    const models = await route(app, name, [a], { retriesPerTarget: 1 })
    world.say(models[0] ?? '', fails(503, { 'retry-after': '20' }))
    const leaving = new AbortController()
    const { body, path } = requestOf('chat', { model: name, isStream: false, outputTokensMax })
    const asked = fetch(app.gateway + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.key}`, 'content-type': 'application/json' },
      body,
      signal: leaving.signal,
    })
    // The store records the first attempt before the wait for the second.
    await eventually(async () => expect(world.callsOf(models[0] ?? '')).toBe(1))
    await delay(50)
    leaving.abort()
    await expect(asked).rejects.toThrow('abort')
    await eventually(async () => {
      const { data } = await app.api('GET', `/v1/requests?endUserId=${person.externalId}&limit=1`)
      expect(data[0]).toMatchObject({ requestedModel: name, status: 'released', chargeMicros: '0' })
    })
    expect(models.map(world.callsOf)).toEqual([1])
  })
})

test('concurrent calls never exceed the number of calls that a target allows in flight', async () => {
  const name = newName()
  const targets = [
    { ...a, maxInFlight: 1 },
    { ...b, maxInFlight: 2 },
  ]
  const models = await route(app, name, targets, { attemptsMax: 1 })
  const othersEnded = Promise.withResolvers<void>()
  for (const model of models)
    world.say(model, (speaker) => ({ ...goodAnswer(speaker), until: othersEnded.promise }))
  let ended = 0
  const calls = Array.from({ length: 8 }, () => call(name).finally(() => ended++))
  await eventually(async () => expect(ended).toBe(5))
  expect(models.map(world.callsOf)).toEqual([1, 2])
  othersEnded.resolve()
  const answers = await Promise.all(calls)
  const codes = answers.map(({ explained }) => String(explained.errorCode)).toSorted()
  expect(codes).toEqual([...Array(3).fill('null'), ...Array(5).fill('targets_busy')])
  const busy = answers.find(({ explained }) => explained.errorCode === 'targets_busy')
  expect([busy?.status, busy?.headers.get('retry-after')]).toEqual([503, '1'])
})

describe('many failures at the same time', () => {
  /** Each model name has its own upstream model, so that the circuits remain closed. */
  async function storm(calls: number, attempts: object, others: readonly Target[]) {
    const routed: [string, string[]][] = []
    for (let i = 0; i < calls; i++) {
      const name = newName()
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const models = await route(app, name, [a, ...others], attempts)
      world.say(models[0] ?? '', fails(500))
      routed.push([name, models])
    }
    const called = await Promise.all(routed.map(([name]) => call(name)))
    return { called, asked: routed.map(([, models]) => models.map(world.callsOf)) }
  }

  test('if many calls fail, the next target answers all of them, because failover does not use the retry budget', async () => {
    const calls = 16
    const { asked, called } = await storm(calls, {}, [b])
    expect(called.map(({ voice }) => voice)).toEqual(Array(calls).fill(voices.b.text))
    expect(asked).toEqual(Array.from({ length: calls }, () => [1, 1]))
  })

  test('failing calls are retried as often as their application allows, and explain shows the retry budget', async () => {
    const calls = 16
    const { asked, called } = await storm(calls, { retriesPerTarget: 1 }, [b])
    expect(called.map(({ voice }) => voice)).toEqual(Array(calls).fill(voices.b.text))
    expect(asked.filter(([first]) => first === 2)).toHaveLength(10)
    expect(asked.filter(([first]) => first === 1)).toHaveLength(calls - 10)
    expect(asked.every(([, second]) => second === 1)).toBe(true)
    const refused = called.filter(({ explained }) => explained.attempts[0].notRepeated === 'retry_budget')
    expect(refused).toHaveLength(calls - 10)
  })

  test('a router skips a target whose circuit is open or whose maxInFlight is reached', async () => {
    const name = newName()
    const models = await route(app, name, [a, { ...b, maxInFlight: 1 }, c])
    const [first = '', second = '', third = ''] = models
    world.say(first, fails(500))
    const othersEnded = Promise.withResolvers<void>()
    world.say(second, (speaker) => ({ ...goodAnswer(speaker), until: othersEnded.promise }))
    const slow = call(name)
    await eventually(async () => expect(world.callsOf(second)).toBe(1))
    const quick = await call(name)
    expect(quick.voice).toBe(voices.c.text)
    expect(quick.explained.route.candidates[1]).toMatchObject({ skipCode: 'max_in_flight' })
    othersEnded.resolve()
    expect((await slow).voice).toBe(voices.b.text)
    expect([first, second, third].map(world.callsOf)).toEqual([2, 1, 1])
  })
})

describe('explain names the reason why a remaining target was not called', () => {
  const skips = ({ explained }: Called): unknown[] =>
    explained.route.candidates.map(({ skipCode }: { skipCode: unknown }) => skipCode)

  test('explain reports that a remaining target was not called because the attempts were used up', async () => {
    const name = newName()
    const models = await route(app, name, [a, b, c], { attemptsMax: 2 })
    for (const model of models) world.say(model, fails(500))
    expect(skips(await call(name))).toEqual([null, null, 'attempts_max'])
  })

  test('explain reports that a remaining target was not called because the request itself was rejected', async () => {
    const name = newName()
    const [first = ''] = await route(app, name, [a, b])
    world.say(first, fails(400))
    expect(skips(await call(name))).toEqual([null, 'not_moved_on'])
  })

  test('explain reports that a remaining target was not called because the time for attempts was over', async () => {
    const name = newName()
    const [first = ''] = await route(app, name, [a, b], { withinMs: 0 })
    world.say(first, fails(503))
    expect(skips(await call(name))).toEqual([null, 'within_ms'])
  })

  test('with `withinMs: 0`, a target has the usual deadlines, because no other target can be called', async () => {
    const name = newName()
    const [first = ''] = await route(app, name, [a, b], { withinMs: 0 })
    world.say(first, (speaker) => ({ ...goodAnswer(speaker), until: delay(300) }))
    const called = [await call(name), await call(name, { isStream: true })]
    expect(called.map(({ status, voice }) => [status, voice])).toEqual([
      [200, voices.a.text],
      [200, voices.a.text],
    ])
  })
})

describe('a circuit', () => {
  test('a circuit opens after five failures, and explain shows that its target is skipped because of the circuit', async () => {
    const name = newName()
    const [first = '', second = ''] = await route(app, name, [a, b])
    world.say(first, fails(500))
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (let i = 0; i < 5; i++) expect((await call(name)).voice).toBe(voices.b.text)
    expect(world.callsOf(first)).toBe(5)
    const called = await call(name)
    expect([called.voice, world.callsOf(first), world.callsOf(second)]).toEqual([voices.b.text, 5, 6])
    expect(modelsTried(called)).toEqual([second])
    expect(JSON.stringify(called.explained.route)).toContain('circuit_open')
  })

  test('a new credential closes the circuit of its account, and the next call uses the credential', async () => {
    const name = newName()
    const [first = '', second = ''] = await route(app, name, [a, b])
    world.say(first, fails(401))
    expect((await call(name)).voice).toBe(voices.b.text)
    expect((await call(name)).voice).toBe(voices.b.text)
    expect([world.callsOf(first), world.callsOf(second)]).toEqual([1, 2])
    world.say(first, goodAnswer)
    const apiKey = keyOf(a.side)
    await app.api('POST', `/v1/providers/${encodeURIComponent(labelOf(a.side, kind))}/rotate`, { apiKey })
    expect((await call(name)).voice).toBe(voices.a.text)
  })

  test('after the wait of an open circuit, a single probe tests the target, however many calls arrive', async () => {
    const name = newName()
    const [first = ''] = await route(app, name, [a, b])
    world.say(first, fails(503, { 'retry-after': '1' }))
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (let i = 0; i < 5; i++) await call(name)
    await delay(1_100)
    const othersEnded = Promise.withResolvers<void>()
    world.say(first, (speaker) => ({ ...goodAnswer(speaker), until: othersEnded.promise }))
    const calls = await Promise.all(Array.from({ length: 6 }, () => call(name)))
    // No call waits for the probe, or for a target that may be unavailable.
    expect(calls.map(({ voice }) => voice)).toEqual(Array(6).fill(voices.b.text))
    expect(world.callsOf(first)).toBe(6)
    othersEnded.resolve()
    await eventually(async () => expect((await call(name)).voice).toBe(voices.a.text))
  })

  test('a failed probe does not close a circuit, and costs nothing', async () => {
    const name = newName()
    const [first = ''] = await route(app, name, [a, b])
    world.say(first, fails(503, { 'retry-after': '1' }))
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (let i = 0; i < 5; i++) await call(name)
    await delay(1_100)
    const costBefore = (await app.api('GET', '/v1/margin')).probeCostMicros
    const called = await call(name)
    await eventually(async () => expect(world.callsOf(first)).toBe(6))
    expect([called.voice, called.explained.attempts.length]).toEqual([voices.b.text, 1])
    expect((await call(name)).voice).toBe(voices.b.text)
    expect((await app.api('GET', '/v1/margin')).probeCostMicros).toBe(costBefore)
  })

  test('if a router has no other target, a real call tries the target with the open circuit', async () => {
    const name = newName()
    const [first = ''] = await route(app, name, [a])
    world.say(first, fails(503, { 'retry-after': '1' }))
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (let i = 0; i < 5; i++) await call(name)
    await delay(1_100)
    world.say(first, goodAnswer)
    expect((await call(name)).voice).toBe(voices.a.text)
    expect(world.callsOf(first)).toBe(6)
  })
})

describe('an end user with little money', () => {
  const asked = (name: string) => requestOf('chat', { model: name, isStream: false, outputTokensMax }).body
  const worstAt = (side: 'a' | 'b' | 'c', name: string): bigint =>
    worstMicros(rates[side], asked(name), outputTokensMax)
  const skips = ({ explained }: Called): string[] => JSON.stringify(explained.route).match(/too_dear/g) ?? []

  test('a router serves an end user with little money from a target that the balance covers', async () => {
    const name = newName()
    const [dear = '', cheap = ''] = await route(app, name, [b, c])
    // The input alone costs more at the first target than the whole call at the second target.
    const text = 'x'.repeat(400)
    const { body } = requestOf('chat', { model: name, isStream: false, outputTokensMax, text })
    const worst = worstMicros(rates.c, body, outputTokensMax)
    const poor = await app.person('basic', worst + 1n)
    const called = await call(name, { by: poor, text })
    expect([called.voice, world.callsOf(dear), world.callsOf(cheap)]).toEqual([voices.c.text, 0, 1])
    expect(called.headers.get('x-svc-abort-reason')).toBeNull()
    expect(BigInt(called.explained.reserve.worstMicros)).toBe(worst)
    expect(called.explained.chargeMicros).toBe(String(costMicros(rates.c, voices.c.told)))
    expect(skips(called)).toHaveLength(1)
    await assertWallet(app, poor)
  })

  test('for an end user with little money, an expensive later target does not shorten the answer', async () => {
    const name = newName()
    const [cheap = '', dear = ''] = await route(app, name, [c, b])
    const poor = await app.person('basic', worstAt('c', name) + 1n)
    const called = await call(name, { by: poor })
    expect([called.voice, world.callsOf(cheap), world.callsOf(dear)]).toEqual([voices.c.text, 1, 0])
    expect(called.headers.get('x-svc-abort-reason')).toBeNull()
    expect(skips(called)).toHaveLength(1)
  })

  test('if the balance is too low for every target, a router returns one rejection, with the amount for the cheapest target', async () => {
    const name = newName()
    const models = await route(app, name, [b, c])
    const poor = await app.person('basic', 1n)
    const called = await call(name, { by: poor })
    expect([called.status, models.map(world.callsOf)]).toEqual([402, [0, 0]])
    await assertWallet(app, poor)
  })

  test('a router omits a target whose input alone costs more than the shortened answer of an end user with little money', async () => {
    const name = newName()
    // For a complete answer, the first target costs more. For a shortened answer, the second target costs more.
    const [first = '', second = ''] = await route(app, name, [
      { ...a, price: { input: 1_000_000n, output: 100_000_000n } },
      { ...b, price: { input: 60_000_000n, output: 1_000_000n } },
    ])
    const floor = worstMicros({ input: 1_000_000n, output: 100_000_000n }, asked(name), 4)
    const poor = await app.person('basic', floor)
    world.say(first, fails(500))
    const called = await call(name, { by: poor })
    expect([world.callsOf(first), world.callsOf(second)]).toEqual([1, 0])
    expect([called.status, called.explained.errorCode]).toEqual([502, 'upstream_error'])
    expect(skips(called)).toHaveLength(1)
    await assertWallet(app, poor)
  })
})

describe('a router that contains other routers', () => {
  test('a router that contains other routers tries their targets in order, each once', async () => {
    const inner = newName()
    const innermost = newName()
    const name = newName()
    const [first = '', second = ''] = await route(app, innermost, [a, b])
    const [third = ''] = await route(app, inner, [c])
    await app.api('PUT', `/v1/routers/${encodeURIComponent(name)}`, {
      policy: 'priority',
      targets: [{ router: innermost }, { router: inner }],
      attempts: { retriesPerTarget: 0 },
    })
    world.say(first, fails(500))
    world.say(second, fails(429))
    const called = await call(name)
    expect(called.voice).toBe(voices.c.text)
    expect(modelsTried(called)).toEqual([first, second, third])
    expect([first, second, third].map(world.callsOf)).toEqual([1, 1, 1])
    expect(called.explained.chargeMicros).toBe(String(costMicros(rates.c, voices.c.told)))
  })

  test('a model name with two sources works like a router: if the first source fails, the second source is called', async () => {
    const scratch = newName()
    const name = newName()
    const [first = '', second = ''] = await route(app, scratch, [a, b])
    await app.api('PUT', `/v1/models/${encodeURIComponent(name)}`, {
      sources: [
        { provider: labelOf('a', kind), model: first },
        { provider: labelOf('b', kind), model: second },
      ],
    })
    world.say(first, fails(502))
    const called = await call(name, { isStream: true })
    // A 502 that arrives quickly is retried once, which is the default of routers.
    expect([called.voice, modelsTried(called)]).toEqual([voices.b.text, [first, first, second]])
    expect(called.explained.chargeMicros).toBe(String(costMicros(rates.b, voices.b.told)))
  })
})

test('an answer comes from one target, even if a target that failed had already sent many thoughts', async () => {
  for (const client of clientWires) {
    const name = newName()
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const [first = ''] = await route(app, name, [{ ...a, kind: 'anthropic' }, b])
    world.say(first, (speaker) => {
      const [opening = ''] = goodAnswer(speaker).frames
      return {
        frames: [opening, ...Array.from({ length: 50 }, () => 'event: ping\ndata: {"type":"ping"}\n\n')],
        isCut: true,
      }
    })
    // oxlint-disable-next-line no-await-in-loop -- as above
    const { status, text } = await send(
      app,
      person,
      requestOf(client, { model: name, isStream: true, outputTokensMax }),
    )
    expect(status).toBe(200)
    expect(readStream(client, text)).toEqual({ text: voices.b.text, isWhole: true, error: null })
    expect(text).not.toContain('ping')
    person.charged += costMicros(rates.b, voices.b.told)
  }
})
