/**
 * Runs the sixteen scenarios of Failover Bench (catalogue 0.1, docs/reference/failover.md). Each scenario has a
 * router with two targets and default settings, and a client that streams. Time is simulated, so that no test waits
 * for deadlines or outages of minutes.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { probedMessage } from '#gateway/relay/probe-skipped-targets.ts'
import { costMicros, countedOutputTold, countedTurn } from '../support/expected-costs.ts'
import {
  assertWallet,
  outputTokensMax,
  rates,
  route,
  send,
  startFaultWorld,
  voices,
  type FaultApplication,
  type FaultWorld,
  type Person,
} from '../support/router-with-faulty-provider.ts'
import { framesOfAnswer, type FramedAnswer, type Told } from '../support/provider-with-given-frames.ts'
import { eventually } from '../support/start-product.ts'
import { goodAnswer, type Speaker } from '../support/provider-faults.ts'
import { readStream, requestOf, usualText } from '../support/request-and-reader-of-each-wire.ts'

let world: FaultWorld
let app: FaultApplication
let person: Person
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  world = await startFaultWorld()
})
afterAll(async () => {
  await world.close()
  vi.useRealTimers()
})
beforeEach(async () => {
  app = await world.newApplication()
  person = await app.person('basic')
})
afterEach(() => assertWallet(app, person))

const kind = 'openai_compatible'
const words = Array.from({ length: 60 }, (_, i) => (i === 0 ? 'word0' : ` word${i}`))
const answer = words.join('')

const framesOf = (told: Told): string[] =>
  framesOfAnswer(
    'chat',
    words.map((text) => ({ kind: 'text', text })),
    told,
  )
const whole = ({ told }: Speaker): FramedAnswer => ({ frames: framesOf(told) })
const refuses =
  (status: number, code: string | null = null, headers: Readonly<Record<string, string>> = {}) =>
  (): FramedAnswer => ({
    isWhole: true,
    status,
    headers,
    frames: [JSON.stringify({ error: { message: 'no', type: 'error', code, param: null } })],
  })

type Answers = (speaker: Speaker) => FramedAnswer
let names = 0

/** A call's deadlines are counted from the last check before the call. */
const deadlineChecksMs = 100

interface Scene {
  readonly name: string
  readonly first: string
  readonly second: string
}

/** The first target gives the responses `firstSays` in order, and repeats the last one. */
async function sceneOf(
  firstSays: readonly [Answers, ...Answers[]],
  secondSays: Answers = whole,
): Promise<Scene> {
  const name = `acme/scene-${++names}`
  const targets = [
    { side: 'a', kind },
    { side: 'b', kind },
  ] as const
  const [first = '', second = ''] = await route(app, name, targets, null)
  let asked = 0
  world.say(first, (speaker) => (firstSays[asked++] ?? firstSays.at(-1) ?? whole)(speaker))
  world.say(second, secondSays)
  return { name, first, second }
}

async function ask({ name }: Scene) {
  const { body, path } = requestOf('chat', { model: name, isStream: true, outputTokensMax })
  const asked = { ...JSON.parse(body), stream_options: { include_usage: true } }
  const received = await send(app, person, { path, body: JSON.stringify(asked) })
  const { headers, status, text } = received
  const read =
    status === 200 ? readStream('chat', text) : { text: '', isWhole: false, error: JSON.parse(text).error }
  const explained = await eventually(() => app.api('GET', `/v1/requests/${headers.get('x-request-id')}`))
  person.charged += BigInt(explained.chargeMicros)
  return { status, text, read, explained }
}

type Called = Awaited<ReturnType<typeof ask>>

/**
 * The answer must be complete, and charged once at the price of the responding target. A failed attempt costs
 * nothing, unless the gateway abandoned it after the head of a successful response. In this case, the provider may
 * bill the account for the input.
 */
function expectRescued({ explained, read, status }: Called, by: 'a' | 'b', inputGivenUp = 0): void {
  expect([status, read.text, read.isWhole, read.error]).toEqual([200, answer, true, null])
  const charge = costMicros(rates[by], voices[by].told)
  const givenUp = costMicros(rates.a, { input: inputGivenUp, output: 0 })
  expect([explained.chargeMicros, explained.costMicros]).toEqual([String(charge), String(charge + givenUp)])
  expect(explained.usage.tokenSource).toBe('provider_reported')
}

function expectSafe({ explained, read, status }: Called, wordsShown: number): void {
  expect([status, read.text, read.isWhole]).toEqual([200, words.slice(0, wordsShown).join(''), false])
  expect(read.error).not.toBeNull()
  const used = {
    input: countedTurn(usualText),
    output: countedOutputTold(words.slice(0, wordsShown), outputTokensMax),
  }
  const charge = String(costMicros(rates.a, used))
  expect([explained.chargeMicros, explained.costMicros]).toEqual([charge, charge])
}

const callsOf = ({ first, second }: Scene): [number, number] => [world.callsOf(first), world.callsOf(second)]

/** Time advances once the first target has received the call. */
async function askAndMove(scene: Scene, ms: number): Promise<Called> {
  const called = ask(scene)
  await eventually(async () => expect(world.callsOf(scene.first)).toBe(1))
  // The server has now read the head and the earlier frames. The target sends no further frame.
  await eventually(async () => expect(world.providers.a.framesSent).toBe(0))
  vi.advanceTimersByTime(ms)
  return called
}

test('S01: after a 429 with Retry-After, the same target is called again after that time, and its response is returned', async () => {
  const askedAt: bigint[] = []
  const noted =
    (says: Answers): Answers =>
    (speaker) => {
      askedAt.push(process.hrtime.bigint())
      return says(speaker)
    }
  const scene = await sceneOf([
    noted(refuses(429, 'rate_limit_exceeded', { 'retry-after': '2' })),
    noted(whole),
  ])
  expectRescued(await ask(scene), 'a')
  expect(callsOf(scene)).toEqual([2, 0])
  const [one = 0n, two = 0n] = askedAt
  expect(Number(two - one) / 1e9).toBeGreaterThanOrEqual(1.8)
})

test('S02: if the first target returns 429 twice, the other target answers', async () => {
  const scene = await sceneOf([refuses(429, 'rate_limit_exceeded')])
  expectRescued(await ask(scene), 'b')
  expect(callsOf(scene)).toEqual([2, 1])
})

test('S03: after a temporary 500, the same target is called again', async () => {
  const scene = await sceneOf([refuses(500), whole])
  expectRescued(await ask(scene), 'a')
  expect(callsOf(scene)).toEqual([2, 0])
})

test('S04: if the first target returns 503 twice, the other target answers', async () => {
  const scene = await sceneOf([refuses(503, 'overloaded')])
  expectRescued(await ask(scene), 'b')
  expect(callsOf(scene)).toEqual([2, 1])
})

test('S05: if a connection is reset before the response head, the next target is called', async () => {
  const scene = await sceneOf([() => ({ frames: [], resets: 'before_head' }), whole])
  expectRescued(await ask(scene), 'b')
  expect(callsOf(scene)).toEqual([1, 1])
})

test('S06: a silent target is abandoned within seconds, and not called again', async () => {
  const scene = await sceneOf([() => ({ frames: [], hangs: 'before_head' })])
  const called = await askAndMove(scene, 11_000)
  expectRescued(called, 'b')
  expect(callsOf(scene)).toEqual([1, 1])
  expect(called.explained.attempts[0]).toMatchObject({ code: 'upstream_timeout', failure: 'first_token' })
})

test('S07: if the first token does not arrive within 15 seconds, the next target is called', async () => {
  const scene = await sceneOf([() => ({ frames: [], hangs: 'behind_frames' })])
  const called = await askAndMove(scene, 11_000)
  expectRescued(called, 'b', called.explained.quote.inputTokensEstimated)
  expect(callsOf(scene)).toEqual([1, 1])
})

test('S08: a stream that is cut after 40 words ends as an error, and no target continues it', async () => {
  const scene = await sceneOf([({ told }) => ({ frames: framesOf(told).slice(0, 41), isCut: true })])
  expectSafe(await ask(scene), 40)
  expect(callsOf(scene)).toEqual([1, 0])
})

test('S09: a stream that stalls after 20 words ends as an error, and the next call succeeds', async () => {
  const closes = Promise.withResolvers<void>()
  const scene = await sceneOf([
    ({ told }) => ({ frames: framesOf(told).slice(0, 21), stallsUntil: closes.promise, isCut: true }),
    whole,
  ])
  const called = ask(scene)
  await eventually(async () => expect(world.providers.a.framesSent).toBe(21))
  vi.advanceTimersByTime(30_000)
  closes.resolve()
  expectSafe(await called, 20)
  expectRescued(await ask(scene), 'a')
  expect(callsOf(scene)).toEqual([2, 0])
})

test('S10: an invalid JSON frame without words is skipped, and the answer is complete', async () => {
  const malformed =
    'data: {"id": "c1", "object": "chat.completion.chunk", "choices": [{"delta": {"content": \n\n'
  const scene = await sceneOf([({ told }) => ({ frames: framesOf(told).toSpliced(11, 0, malformed) }), whole])
  const called = await ask(scene)
  expectRescued(called, 'a')
  expect(called.text).not.toContain(malformed)
  expect(called.explained.stream).toMatchObject({ droppedFrames: 1 })
  expect(callsOf(scene)).toEqual([1, 0])
  expectRescued(await ask(scene), 'a')
})

test('S10, with half a word in the invalid frame: the stream fails, because the word is lost', async () => {
  const malformed = 'data: {"id": "c1", "choices": [{"delta": {"content": "wor\n\n'
  const scene = await sceneOf([({ told }) => ({ frames: framesOf(told).toSpliced(11, 0, malformed) })])
  expectSafe(await ask(scene), 10)
  expect(callsOf(scene)).toEqual([1, 0])
})

test('S11: a stream without [DONE] is complete once the provider closes the connection', async () => {
  const scene = await sceneOf([({ told }) => ({ frames: framesOf(told).slice(0, -1) })])
  expectRescued(await ask(scene), 'a')
  expect(callsOf(scene)).toEqual([1, 0])
})

test('S12: a request that is too long for the first target is sent to the other target, and each target is called once', async () => {
  const scene = await sceneOf([refuses(400, 'context_length_exceeded')])
  expectRescued(await ask(scene), 'b')
  expect(callsOf(scene)).toEqual([1, 1])
})

test('S13: a request that the content filter rejects is the client’s error, and no other target is called', async () => {
  const scene = await sceneOf([refuses(400, 'content_policy_violation')])
  const { explained, read, status } = await ask(scene)
  expect([status, read.error?.code]).toEqual([400, 'content_policy_violation'])
  expect([explained.chargeMicros, explained.costMicros]).toEqual(['0', '0'])
  expect(callsOf(scene)).toEqual([1, 0])
})

test('S14: an interrupted stream is not continued at a target that does not support prefill', async () => {
  const scene = await sceneOf(
    [({ told }) => ({ frames: framesOf(told).slice(0, 41), isCut: true })],
    refuses(400, 'invalid_prefill'),
  )
  const called = await ask(scene)
  expectSafe(called, 40)
  expect(called.text).not.toContain('prefill')
  expect(callsOf(scene)).toEqual([1, 0])
})

describe('S15: a target that is unavailable for a minute', () => {
  /**
   * The simulated time advances only while the server is idle. Otherwise, a probe on a busy machine would last for
   * several calls, and deadlines would expire during short calls.
   */
  async function flap() {
    const startedAtMs = Date.now()
    let probes = 0
    const flapping: Answers = (speaker) => {
      if (!speaker.isStream) probes++
      if (Date.now() - startedAtMs < 60_000) return refuses(503, 'overloaded')()
      return speaker.isStream
        ? whole(speaker)
        : goodAnswer({ ...speaker, text: 'Hi', told: { input: 8, output: 1 } })
    }
    const scene = await sceneOf([flapping])
    const servedByFirstAtMs: number[] = []
    const probesEnded = (): number =>
      world.server.log.filter(({ message }) => message === probedMessage).length
    let probesBegun = probesEnded()
    for (let n = 0; n < 20; n++) {
      /* oxlint-disable no-await-in-loop -- one after the other */
      const called = await ask(scene)
      const { attempts } = called.explained
      const by = attempts.at(-1).target.includes(scene.first) ? 'a' : 'b'
      expectRescued(called, by)
      if (by === 'a') servedByFirstAtMs.push(Date.now() - startedAtMs)
      // A call that skips the first target sends a probe to it.
      if (!attempts[0].target.includes(scene.first)) probesBegun++
      // oxlint-disable-next-line no-loop-func -- awaited before the next turn
      await eventually(async () => expect(probesEnded()).toBe(probesBegun))
      vi.advanceTimersByTime(4_000)
      await delay(deadlineChecksMs)
      /* oxlint-enable no-await-in-loop */
    }
    return { scene, servedByFirstAtMs, probes: () => probes }
  }

  test('a router serves every call from the other target, and uses the failed target within ten seconds of its recovery', async () => {
    const { probes, scene, servedByFirstAtMs } = await flap()
    const [backAtMs = Infinity] = servedByFirstAtMs
    expect(backAtMs).toBeGreaterThanOrEqual(60_000)
    expect(backAtMs).toBeLessThanOrEqual(70_000)
    expect(servedByFirstAtMs.at(-1)).toBe(76_000)
    // Real calls opened the circuit. Since the circuit opened, only probes have called the target.
    const real = world.callsOf(scene.first) - probes()
    expect(real - servedByFirstAtMs.length).toBeLessThanOrEqual(6)
    expect(probes()).toBeGreaterThan(5)
    // The successful probe is a cost of the application, and is charged to no end user.
    await eventually(async () => {
      const { probeCostMicros } = await app.api('GET', '/v1/margin')
      expect(probeCostMicros).toBe(String(costMicros(rates.a, { input: 8, output: 1 })))
    })
  })
})

test('S16: the response names the alias and not the target, and only the responding target is charged', async () => {
  const scene = await sceneOf([refuses(503, 'overloaded')])
  const called = await ask(scene)
  expectRescued(called, 'b')
  const { input, output } = voices.b.told
  expect(called.text).toContain(`"model":"${scene.name}"`)
  expect(called.text).not.toContain(scene.second)
  expect(called.text).toContain(`"prompt_tokens":${input},"completion_tokens":${output}`)
  expect(called.explained.attempts.map(({ costMicros: cost }: { costMicros: string }) => cost)).toEqual([
    '0',
    '0',
    called.explained.costMicros,
  ])
  expect(callsOf(scene)).toEqual([2, 1])
})
