import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, settledBalance, type User } from '../support/start-product.ts'
import type { VendorCall } from '../support/simulated-vendor.ts'
import { emptyBecause, type Case } from './cases-without-clients.ts'
import type { Client, Heard, Order, Place, Schema, WireName } from './client-interface.ts'
import { clients } from './list-of-clients.ts'
import { startWorld, wireOf, type UpstreamName, type World } from './start-application-with-upstreams.ts'
import { sampledCells } from './sampled-client-upstream-pairs.ts'

const credit = 100_000_000n

/** Tests every feature that client and upstream support, and every failure. */
export function testClientsOf(wire: WireName): void {
  let world: World
  /** Only tests that check no balance use this end user. */
  let anybody: User
  /**
   * Errors that a client throws where its caller cannot catch them. An uncaught error would end the process of a real
   * caller.
   */
  const uncaught: unknown[] = []
  const onUncaught = (reason: unknown): void => void uncaught.push(reason)
  beforeAll(async () => {
    process.on('unhandledRejection', onUncaught)
    world = await startWorld()
    anybody = await newUser()
  })
  afterAll(async () => {
    await world.close()
    process.off('unhandledRejection', onUncaught)
    expect(uncaught).toEqual([])
  })
  const newUser = (balanceMicros = credit): Promise<User> => world.app.newUser({ balanceMicros })

  const own = clients.filter((client) => client.wire === wire)
  for (const { client, upstream } of sampledCells(own)) {
    describe(`${client.name} at ${upstream}`, () => {
      testCell(client, upstream)
    })
  }

  function testCell(client: Client, upstream: UpstreamName): void {
    const spoken = wireOf(upstream, client.wire)
    const cell = (asked: Case, name: string, isStream: boolean, run: () => Promise<void>): void => {
      const reason = emptyBecause(client, spoken, asked, isStream)
      test.skipIf(reason !== null)(`${name}${reason === null ? '' : ` (${reason})`}`, run)
    }
    const place = (change: Partial<Place> = {}): Place => ({
      gateway: world.app.gateway,
      key: anybody.key,
      model: `acme/${upstream}`,
      retriesMax: null,
      ...change,
    })
    const converse = async (
      order: Order,
      { key } = anybody,
    ): Promise<Heard & { readonly calls: readonly VendorCall[] }> => {
      const before = world.vendor.calls.length
      const heard = await client.converse(place({ key }), order)
      const calls = world.vendor.calls.slice(before)
      expect(world.vendor.strays).toEqual([])
      expect(calls.map((call) => [call.wire, call.status])).toEqual(calls.map(() => [spoken, 200]))
      return { ...heard, calls }
    }

    for (const isStream of [false, true]) {
      const how = isStream ? 'streamed' : 'non-streaming'

      cell('text', `the client reads a text, ${how}`, isStream, async () => {
        const user = await newUser()
        const { calls, texts } = await converse({ turns: ['[[text=Grüß Gott, 世界]]'], isStream }, user)
        expect(texts).toEqual(['Grüß Gott, 世界'])
        expect(calls).toHaveLength(1)
        expect(await settledBalance(user)).toBeLessThan(credit)
      })

      cell('text', `the client continues a conversation, ${how}`, isStream, async () => {
        const turns = ['[[text=One]]', '[[text=Two]]']
        const { calls, texts } = await converse({ turns, isStream })
        expect(texts).toEqual(['One', 'Two'])
        expect(calls.at(-1)?.text).toMatch(/\[\[text=One\]\].*One.*\[\[text=Two\]\]/s)
      })

      cell(
        'two tools',
        `the client calls two tools together and returns their results, ${how}`,
        isStream,
        async () => {
          const weather = weatherTool()
          const { calls, texts } = await converse({ turns: [twoCalls], tools: [weather], isStream })
          expect(weather.ran).toEqual([{ city: 'Ulm' }, { city: 'Köln' }])
          expect(calls).toHaveLength(2)
          expect(calls[1]?.text).toMatch(/sunny in Ulm.*sunny in Köln/s)
          expect(texts[0]).toMatch(/^This is the Tollgate simulator/)
        },
      )

      cell('one tool', `the client calls a tool without arguments, ${how}`, isStream, async () => {
        const ran: unknown[] = []
        const now = {
          name: 'now',
          description: 'The time',
          parameters: closed({}),
          run: (args: unknown) => (ran.push(args), 'noon'),
        }
        const { calls } = await converse({ turns: ['[[tool=now {}]]'], tools: [now], isStream })
        expect(ran).toEqual([{}])
        expect(calls[1]?.text).toContain('noon')
      })

      cell('image', `the client sends an image, ${how}`, isStream, async () => {
        const { calls, texts } = await converse({ turns: ['[[text=A dot]]'], image: dot, isStream })
        expect(texts).toEqual(['A dot'])
        expect(calls[0]?.text).toContain(dot)
      })

      cell('schema', `the client reads an answer that matches a schema, ${how}`, isStream, async () => {
        const schema = closed({ city: { type: 'string' }, days: { type: 'integer' } })
        const { texts } = await converse({ turns: ['Where, in JSON?'], schema, isStream })
        expect(JSON.parse(texts[0] ?? '')).toEqual({ city: expect.any(String), days: expect.any(Number) })
      })

      cell('thoughts', `the client shows thoughts, ${how}`, isStream, async () => {
        const { texts, thoughts } = await converse({
          turns: ['[[reasoning=12 text=So be it]]'],
          thinks: true,
          isStream,
        })
        expect(texts).toEqual(['So be it'])
        expect(thoughts.split(' ')).toHaveLength(12)
      })

      cell('seals', `the client returns sealed thoughts unchanged, ${how}`, isStream, async () => {
        const turns = ['[[reasoning=12 text=Yes]]', 'And now? [[text=No]]']
        const { calls, texts } = await converse({ turns, thinks: true, isStream })
        expect(texts).toEqual(['Yes', 'No'])
        // The fake vendor accepts signatures of its own thoughts, and rejects signatures of other vendors.
        expect(calls[1]?.text).toMatch(sealOf[spoken])
      })

      cell(
        'seals on calls',
        `the client returns sealed thoughts before tool calls, ${how}`,
        isStream,
        async () => {
          const weather = weatherTool()
          const turns = [`[[reasoning=12]]${twoCalls}`]
          const { calls } = await converse({ turns, tools: [weather], thinks: true, isStream })
          expect(weather.ran).toHaveLength(2)
          expect(calls[1]?.text).toMatch(sealOf[spoken])
        },
      )
    }

    cell('count', 'the client counts tokens without a charge', false, async () => {
      const user = await newUser()
      const at = place({ key: user.key })
      const short = await client.count?.(at, 'How long is this?')
      const long = await client.count?.(at, 'How long is this, which is a good deal longer?')
      expect(short).toBeGreaterThan(3)
      expect(long).toBeGreaterThan(short ?? Infinity)
      expect(await settledBalance(user)).toBe(credit)
    })

    const ask = (isStream: boolean): Order => ({ turns: ['[[text=Hello]]'], isStream })

    test.each([false, true])(
      'if the key is wrong, the client throws an error with the status 401 (streamed: %s)',
      async (isStream) => {
        const before = world.vendor.calls.length
        const wrong = place({ key: `${anybody.key.slice(0, -4)}zzzz` })
        const error = await failureOf(client, client.converse(wrong, ask(isStream)))
        expect(error.status).toBe(401)
        expect(error.text).toMatch(/invalid_key|key/)
        expect(world.vendor.calls).toHaveLength(before)
      },
    )

    test.each([false, true])(
      'if the balance is empty, the client throws an error with the status 402 after one request (streamed: %s)',
      async (isStream) => {
        const user = await newUser(10n)
        const before = world.vendor.calls.length
        const error = await failureOf(client, client.converse(place({ key: user.key }), ask(isStream)))
        expect(error.status).toBe(402)
        expect(error.text).toContain('insufficient_credit')
        await eventually(async () => expect(await user.requests()).toHaveLength(1))
        expect(world.vendor.calls).toHaveLength(before)
      },
    )

    test.each([false, true])(
      'if the vendor returns 429, the client throws an error with this status (streamed: %s)',
      async (isStream) => {
        const user = await newUser()
        const at = place({ key: user.key, retriesMax: 0 })
        const error = await failureOf(client, client.converse(at, { turns: ['[[fail=429]]'], isStream }))
        expect(error.status).toBe(429)
        if (client.cannot['retry-after'] === undefined) expect(error.retryAfter).toBe('2')
        expect(await settledBalance(user)).toBe(credit)
      },
    )

    describe('exhausted credit', () => {
      const run = async (order: Omit<Order, 'isStream'>): Promise<void> => {
        const user = await newUser(lowCredit)
        const short = place({ key: user.key, model: `acme/${upstream}/short` })
        const error = await failureOf(client, client.converse(short, { ...order, isStream: true }))
        if (client.cannot.code === undefined) expect(error.text).toContain('spend_limit_exceeded')
        // If the client retries a request, the gateway rejects the retry and sends it to no provider.
        const requests = await user.requests()
        expect(requests.map(({ errorCode }) => errorCode)).toEqual(['spend_limit_exceeded'])
        expect(await settledBalance(user)).toBeLessThan(lowCredit / 2n)
      }

      test('if the credit is used up in the middle of a text, the client throws an error', () =>
        run({ turns: ['[[tokens=6000 ignore-max hang]]'] }))

      cell(
        'cut thoughts',
        'if the credit is used up in the middle of thoughts, the client throws an error',
        true,
        () => run({ turns: ['[[reasoning=6000 ignore-max hang]]'], thinks: true }),
      )

      cell(
        'cut calls',
        'if the credit is used up in the middle of a tool call, the client throws an error and does not run the tool',
        true,
        async () => {
          const ran: unknown[] = []
          const save = {
            name: 'save',
            description: 'Saves a text',
            parameters: closed({ text: { type: 'string' } }),
            run: (args: unknown) => (ran.push(args), 'saved'),
          }
          const args = JSON.stringify({ text: 'word '.repeat(5000) })
          await run({ turns: [`[[ignore-max hang]][[tool=save ${args}]]`], tools: [save] })
          expect(ran).toEqual([])
        },
      )
    })
  }
}

async function failureOf(client: Client, promise: Promise<unknown>) {
  const thrown = await promise.then(
    (heard) => {
      throw new Error(`it did not fail: ${JSON.stringify(heard)}`)
    },
    (error: unknown) => error,
  )
  const failure = client.failure(thrown)
  if (!failure) throw thrown
  return failure
}

/**
 * Credit for at most two thousand output tokens. The fake vendor writes several tokens at a time and then waits, like a
 * slow vendor. The waits keep the stream open, and the gateway can only cut an open stream.
 */
const lowCredit = 200_000n

const twoCalls = '[[tool=weather {"city":"Ulm"}]] [[tool=weather {"city":"Köln"}]]'

function weatherTool() {
  const ran: unknown[] = []
  return {
    name: 'weather',
    description: 'The weather in a city',
    parameters: closed({ city: { type: 'string' } }),
    ran,
    run(args: unknown) {
      ran.push(args)
      const city = typeof args === 'object' && args !== null && 'city' in args ? args.city : 'nowhere'
      return `sunny in ${String(city)}`
    },
  }
}

function closed(properties: Schema['properties']): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** The simulated vendors of tests/support create signatures that match these patterns. */
const sealOf: Readonly<Record<WireName, RegExp>> = {
  chat: /never/,
  messages: /"c2ltLnNpZ25hdHVy/,
  generate: /"c2ltLnRob3VnaHQu/,
  responses: /"c2ltLmVuY3J5cHRl/,
}

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='
