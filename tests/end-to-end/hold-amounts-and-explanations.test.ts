import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  eventually,
  makeApplication,
  startServer,
  type Answer,
  type Application,
} from '../support/start-product.ts'
import { databaseOf } from '../support/reused-databases.ts'
import { testedEngines } from '../support/reduced-suite.ts'

const prompt = 'The gateway meters each call that passes it and charges what was used. '.repeat(30)
const body = { messages: [{ role: 'user', content: prompt }], max_tokens: 20 }

function explain(app: Application, answer: Answer): Promise<Answer['body']> {
  return eventually(() => app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`))
}

/** Each byte of the call's text counts as one token, and the hold also covers one output token. */
async function leastByBytes(app: Application): Promise<bigint> {
  const rich = await app.newUser({ balanceMicros: 1_000_000n })
  const { quote } = await explain(app, await app.call(rich, body))
  expect(quote.textTokensBy).toBe('bytes')
  return held(app, quote.textTokensMax, 1)
}

function held({ rates }: Application, textTokens: number, outputTokens: number): bigint {
  return (BigInt(textTokens) * rates.input + BigInt(outputTokens) * rates.output + 999_999n) / 1_000_000n
}

describe.each(testedEngines)('on %s', (engine) => {
  test('a text that the balance covers only with an exact token count is admitted every time, even by a new server', async () => {
    const store = await databaseOf(engine)
    const environment = { TOLLGATE_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
    const options = store === null ? {} : { databaseUrl: store.url, environment }
    const server = await startServer(options)
    const acme = await makeApplication(server)
    const balanceMicros = (await leastByBytes(acme)) - 1n
    // Some engines do not allow a second process.
    const { folder, token } = server
    const second = store === null ? null : await startServer({ ...options, folder, token })
    const places = second === null ? [acme] : [acme, await acme.again(second)]
    for (const app of places) {
      for (let i = 0; i < 3; i++) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other: the first finds a cold thread
        const user = await acme.newUser({ balanceMicros })
        // oxlint-disable-next-line no-await-in-loop
        const answer = await app.call(user, body)
        expect([answer.status, answer.body.error]).toEqual([200, undefined])
        // oxlint-disable-next-line no-await-in-loop
        const { quote, reserve } = await explain(acme, answer)
        expect(quote.textTokensBy).toBe('tokenizer')
        expect(held(acme, quote.textTokensMax, 20)).toBeGreaterThan(0n)
        expect(reserve.firstWorstMicros).toBe(
          String(held(acme, quote.textTokensMax, reserve.outputTokensPerChoice)),
        )
      }
    }
    await second?.close()
    await server.close()
    await store?.drop()
  })

  test('the hold for an image covers the tokens of its size, and explain shows them', async () => {
    const store = await databaseOf(engine)
    const server = await startServer(store === null ? {} : { databaseUrl: store.url })
    const acme = await makeApplication(server)
    const picture = readFileSync(new URL('../../docs/pictures/portal-home.png', import.meta.url))
    const patches = [16, 20].map((at) => Math.ceil(picture.readUInt32BE(at) / 14))
    const tokens = Math.min(16_000, Math.max(6_400, (patches[0] ?? 0) * (patches[1] ?? 0)))
    const asking = (url: string): object => ({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
      max_tokens: 20,
    })
    const rich = await acme.newUser({ balanceMicros: 1_000_000n })
    const known = asking(`data:image/png;base64,${picture.toString('base64')}`)
    const { quote, reserve } = await explain(acme, await acme.call(rich, known))
    expect(quote.imageTokensMax).toBe(tokens)
    expect(reserve.firstWorstMicros).toBe(String(held(acme, quote.textTokensMax + tokens, 20)))
    const unknown = await explain(acme, await acme.call(rich, asking('https://example.com/a.png')))
    expect(unknown.quote.imageTokensMax).toBe(16_000)
    await server.close()
    await store?.drop()
  })

  test('the explanation of a rejection shows the limit that caused the rejection', async () => {
    const store = await databaseOf(engine)
    const server = await startServer(store === null ? {} : { databaseUrl: store.url })
    const acme = await makeApplication(server)
    const poor = await acme.newUser({ balanceMicros: 1n })
    const answer = await acme.call(poor, body)
    expect(answer.status).toBe(402)
    const { quote } = await explain(acme, answer)
    expect(quote.textTokensBy).toBe('bytes')
    expect(String(held(acme, quote.textTokensMax, 1))).toBe(answer.body.error.requested)
    await server.close()
    await store?.drop()
  })

  test('the record contains the cost that the provider states and the cost that the gateway computes', async () => {
    const store = await databaseOf(engine)
    const server = await startServer(store === null ? {} : { databaseUrl: store.url })
    const acme = await makeApplication(server)
    const ada = await acme.newUser({ balanceMicros: 1_000_000n })
    acme.provider.script({
      usage: { prompt_tokens: 20, completion_tokens: 2, total_tokens: 42, cost: 0.00004 },
    })
    for (const stream of [false, true]) {
      // oxlint-disable-next-line no-await-in-loop -- the second is the same, streamed
      const answer = await acme.call(ada, { stream })
      // oxlint-disable-next-line no-await-in-loop
      const { usage, settle } = await explain(acme, answer)
      expect(JSON.stringify(answer.body)).not.toContain('cost')
      expect(usage).toMatchObject({ input: 20, output: 22, reasoning: 20, statedCostNanos: 40_000 })
      expect(settle.costMicros).toBe(String(held(acme, 20, 22)))
    }
    acme.provider.script({
      usage: {
        prompt_tokens: 20,
        completion_tokens: 2,
        prompt_tokens_details: { cached_tokens: 15, audio_tokens: 15 },
      },
    })
    const { usage, summary } = await explain(acme, await acme.call(ada))
    expect(usage).toMatchObject({
      cacheRead: 15,
      audioInput: 15,
      isMediaWithin: true,
      tokenSource: 'estimated',
    })
    expect(summary).toContain('estimated')
    await server.close()
    await store?.drop()
  })
})
