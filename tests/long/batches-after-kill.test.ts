/**
 * Kills servers with -9 while they create batches and while a provider runs batches (docs/reference/rules.md "A process
 * that dies"). The exact usage of each result that a client receives afterwards is charged once, and no money remains
 * held. CRASH_ROUNDS sets the number of kills.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../support/start-product.ts'
import { killAll, killedEngines } from '../support/servers-to-kill.ts'
import { askAt } from '../support/send-post-to-process-port.ts'
import { sizeOf } from '../support/start-several-processes.ts'
import { randomFrom, seedOfRun } from '../support/seeded-random.ts'

const rounds = sizeOf('CRASH_ROUNDS', 4)
const batchesPerRound = 6
const credit = 1_000_000_000n
/**
 * Longer than a lease: on PostgreSQL, another process takes over the holds only after the killed process's lease has
 * ended.
 */
const patienceMs = 120_000

afterEach(killAll)

describe.each(killedEngines)('batches on $name', ({ start }) => {
  test('after kill -9, the exact usage of each result is charged once, and no money remains held', async () => {
    const seed = seedOfRun()
    console.log(`batches-after-kill: SEED=${seed}`)
    const random = randomFrom(seed)
    const servers = await start({ kind: 'anthropic', model: 'claude-sonnet-4-5', credit })
    const { user, vendor } = servers
    const at = (method: string, path: string, body?: object) =>
      askAt(servers.server.port, {
        method,
        path: `/v1/messages/batches${path}`,
        headers: {
          host: servers.app.gatewayHost,
          'x-api-key': user.key,
          'anthropic-version': '2023-06-01',
          'content-type': 'application/json',
        },
        ...(body && { body: JSON.stringify(body) }),
      })
    const known = new Set<string>()
    let named = 0
    for (let round = 0; round < rounds; round++) {
      const asked = Array.from({ length: batchesPerRound }, async () => {
        const requests = Array.from({ length: random.whole(1, 12) }, () => ({
          custom_id: `r${named++}`,
          params: {
            model: 'acme/anthropic',
            max_tokens: 200,
            messages: [
              { role: 'user', content: `[[tokens=${random.whole(1, 80)} delay=${random.whole(0, 30)}ms]]` },
            ],
          },
        }))
        await delay(random.whole(0, 300))
        const { body } = await at('POST', '', { requests }).catch(() => ({ body: null }))
        if (typeof body?.id === 'string') known.add(body.id)
      })
      const before = known.size
      // Some clients have received a batch ID, and other requests are still in progress.
      // oxlint-disable-next-line no-await-in-loop -- one round after the other
      await eventually(async () => expect(known.size).toBeGreaterThanOrEqual(before + random.whole(1, 4)))
      // oxlint-disable-next-line no-await-in-loop -- as above
      await delay(random.whole(0, 100))
      // oxlint-disable-next-line no-await-in-loop -- as above
      await servers.kill()
      // oxlint-disable-next-line no-await-in-loop -- as above
      await Promise.all(asked)
    }
    const same = servers.app.person(user)
    await eventually(async () => expect((await same.balance()).reservedMicros).toBe(0n), patienceMs)
    const records = await same.requests()
    const charged = records.filter(({ status }) => status === 'settled' || status === 'recovered')
    expect(records.every(({ status }) => status !== 'in_flight')).toBe(true)
    const charges = charged
      .filter(({ status }) => status === 'settled')
      .map(({ chargeMicros }) => Number(chargeMicros))
    let results = 0
    for (const id of known) {
      // oxlint-disable-next-line no-await-in-loop -- one batch after the other
      const { text } = await at('GET', `/${id}/results`)
      for (const line of text.trimEnd().split('\n')) {
        const { result } = JSON.parse(line)
        expect(result?.type, line).toBe('succeeded')
        const { input_tokens: input, output_tokens: output } = result.message.usage
        const charge = charges.indexOf(input + output)
        expect(charge, `the exact charge of ${line}`).toBeGreaterThanOrEqual(0)
        charges.splice(charge, 1)
        results++
      }
    }
    const created = vendor.calls.filter(({ path }) => path === '/v1/messages/batches').length
    console.log(`${known.size} of ${created} batches are known to clients, with ${results} results`)
    console.log(`${charged.length} of ${records.length} requests are charged`)
    const all = charged.reduce((micros, { chargeMicros }) => micros + BigInt(chargeMicros), 0n)
    expect(credit - (await same.balance()).balanceMicros).toBe(all)
    await servers.end()
  }, 600_000)
})
