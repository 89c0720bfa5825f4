/** Tests every way in which a call can fail, and its cost, in the order of docs/guides/hang-up.md. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  costMicros,
  countedInput,
  countedOutput,
  countedOutputTold,
  min,
  worstMicros,
} from '../support/expected-costs.ts'
import type { Behaviour, FakeProvider } from '../support/fake-provider.ts'
import {
  arrival,
  control,
  eventually,
  framesOf,
  makeApplication,
  settledBalance,
  startServer,
  textsOf,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

const credit = 100_000_000n
const pieces = [' Once', ' upon', ' a', ' midnight', ' dreary', ',']
const usage = { prompt_tokens: 21, completion_tokens: 9, total_tokens: 30 }
const reported = { input: 21, output: 9 }
/**
 * A non-streaming response of the fake provider also contains these texts. The role and the finish reason count as
 * text.
 */
const wholeFraming = 'assistant'.length + 'stop'.length

/** The deadlines of this server are so long that none passes, even on a slow machine. */
let server: LocalServer
let quick: LocalServer
/** This server waits only briefly for open calls when it stops. */
let leaving: LocalServer
let app: Application
let hasty: Application
let user: User
const providers: FakeProvider[] = []

beforeAll(async () => {
  server = await startServer({ limits: { drainMs: 60_000, drainBytesMax: 4_096, drainsMax: 3 } })
  quick = await startServer({
    limits: {
      // The server checks a deadline only after half a second without reads, and reads from the socket first.
      deadlines: { connectMs: 60_000, firstByteMs: 1_000, idleMs: 1_000, totalMs: 3_000 },
    },
  })
  leaving = await startServer({ limits: { drainMs: 400, stallMs: 300 } })
  app = await makeApplication(server)
  hasty = await makeApplication(leaving)
})
afterAll(async () => {
  await app.provider.close()
  await hasty.provider.close()
  for (const provider of providers) await provider.close()
  await quick.close()
  await leaving.close()
  await server.close()
})

interface Ending {
  /** The status is 200 for a stream that failed after its response head. */
  readonly status: number
  readonly code: string | null
  readonly texts: readonly string[]
  readonly charge: bigint
}

interface Caller {
  readonly at: Application
  readonly by: User
}

async function ended(
  body: object,
  behaviour: Behaviour,
  { at, by }: Caller = { at: app, by: user },
): Promise<Ending & { answer: Answer }> {
  const before = await settledBalance(by)
  at.provider.enqueue(behaviour)
  const answer = await at.call(by, body)
  const charge = before - (await settledBalance(by))
  const [request] = await by.requests()
  expect(request).toMatchObject({
    id: answer.headers.get('x-request-id'),
    chargeMicros: String(charge),
    errorCode: codeOf(answer),
    httpStatus: answer.status,
  })
  return { answer, status: answer.status, code: codeOf(answer), texts: textsOf(answer.text), charge }
}

function codeOf(answer: Answer): string | null {
  if (answer.status !== 200) return answer.body.error.code
  if (answer.body !== null) return null
  const frames = framesOf(answer.text)
  expect(frames.at(-1), 'every stream ends with its marker').toBe('[DONE]')
  return frames.find((frame) => frame.error)?.error.code ?? null
}

function counted(body: object, output: number): bigint {
  return costMicros(app.rates, { input: countedInput(app.bodyOf(body)), output })
}

const stream = { stream: true }
const whole = { stream: false }

/** Creates a caller for concurrent calls, each with its own provider. */
async function newCaller(): Promise<Caller> {
  const at = await makeApplication(quick)
  providers.push(at.provider)
  return { at, by: await at.newUser({ balanceMicros: credit }) }
}

describe('a slow provider', () => {
  const slow: readonly (readonly [string, object, Behaviour])[] = [
    ['hangs before its head', whole, { hang: 'headers' }],
    ['hangs before its head', stream, { hang: 'headers' }],
    ['hangs after its head', whole, { hang: 'body' }],
    ['hangs after its head', stream, { hang: 'body' }],
    ['hangs half way', whole, { hang: 'mid' }],
    ['hangs before its usage', whole, { hang: 'before-usage' }],
    ['trickles a byte at a time', whole, { dripMs: 20 }],
    ['trickles a byte at a time', stream, { dripMs: 20 }],
  ]
  test.concurrent.each(slow.map((one) => ({ name: one[0], of: one })))(
    'a slow provider that $name ($of.1) causes no charge',
    async ({ of: [, body, behaviour] }) => {
      const caller = await newCaller()
      const ending = await ended(body, { chunks: pieces, usage, ...behaviour }, caller)
      expect(ending).toMatchObject({ status: 504, code: 'upstream_timeout', texts: [], charge: 0n })
      const [request] = await caller.by.requests()
      expect(request.status).toBe('released')
      const { attempts } = await caller.at.api('GET', `/v1/requests/${request.id}`)
      const host = `127.0.0.1:${caller.at.provider.port}`
      expect(attempts).toMatchObject([{ fault: { host, cause: 'no response in time' } }])
    },
  )

  test.concurrent('if the provider hangs after text was delivered, the gateway’s count is charged', async () => {
    const caller = await newCaller()
    const ending = await ended(stream, { chunks: pieces, usage, hang: 'mid' }, caller)
    expect(ending).toMatchObject({ status: 200, code: 'upstream_timeout', texts: pieces.slice(0, 3) })
    await expectCounted(caller, ending)
  })

  describe('if the provider keeps a stream open after its finish reason', () => {
    test.concurrent('the response is complete when no further byte arrives in time', async () => {
      const caller = await newCaller()
      const ending = await ended(stream, { chunks: pieces, usage, hang: 'before-usage' }, caller)
      expect(ending).toMatchObject({ status: 200, code: null, texts: pieces })
      expect(ending.answer.text).toContain('"finish_reason":"stop"')
      await expectCounted(caller, ending)
    })

    test('the response is complete although the connection stays alive', async () => {
      const patient = await startServer({ limits: { finishedMs: 50 } })
      const at = await makeApplication(patient)
      const by = await at.newUser({ balanceMicros: credit })
      const behaviour: Behaviour = { chunks: pieces, usage, hang: 'before-usage' }
      const ending = await ended(stream, behaviour, { at, by })
      expect(ending).toMatchObject({ status: 200, code: null, texts: pieces })
      await expectCounted({ at, by }, ending)
      at.provider.enqueue(behaviour)
      const converted = await fetch(`${at.gateway}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': by.key, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: at.model,
          max_tokens: 50,
          stream: true,
          messages: [{ role: 'user', content: 'x' }],
        }),
      })
      const text = await converted.text()
      expect(text).toContain('"stop_reason":"end_turn"')
      expect(text).toContain('event: message_stop')
      await at.provider.close()
      await patient.close()
    })
  })

  test.concurrent('if the provider sends slowly until its deadline, the gateway’s count is charged', async () => {
    const caller = await newCaller()
    const chunks = Array.from({ length: 200 }, (_, i) => ` word${i}`)
    const ending = await ended(stream, { chunks, chunkDelayMs: 40 }, caller)
    expect(ending).toMatchObject({ status: 200, code: 'upstream_timeout' })
    expect(ending.answer.text).toContain('(total, 3000 ms)')
    expect(ending.texts.length).toBeGreaterThan(10)
    expect(ending.texts).toEqual(chunks.slice(0, ending.texts.length))
    await expectCounted(caller, ending)
  })
})

async function expectCounted({ by, at }: Caller, { charge, texts }: Ending): Promise<void> {
  expect(charge).toBe(counted(stream, countedOutput(texts)))
  const [request] = await by.requests()
  expect(request.status).toBe('settled')
  const { usage: shown } = await at.api('GET', `/v1/requests/${request.id}`)
  expect(shown.tokenSource).toBe('estimated')
}

describe('the provider', () => {
  beforeEach(async () => {
    user = await app.newUser({ balanceMicros: credit })
  })

  describe('if the provider’s work did not reach the client, nothing is charged', () => {
    const page = { body: '<!doctype html><h1>Sign in</h1>', contentType: 'text/html', status: 200 }
    const jsonError = { status: 200, body: { error: { message: 'overloaded', code: 'overloaded' } } }
    const sse = { status: 200, contentType: 'text/event-stream' }
    const cases: readonly (readonly [string, object, Behaviour, number, string])[] = [
      ['cuts the connection', whole, { cutAfterChunks: 3 }, 502, 'upstream_error'],
      ['cuts the connection before any text', stream, { cutAfterChunks: 0 }, 502, 'upstream_error'],
      ['resets the connection', whole, { isReset: true }, 502, 'upstream_error'],
      ['resets the connection', stream, { isReset: true }, 502, 'upstream_error'],
      ['sends a body that is not JSON', whole, { brokenFrame: '{"choices":[' }, 502, 'upstream_error'],
      [
        'sends a first frame that is not JSON',
        stream,
        { ...sse, body: 'data: {"x":\n\n' },
        502,
        'upstream_error',
      ],
      ['sends an error under status 200', whole, jsonError, 503, 'upstream_overloaded'],
      ['sends an error under status 200', stream, jsonError, 503, 'upstream_overloaded'],
      [
        'sends an error as its first frame',
        stream,
        { ...sse, body: 'data: {"error":{"message":"no"}}\n\n' },
        502,
        'upstream_error',
      ],
      ['sends a page', whole, page, 502, 'upstream_error'],
      ['sends a page', stream, page, 502, 'upstream_error'],
      ['sends nothing', whole, { status: 200, body: '' }, 502, 'upstream_error'],
      ['sends nothing', stream, { ...sse, body: '' }, 502, 'upstream_truncated'],
      ['compresses', whole, { headers: { 'content-encoding': 'gzip' } }, 502, 'upstream_error'],
      ['compresses', stream, { headers: { 'content-encoding': 'gzip' } }, 502, 'upstream_error'],
      ...[
        [400, 400, 'upstream_rejected'],
        [401, 502, 'upstream_unauthorized'],
        [403, 502, 'upstream_unauthorized'],
        [404, 404, 'upstream_rejected'],
        [413, 413, 'upstream_rejected'],
        [402, 502, 'upstream_unpaid'],
        [422, 422, 'upstream_rejected'],
        [429, 429, 'upstream_rate_limited'],
        [500, 502, 'upstream_error'],
        [503, 503, 'upstream_overloaded'],
        [529, 503, 'upstream_overloaded'],
      ].flatMap(([theirs, ours, code]) =>
        [whole, stream].map((body): readonly [string, object, Behaviour, number, string] => [
          `answers ${theirs}`,
          body,
          { status: Number(theirs) },
          Number(ours),
          String(code),
        ]),
      ),
    ]
    test.each(cases.map((one) => ({ name: one[0], of: one })))(
      'a provider that $name ($of.1) causes no charge',
      async ({ of: [, body, behaviour, status, code] }) => {
        const ending = await ended(body, { chunks: pieces, usage, ...behaviour })
        expect(ending).toMatchObject({ status, code, texts: [], charge: 0n })
        const [request] = await user.requests()
        expect(request.status).toBe('released')
      },
    )

    test('the gateway does not send the key to the address of a provider’s redirect, and charges nothing', async () => {
      let visits = 0
      const elsewhere = createServer((_, response) => {
        visits++
        response.end('{}')
      }).listen(0, '127.0.0.1')
      await once(elsewhere, 'listening')
      const address = elsewhere.address()
      const port = typeof address === 'object' ? address?.port : null
      for (const body of [whole, stream]) {
        // oxlint-disable-next-line no-await-in-loop -- one call after the other
        const ending = await ended(body, { redirect: `http://127.0.0.1:${port}/v1/chat/completions` })
        expect(ending).toMatchObject({ status: 502, code: 'upstream_error', charge: 0n })
      }
      expect(visits).toBe(0)
      elsewhere.close()
    })

    test('a call to a provider that does not exist causes no charge', async () => {
      const gone = await makeApplication(server)
      await gone.provider.close()
      const person = await gone.newUser({ balanceMicros: credit })
      for (const body of [whole, stream]) {
        // oxlint-disable-next-line no-await-in-loop -- one call after the other
        const answer = await gone.call(person, body)
        expect([answer.status, answer.body.error.code]).toEqual([502, 'upstream_error'])
      }
      expect(await settledBalance(person)).toBe(credit)
    })
  })

  describe('if the provider fails after text was delivered, the gateway’s count of the input and of the delivered output is charged', () => {
    const first = pieces.slice(0, 3)
    const unfinished = pieces
      .map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`)
      .join('')
    const sse = { status: 200, contentType: 'text/event-stream' }
    const cases: readonly (readonly [string, Behaviour, readonly string[], string])[] = [
      ['cuts the connection', { cutAfterChunks: 2 }, pieces.slice(0, 2), 'upstream_error'],
      ['cuts the connection after its last text', { cutAfterChunks: 6 }, pieces, 'upstream_error'],
      ['breaks a frame', { brokenFrame: '{"choices":[{"delta":{"con' }, first, 'upstream_error'],
      ['reports an error', { brokenFrame: '{"error":{"message":"overloaded"}}' }, first, 'upstream_error'],
      ['stops without a finish', { ...sse, body: unfinished }, pieces, 'upstream_truncated'],
    ]
    test.each(cases)(
      'if the provider %s, the gateway’s count is charged',
      async (_, behaviour, delivered, code) => {
        const ending = await ended(stream, { chunks: pieces, usage, ...behaviour })
        expect(ending).toMatchObject({ status: 200, code, texts: delivered })
        await expectCounted({ at: app, by: user }, ending)
      },
    )

    test('if the provider cuts the connection and has sent more output than it reported, the gateway’s count is charged', async () => {
      const early = { prompt_tokens: 21, completion_tokens: 0, total_tokens: 21 }
      const behaviour = { chunks: pieces, usage: early, usageAt: 'middle', cutAfterChunks: 6 } as const
      const ending = await ended(stream, behaviour)
      expect(ending).toMatchObject({ code: 'upstream_error', texts: pieces })
      await expectCounted({ at: app, by: user }, ending)
    })

    test('if the provider cuts the connection after its usage report, the reported usage is charged', async () => {
      const ending = await ended(stream, { chunks: pieces, usage, usageAt: 'repeated', cutAfterChunks: 4 })
      expect(ending).toMatchObject({ code: 'upstream_error', texts: pieces.slice(0, 4) })
      expect(ending.charge).toBe(costMicros(app.rates, reported))
    })
  })

  describe('a provider that reports its usage', () => {
    test.each([
      ['at the end', {}],
      ['in the middle', { usageAt: 'middle' }],
      ['on every chunk', { usageAt: 'repeated' }],
      ['without a closing marker', { isDoneMissing: true }],
      ['a byte at a time', { splitBytes: 1 }],
      ['with carriage returns', { newline: '\r\n' }],
    ] as const)('usage that the provider reports %s is charged once', async (_, behaviour) => {
      const ending = await ended(stream, { chunks: pieces, usage, ...behaviour })
      expect(ending).toMatchObject({ status: 200, code: null, texts: pieces })
      expect(ending.charge).toBe(costMicros(app.rates, reported))
    })

    test.each([whole, stream])(
      'a usage of zero that the provider reports explicitly is charged as zero (%o)',
      async (body) => {
        const ending = await ended(body, {
          chunks: pieces,
          usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
        })
        expect(ending).toMatchObject({ status: 200, code: null, charge: 0n })
        const [request] = await user.requests()
        expect(request).toMatchObject({ status: 'settled', chargeMicros: '0' })
      },
    )

    const wrong: readonly unknown[] = [
      null,
      {},
      'many',
      ...[-1, 0.5, '12', 1e15, 100_000_001].flatMap((lie) => [
        { ...usage, completion_tokens: lie },
        { ...usage, prompt_tokens: lie },
      ]),
    ]
    test.each(wrong)(
      'a usage of %o is impossible, so the gateway’s count is charged and marked as estimated',
      async (lie) => {
        const long = { ...whole, max_tokens: 60 }
        const inWhole = await ended(long, { chunks: pieces, usage: lie })
        expect(inWhole).toMatchObject({ status: 200, code: null })
        const textBytes = pieces.join('').length + wholeFraming
        expect(inWhole.charge).toBe(counted(long, Math.ceil(textBytes / 3)))

        const inStream = await ended(stream, { chunks: pieces, usage: lie })
        expect(inStream).toMatchObject({ status: 200, code: null, texts: pieces })
        expect(inStream.charge).toBe(counted(stream, countedOutput(pieces)))
        const [request] = await user.requests()
        const { usage: shown } = await app.api('GET', `/v1/requests/${request.id}`)
        expect(shown.tokenSource).toBe('estimated')
      },
    )

    test('if the provider reports only one of the two counts, the gateway estimates the other, and the record is marked as an estimate', async () => {
      const { prompt_tokens, completion_tokens } = usage
      const input = await ended(stream, { chunks: pieces, usage: { prompt_tokens } })
      expect(input.charge).toBe(
        costMicros(app.rates, { input: prompt_tokens, output: countedOutput(pieces) }),
      )
      const output = await ended(stream, { chunks: pieces, usage: { completion_tokens } })
      expect(output.charge).toBe(counted(stream, completion_tokens))
      const inWhole = await ended(whole, { chunks: pieces, usage: { completion_tokens } })
      expect(inWhole.charge).toBe(counted(whole, completion_tokens))
      for (const { id } of await user.requests()) {
        const { usage: shown } = await app.api('GET', `/v1/requests/${id}`)
        expect(shown.tokenSource).toBe('estimated')
      }
    })

    test('the gateway’s count is never higher than the maximum output in the request to the provider', async () => {
      const told = { max_tokens: 4 }
      const inWhole = await ended({ ...whole, ...told }, { chunks: pieces, usage: null })
      expect(inWhole.charge).toBe(counted({ ...whole, ...told }, 4))
      const few = pieces.slice(0, 4)
      const inStream = await ended({ ...stream, ...told }, { chunks: few, usage: null })
      expect(inStream.texts).toEqual(few)
      expect(countedOutput(few)).toBeGreaterThan(4)
      expect(countedOutputTold(few, 4)).toBe(4)
      expect(inStream.charge).toBe(counted({ ...stream, ...told }, 4))
    })
  })

  describe('a call that used more than its hold', () => {
    const overdraft = 5_000n
    const policies = ['hard_token', 'grace', 'complete_message'] as const
    const limits = { max_tokens: 10 }
    let applications: Map<string, Application>
    beforeAll(async () => {
      applications = new Map()
      for (const terminationPolicy of policies) {
        const bundle = { terminationPolicy, maxOverdraftMicros: String(overdraft) }
        // oxlint-disable-next-line no-await-in-loop -- few
        applications.set(terminationPolicy, await makeApplication(server, { provider: app.provider, bundle }))
      }
    })

    test.each(
      policies.flatMap((policy) =>
        [whole, stream].flatMap((kind) => [
          { policy, kind, output: 450 },
          { policy, kind, output: 5_000 },
          // The largest token count that the gateway accepts. A call with this count costs hundreds of times the
          // balance of any end user in this test.
          { policy, kind, output: 100_000_000 },
        ]),
      ),
    )(
      'usage beyond the hold is settled under $policy: $output tokens, $kind',
      async ({ kind, output, policy }) => {
        const own = applications.get(policy)
        if (!own) throw new Error(policy)
        const body = { ...kind, ...limits }
        const held = worstMicros(own.rates, own.bodyOf(body), 10)
        // The balance equals the hold, so that any excess can only become debt.
        const person = await own.newUser({ balanceMicros: held })
        own.provider.enqueue({
          chunks: pieces,
          usage: { prompt_tokens: 20, completion_tokens: output, total_tokens: 20 + output },
        })
        const answer = await own.call(person, body)
        expect(answer.status).toBe(200)
        expect(codeOf(answer)).toBe(null)
        const cost = costMicros(own.rates, { input: 20, output })
        expect(cost).toBeGreaterThan(held)
        const charge =
          policy === 'complete_message' ? cost : min(cost, policy === 'grace' ? held + overdraft : held)
        expect(await settledBalance(person)).toBe(held - charge)
        const { settle } = await own.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
        expect(settle).toMatchObject({
          chargeMicros: String(charge),
          costMicros: String(cost),
          // The bundle has a single price, so the end user pays the charge, and the application pays the rest of the
          // cost.
          billedMicros: String(charge),
          overHoldMicros: String(cost - charge),
        })
      },
    )
  })
})

test('usage that a provider reports beyond the hold is charged to no one, and summed up separately', async () => {
  const person = await app.newUser({ balanceMicros: 1_000_000n })
  const body = { max_tokens: 20 }
  const held = worstMicros(app.rates, app.bodyOf(body), 20)
  const claimed = { prompt_tokens: 10, completion_tokens: 5_000, total_tokens: 5_010 }
  const cost = costMicros(app.rates, { input: 10, output: 5_000 })
  for (let i = 0; i < 2; i++) {
    app.provider.enqueue({ usage: claimed })
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect((await app.call(person, body)).status).toBe(200)
  }
  expect(await settledBalance(person)).toBe(1_000_000n - 2n * held)
  const sums = { billedMicros: String(2n * held), overHoldMicros: String(2n * (cost - held)) }
  expect((await app.api('GET', `/v1/usage?endUserId=${person.externalId}`)).totals).toMatchObject(sums)
  expect((await app.api('GET', `/v1/end-users/${person.externalId}`)).usage).toMatchObject(sums)
  const [last] = await person.requests()
  expect(last).toMatchObject({ chargeMicros: String(held), overHoldMicros: String(cost - held) })
})

describe('a client that disconnects', () => {
  beforeEach(async () => {
    user = await app.newUser({ balanceMicros: credit })
    app.provider.script({})
  })

  const readOn = (count: number): Promise<void> =>
    eventually(async () => {
      const { text } = await control(server, 'GET', '/metrics')
      expect(/^tollgate_drains (\d+)$/m.exec(text)?.[1]).toBe(String(count))
    })

  type Moment = 'body' | 'mid' | 'before-usage'
  const seen: Readonly<Record<Moment, readonly string[]>> = {
    body: [],
    mid: pieces.slice(0, 3),
    'before-usage': pieces,
  }
  const moments = (['body', 'mid', 'before-usage'] as const).flatMap((moment) =>
    [whole, stream].map((kind) => ({ moment, kind })),
  )

  /** All data before the given moment has arrived when the clients disconnect. */
  async function leaveAt(moment: Moment, kind: { stream: boolean }, { at, by }: Caller): Promise<void> {
    at.provider.enqueue({ chunks: pieces, usage, hang: moment })
    const abort = new AbortController()
    const arrived = arrival(at.provider)
    const answered = fetch(`${at.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${by.key}`, 'content-type': 'application/json' },
      body: at.bodyOf(kind),
      signal: abort.signal,
    })
    answered.catch(() => {})
    await arrived
    if (kind.stream && moment !== 'body') {
      const reader = (await answered).body?.getReader()
      let text = ''
      while (textsOf(wholeFrames(text)).length < seen[moment].length || !isAt(text, moment)) {
        // oxlint-disable-next-line no-await-in-loop -- one piece after the other
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
        if (done) throw new Error(`the stream ended early: ${text}`)
        text += Buffer.from(value).toString()
      }
    }
    abort.abort()
  }

  function wholeFrames(text: string): string {
    return text.slice(0, text.lastIndexOf('\n\n') + 2)
  }

  function isAt(text: string, moment: Moment): boolean {
    return moment !== 'before-usage' || text.includes('"finish_reason":"stop"')
  }

  async function chargeOfTheOne(by = user): Promise<bigint> {
    const request = await eventually(async () => {
      const [first] = await by.requests()
      expect(first?.status).toBe('settled')
      return first
    })
    const balance = await settledBalance(by)
    expect(request).toMatchObject({ errorCode: 'client_left', chargeMicros: String(credit - balance) })
    return credit - balance
  }

  test.each(moments)(
    'if the client disconnects at $moment and the usage arrives, the usage is charged ($kind)',
    async ({ kind, moment }) => {
      await leaveAt(moment, kind, { at: app, by: user })
      await readOn(1)
      app.provider.release()
      expect(await chargeOfTheOne()).toBe(costMicros(app.rates, reported))
    },
  )

  test.each(moments)(
    'if the client disconnects at $moment and the usage never arrives, the gateway’s count is charged ($kind)',
    async ({ kind, moment }) => {
      const by = await hasty.newUser({ balanceMicros: credit })
      await leaveAt(moment, kind, { at: hasty, by })
      const call = hasty.provider.calls.at(-1)
      const charge = await chargeOfTheOne(by)
      // A client of a non-streaming response has received nothing of it.
      const output = kind.stream ? countedOutput(seen[moment]) : 0
      const input = countedInput(hasty.bodyOf(kind))
      expect(charge).toBe(costMicros(hasty.rates, { input, output }))
      await call?.cut
      hasty.provider.release()
    },
  )

  test('if the client disconnects and the provider continues without end, the stream is cut and the gateway’s count is charged', async () => {
    app.provider.enqueue({ isEndless: true, chunks: [' more'], chunkDelayMs: 5 })
    const abort = new AbortController()
    const arrived = arrival(app.provider)
    const response = await fetch(`${app.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: app.bodyOf(stream),
      signal: abort.signal,
    })
    await response.body?.getReader().read()
    const call = await arrived
    abort.abort()
    await call.cut
    const charge = await chargeOfTheOne()
    const [request] = await user.requests()
    const { usage: shown } = await app.api('GET', `/v1/requests/${request.id}`)
    expect(shown).toMatchObject({ tokenSource: 'estimated', input: countedInput(app.bodyOf(stream)) })
    // About 43 tokens reached the client: 4,096 bytes of frames, with about 190 bytes and two tokens in each frame.
    expect(shown.output).toBeGreaterThan(10)
    expect(shown.output).toBeLessThan(120)
    expect(charge).toBe(costMicros(app.rates, { input: shown.input, output: shown.output }))
  })

  test('if many clients disconnect, the gateway reads a limited number of their provider streams to the end, and cuts the rest', async () => {
    const crowd = 10
    const drained = 3
    const kind = whole
    app.provider.script({ chunks: pieces, usage, hang: 'body' })
    const abort = new AbortController()
    const reachedBefore = app.provider.calls.length
    const calls = Array.from({ length: crowd }, () => app.call(user, kind, { signal: abort.signal }))
    const all = Promise.allSettled(calls)
    await eventually(async () => expect(app.provider.calls).toHaveLength(reachedBefore + crowd))
    abort.abort()
    await all
    await readOn(drained)
    app.provider.release()
    await eventually(async () => {
      const requests = await user.requests()
      expect(requests).toHaveLength(crowd)
      expect(requests.every(({ status }) => status === 'settled')).toBe(true)
    })
    const byUs = costMicros(app.rates, { input: countedInput(app.bodyOf(kind)), output: 0 })
    const byThem = costMicros(app.rates, reported)
    expect(byUs).not.toBe(byThem)
    expect(credit - (await settledBalance(user))).toBe(
      BigInt(drained) * byThem + BigInt(crowd - drained) * byUs,
    )
  })

  test.each([
    ['no usage', {}],
    // The provider reports 9 output tokens before its first text.
    ['a usage before most of its output', { usage, usageAt: 'middle' }],
  ] as const)(
    'a client that keeps its connection open without reading counts as disconnected, if the provider has reported %s',
    async (_, behaviour) => {
      const by = await hasty.newUser({ balanceMicros: credit })
      hasty.provider.enqueue({ isEndless: true, chunks: [' more'.repeat(200)], ...behaviour })
      const body = hasty.bodyOf({ ...stream, max_tokens: 1_000_000 })
      const arrived = arrival(hasty.provider)
      const socket = connect(hasty.gatewayPort, '127.0.0.1')
      await once(socket, 'connect')
      socket.pause()
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:${hasty.gatewayPort}\r\n` +
          `Authorization: Bearer ${by.key}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      )
      const call = await arrived
      await call.cut
      const charge = await chargeOfTheOne(by)
      const [request] = await by.requests()
      const { usage: shown } = await hasty.api('GET', `/v1/requests/${request.id}`)
      expect(shown.tokenSource).toBe('estimated')
      expect(shown.output).toBeGreaterThan(1_000)
      expect(charge).toBe(costMicros(hasty.rates, { input: shown.input, output: shown.output }))
      socket.destroy()
    },
  )

  test('if a client first stops reading and then disconnects, its provider stream is still read to the usage', async () => {
    const stallMs = 1_500
    const patient = await startServer({ limits: { drainMs: 60_000, drainBytesMax: 2 ** 26, stallMs } })
    const at = await makeApplication(patient)
    const by = await at.newUser({ balanceMicros: 1_000n * credit })
    // The text is larger than all buffers between the gateway and the client.
    const chunks = Array.from({ length: 200 }, () => ' more'.repeat(20_000))
    at.provider.enqueue({ chunks, usage, hang: 'before-usage' })
    const body = at.bodyOf({ ...stream, max_tokens: 10_000_000 })
    const arrived = arrival(at.provider)
    const socket = connect(at.gatewayPort, '127.0.0.1')
    await once(socket, 'connect')
    socket.pause()
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:${at.gatewayPort}\r\n` +
        `Authorization: Bearer ${by.key}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    )
    await arrived
    await delay(stallMs / 3)
    socket.destroy()
    // The client would now count as disconnected because it did not read.
    await delay(stallMs)
    at.provider.release()
    await eventually(async () => expect((await by.requests())[0]?.status).toBe('settled'))
    const [request] = await by.requests()
    expect(request).toMatchObject({
      errorCode: 'client_left',
      chargeMicros: String(costMicros(at.rates, reported)),
    })
    await at.provider.close()
    await patient.close()
  })

  test('if a client disconnects during the look-up of its key, no call remains open in the server', async () => {
    // The look-up of the key runs on a thread, like on a slow disk, so its result arrives after the client has
    // disconnected.
    const threaded = await startServer({ environment: { TOLLGATE_WRITER: 'thread' } })
    const own = await makeApplication(threaded, { provider: app.provider })
    const body = own.bodyOf(whole)
    for (let i = 0; i < 100; i++) {
      /* oxlint-disable no-await-in-loop -- each with a key that the gateway has never seen */
      const person = await own.newUser({ balanceMicros: credit })
      const socket = connect(own.gatewayPort, '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      const request =
        `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:${own.gatewayPort}\r\n` +
        `Authorization: Bearer ${person.key}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body.slice(0, i % 2 === 0 ? undefined : 40)}`
      await new Promise((resolve) => socket.write(request, resolve))
      // Most of the requests overlap, because a key look-up takes longer than detecting a closed connection.
      if (i % 4 === 0) await delay((i % 10) / 5)
      socket.destroy()
      /* oxlint-enable no-await-in-loop */
    }
    // Closing the server waits for every call, and fails if a call does not end.
    await threaded.close()
  })

  test('if a client disconnects immediately, the call is charged if and only if the provider was called', async () => {
    const kind = { ...whole, max_tokens: 20 }
    const body = app.bodyOf(kind)
    app.provider.script({ chunks: pieces, usage })
    const reachedBefore = app.provider.calls.length
    const trials = 200
    for (let i = 0; i < trials; i++) {
      const socket = connect(app.gatewayPort, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:${app.gatewayPort}\r\n` +
          `Authorization: Bearer ${user.key}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body.slice(0, i % 2 === 0 ? undefined : 40)}`,
      )
      /* oxlint-disable no-await-in-loop -- each leaves a little later than the one before */
      await once(socket, 'connect')
      await delay((i % 20) / 10)
      socket.destroy()
      /* oxlint-enable no-await-in-loop */
    }
    await eventually(async () => {
      const { reservedMicros } = await user.balance()
      expect(reservedMicros).toBe(0n)
      const reached = app.provider.calls.length - reachedBefore
      const requests = await user.requests()
      expect(requests.filter(({ status }) => status === 'settled')).toHaveLength(reached)
    })
    const reached = app.provider.calls.length - reachedBefore
    const requests = await user.requests()
    // Half of the clients never sent their whole request, and some of the other clients disconnected before the gateway
    // reserved money.
    expect(reached).toBeLessThanOrEqual(trials / 2)
    for (const { chargeMicros, status } of requests) {
      const isCharged = status === 'settled'
      const amounts = isCharged
        ? [
            costMicros(app.rates, reported),
            // If the gateway already reads too many streams without a client, it closes a further stream immediately.
            costMicros(app.rates, { input: countedInput(body), output: 0 }),
          ]
        : [0n]
      expect(amounts).toContain(BigInt(chargeMicros))
    }
    await settledBalance(user)
  })
})
