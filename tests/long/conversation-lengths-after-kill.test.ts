/**
 * Kills servers with -9 while requests continue a stored conversation and add items to the conversation. After each
 * kill, a request's hold covers the tokens that the model reads, and the conversation is not locked. CRASH_ROUNDS sets
 * the number of kills.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { startConversationProvider } from '../support/provider-with-stored-conversations.ts'
import { connectConversations, heldByMaximum, startTalk } from '../support/random-conversation-steps.ts'
import { eventually } from '../support/start-product.ts'
import { killAll, killedEngines } from '../support/servers-to-kill.ts'
import { askAt } from '../support/send-post-to-process-port.ts'
import { randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'
import { sizeOf } from '../support/start-several-processes.ts'

const rounds = sizeOf('CRASH_ROUNDS', 4)
const patienceMs = 120_000
const windowTokens = 400_000

afterEach(killAll)

describe.each(killedEngines)('the length of a conversation on $name', ({ start }) => {
  test('after kill -9 at a random time, no hold is too small, and the conversation can be continued', async () => {
    const seed = seedOfRun()
    console.log(`conversation-lengths-after-kill: SEED=${seed}`)
    await withSeed(seed, async () => {
      const random = randomFrom(seed)
      const servers = await start({ kind: 'openai', model: 'gpt-5.4', credit: 10_000_000_000n })
      const provider = await startConversationProvider()
      await connectConversations(servers.app, provider)
      const talk = await startTalk((method, path, body) =>
        askAt(servers.server.port, {
          method,
          path,
          headers: {
            host: servers.app.gatewayHost,
            authorization: `Bearer ${servers.user.key}`,
            'content-type': 'application/json',
            'x-svc-model': 'acme/fine',
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      )
      const same = () => servers.app.person(servers.user)
      /** The conversation may still be locked, so repeat the request. */
      const answered = (): Promise<number> =>
        eventually(async () => {
          const { max, status } = await talk.respond('Hello')
          expect(status).toBe(200)
          return max
        }, patienceMs)
      // The provider completes the response, but the killed process never receives its usage.
      const lost = talk.respond('#slow Hello').catch(() => null)
      await provider.running()
      await servers.kill()
      provider.release()
      expect(await lost).toBeNull()
      await provider.idle()
      const first = await answered()
      const afterKill = await heldByMaximum(servers.app, await same().requests())
      expect(afterKill.get(first)).toMatchObject({ held: windowTokens })
      for (let round = 0; round < rounds; round++) {
        // oxlint-disable no-await-in-loop -- one kill after the other
        await answered()
        const killAt = provider.started + random.whole(1, 8)
        const steps = { areOver: false }
        const asked = talk.steps(random, 40).then(() => (steps.areOver = true))
        while (!steps.areOver && provider.started < killAt) await delay(2)
        await servers.kill()
        await asked
        await provider.idle()
        // oxlint-enable no-await-in-loop
      }
      await answered()
      const max = await answered()
      await eventually(async () => expect((await same().balance()).reservedMicros).toBe(0n), patienceMs)
      const held = await heldByMaximum(servers.app, await same().requests())
      expect(held.get(max)?.held).toBeLessThan(windowTokens)
      let read = 0
      for (const [asked, { held: tokens }] of held) {
        const tokensRead = provider.read.get(asked)
        if (tokensRead === undefined) continue
        expect(tokens, `request with max_output_tokens ${asked}`).toBeGreaterThanOrEqual(tokensRead)
        read++
      }
      console.log(
        `conversation-lengths-after-kill: ${read} of ${provider.read.size} requests have a recorded hold`,
      )
      expect(read).toBeGreaterThan(1)
      await provider.close()
      await servers.end()
    })
  }, 900_000)
})
