/** The hold covers the model's input, and not much more (docs/reference/tokens.md "Stored conversations"). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import {
  models,
  startConversationProvider,
  type ConversationProvider,
} from '../support/provider-with-stored-conversations.ts'
import {
  connectConversations,
  heldByMaximum,
  startTalk,
  type Held,
  type Talk,
} from '../support/random-conversation-steps.ts'
import {
  answerOf,
  connectAccount,
  eventually,
  makeApplication,
  settledBalance,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'
import { randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'
import { sizeOf } from '../support/start-several-processes.ts'

const windowTokens = 400_000

let server: LocalServer
let app: Application
let provider: ConversationProvider
let vendor: Vendor

beforeAll(async () => {
  const background = { ...gatewayLimits.background, firstMs: 20, maxMs: 50 }
  server = await startServer({ mayLogFaults: true, limits: { background } })
  app = await makeApplication(server)
  provider = await startConversationProvider()
  await connectConversations(app, provider)
  vendor = await startVendor()
  const account = { kind: 'openai', baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey }
  const price = { input: '1000000', cacheWrite: '1000000', output: '2000000' }
  await connectAccount(app, 'vendor', { ...account, model: 'gpt-5', price })
})
afterAll(async () => {
  await app.provider.close()
  await provider.close()
  await vendor.close()
  await server.close()
})

async function newTalk(
  model = 'acme/fine',
  balanceMicros = 1_000_000_000n,
): Promise<{ readonly talk: Talk; readonly user: User }> {
  const user = await app.newUser({ balanceMicros })
  const talk = await startTalk(async (method, path, body) => {
    const headers = {
      authorization: `Bearer ${user.key}`,
      'content-type': 'application/json',
      'x-svc-model': model,
    }
    const asked = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    return answerOf(await fetch(`${app.gateway}${path}`, asked))
  })
  return { talk, user }
}

const heldBy = async (user: User, max: number): Promise<Held | undefined> =>
  (await heldByMaximum(app, await user.requests())).get(max)

describe('the hold of a stored conversation', () => {
  test('the hold grows with the conversation instead of covering the context window', async () => {
    const { talk, user } = await newTalk()
    for (const more of [{}, { stream: true }, {}]) {
      // oxlint-disable-next-line no-await-in-loop -- one turn after the other
      const { max, status } = await talk.respond('How are you?', more)
      expect(status).toBe(200)
      // oxlint-disable-next-line no-await-in-loop -- as above
      const { held = 0 } = (await heldBy(user, max)) ?? {}
      const read = provider.read.get(max) ?? Infinity
      expect(held).toBeGreaterThanOrEqual(read)
      expect(held).toBeLessThan(read + 300)
    }
  })

  test.each(['error', 'cut', 'silent'])(
    'the hold covers the context window after a response of unknown length (%s), until a response reports its length',
    async (fault) => {
      const { talk, user } = await newTalk()
      await talk.respond(`#${fault}`)
      await provider.idle()
      const unknown = await talk.respond('Hello')
      expect(await heldBy(user, unknown.max)).toMatchObject({ held: windowTokens })
      const known = await talk.respond('Hello')
      expect((await heldBy(user, known.max))?.held).toBeLessThan(1_000)
    },
  )

  test.each(['reject', 'busy'])(
    'a request that the provider rejects (%s) does not change the hold of the next request',
    async (fault) => {
      const { talk, user } = await newTalk()
      await talk.respond('Hello')
      await talk.respond(`#${fault}`)
      const { max } = await talk.respond('Hello')
      expect((await heldBy(user, max))?.held).toBeLessThan(1_000)
    },
  )

  test('the hold covers the context window if the model changes, or if a response may have truncated the conversation', async () => {
    const { talk, user } = await newTalk()
    await talk.respond('Hello', { model: 'acme/coarse' })
    const other = await talk.respond('Hello')
    expect(await heldBy(user, other.max)).toMatchObject({ held: windowTokens })
    await talk.respond('Hello', { truncation: 'auto' })
    const after = await talk.respond('Hello')
    expect(await heldBy(user, after.max)).toMatchObject({ held: windowTokens })
  })

  test('the hold covers the context window once the conversation has content at an address, because the content may grow', async () => {
    const { talk, user } = await newTalk()
    const content = [{ type: 'input_file', file_url: 'https://files.example/a.pdf' }]
    expect((await talk.add(content)).status).toBe(200)
    for (let turn = 0; turn < 2; turn++) {
      // oxlint-disable-next-line no-await-in-loop -- one turn after the other
      const { max } = await talk.respond('Hello')
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(await heldBy(user, max)).toMatchObject({ held: windowTokens })
    }
  })

  test('the preview of a route with the conversation shows the hold that the request will have', async () => {
    const { talk, user } = await newTalk()
    const preview = (max: number, endUserId: string) =>
      app.api('POST', '/v1/routers/acme%2Ffine/plan', {
        wire: 'responses',
        endUserId,
        request: { input: 'Hello', conversation: talk.id, max_output_tokens: max },
      })
    const heldInPreview = async (max: number): Promise<number> => {
      const { refusal, targets } = await preview(max, user.externalId)
      expect(refusal).toBeNull()
      return Number(targets[0].worstMicros) - 2 * max
    }
    await talk.respond('Hello')
    const { max } = await talk.respond('Hello')
    const { held = 0 } = (await heldBy(user, max)) ?? {}
    const later = await heldInPreview(max)
    expect(later).toBeGreaterThan(held)
    expect(later).toBeLessThan(held + 1_000)
    const next = await talk.respond('Hello')
    expect(await heldBy(user, next.max)).toMatchObject({ held: later })

    await talk.respond('Hello', { truncation: 'auto' })
    expect(await heldInPreview(max)).toBe(windowTokens)
    const stranger = await app.newUser({ balanceMicros: 1n })
    expect((await preview(max, stranger.externalId)).refusal).toMatchObject({ code: 'not_found' })
  })

  test('a balance that does not cover the window is enough for a short conversation', async () => {
    const { talk, user } = await newTalk('acme/fine', 10_000n)
    for (let turn = 0; turn < 2; turn++) {
      // oxlint-disable-next-line no-await-in-loop -- one turn after the other
      expect((await talk.respond('Hello')).status).toBe(200)
    }
    await settledBalance(user)
  })

  test('a request of a conversation is sent only once, because the provider may still add the response after a failure', async () => {
    const sources = Object.values(models).map((model) => ({ provider: 'talks', model }))
    await app.api('PUT', `/v1/models/${encodeURIComponent('acme/both')}`, { sources })
    const { talk, user } = await newTalk()
    const { started } = provider
    const failed = await talk.respond('#error Hello', { model: 'acme/both' })
    expect([failed.status, provider.started - started]).toEqual([502, 1])
    const [record] = await user.requests()
    const { route } = await app.api('GET', `/v1/requests/${record.id}`)
    expect(route.candidates[1]).toMatchObject({ skipCode: 'sent_once' })
  })

  test('the hold is large enough for random concurrent requests, whatever request or item fails', async () => {
    const seed = seedOfRun()
    const rounds = sizeOf('CONVERSATION_ROUNDS', 6)
    console.log(`holds-of-continued-conversations: SEED=${seed}`)
    await withSeed(seed, async () => {
      const random = randomFrom(seed)
      const counts = { read: 0, small: 0, statuses: new Map<number, number>() }
      for (let round = 0; round < rounds; round++) {
        // oxlint-disable no-await-in-loop -- one conversation after the other
        const { talk, user } = await newTalk()
        await talk.steps(random, 40)
        await provider.idle()
        const held = await heldByMaximum(app, await user.requests())
        for (const [max, { held: tokens }] of held) {
          const read = provider.read.get(max)
          if (read === undefined) continue
          expect(tokens, `request with max_output_tokens ${max}`).toBeGreaterThanOrEqual(read)
          counts.read++
          if (tokens < windowTokens) counts.small++
        }
        for (const status of talk.statuses)
          counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
        await settledBalance(user)
        // oxlint-enable no-await-in-loop
      }
      console.log('holds-of-continued-conversations:', counts, 'locked at the provider:', provider.locked)
      expect(counts.small).toBeGreaterThan(counts.read / 10)
    })
  }, 120_000)

  test('while a request continues the conversation, requests and new items return conversation_locked', async () => {
    const { talk, user } = await newTalk()
    const locked = provider.locked
    const first = talk.respond('#slow Hello')
    await provider.running()
    const others = await Promise.all(Array.from({ length: 6 }, () => talk.respond('Hello')))
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([409]))
    expect(await talk.add('Hello')).toMatchObject({
      status: 409,
      body: { error: { code: 'conversation_locked' } },
    })
    provider.release()
    expect((await first).status).toBe(200)
    expect(provider.locked).toBe(locked)
    await settledBalance(user)
    expect((await talk.respond('Hello')).status).toBe(200)
  })

  test('a background response locks the conversation until the response has ended, even if it is canceled', async () => {
    const { talk, user } = await newTalk('acme/vendor')
    const more = { model: 'acme/vendor' }
    const begun = await talk.respond('[[tokens=20 delay=10ms]]', { ...more, background: true })
    expect(begun.status).toBe(200)
    expect((await talk.respond('Hello', more)).status).toBe(409)
    const { max } = await eventually(async () => {
      const next = await talk.respond('Hello', more)
      expect(next.status).toBe(200)
      return next
    })
    expect((await heldBy(user, max))?.held).toBeLessThan(1_000)
    const hanging = await talk.respond('[[hang]]', { ...more, background: true })
    expect((await talk.respond('Hello', more)).status).toBe(409)
    expect((await talk.send('POST', `/v1/responses/${hanging.id}/cancel`)).status).toBe(200)
    const after = await eventually(async () => {
      const next = await talk.respond('Hello', more)
      expect(next.status).toBe(200)
      return next
    })
    expect(await heldBy(user, after.max)).toMatchObject({ held: windowTokens })
    await settledBalance(user)
  })
})
