/**
 * Kills servers with -9 while a provider generates background responses (docs/reference/rules.md "A process that
 * dies"). The next start (SQLite), or another process (PostgreSQL), detects the end of each response with a known ID,
 * and charges its exact usage once. CRASH_ROUNDS sets the number of kills.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../support/start-product.ts'
import { killAll, killedEngines } from '../support/servers-to-kill.ts'
import { askAt } from '../support/send-post-to-process-port.ts'
import { sizeOf } from '../support/start-several-processes.ts'
import { randomFrom, seedOfRun } from '../support/seeded-random.ts'

const rounds = sizeOf('CRASH_ROUNDS', 4)
const responsesPerRound = 12
const credit = 1_000_000_000n

/**
 * Longer than a lease: on PostgreSQL, another process takes over the holds only after the killed process's lease has
 * ended.
 */
const patienceMs = 120_000

afterEach(killAll)

describe.each(killedEngines)('background responses on $name', ({ start }) => {
  test('after kill -9, the exact usage of each response is charged once', async () => {
    const seed = seedOfRun()
    console.log(`background-responses-after-kill: SEED=${seed}`)
    const random = randomFrom(seed)
    const servers = await start({ kind: 'openai', model: 'gpt-5.4', credit })
    const { user, vendor } = servers
    const at = (method: string, path: string, body?: object, onText?: (text: string) => void) =>
      askAt(servers.server.port, {
        method,
        path,
        headers: {
          host: servers.app.gatewayHost,
          authorization: `Bearer ${user.key}`,
          'content-type': 'application/json',
        },
        ...(body && { body: JSON.stringify({ model: 'acme/openai', ...body }) }),
        ...(onText && { onText }),
      })
    const known = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      const asked = Array.from({ length: responsesPerRound }, async () => {
        const input = `[[tokens=${random.whole(1, 80)} delay=${random.whole(1, 60)}ms]]`
        await delay(random.whole(0, 300))
        let text = ''
        const body = {
          input,
          background: true,
          stream: random.chance(0.3),
          max_output_tokens: 500,
        }
        const read = (piece: string): void => {
          text += piece
          const id = /"id":\s*"(?<id>resp_[\w-]{60,})"/.exec(text)?.groups?.id
          if (id !== undefined) known.add(id)
        }
        await at('POST', '/v1/responses', body, read).catch(() => {})
      })
      const before = known.size
      // Some clients have received a response ID, and other requests are still in progress.
      // oxlint-disable-next-line no-await-in-loop -- one round after the other
      await eventually(async () => expect(known.size).toBeGreaterThanOrEqual(before + random.whole(1, 6)))
      // oxlint-disable-next-line no-await-in-loop -- as above
      await delay(random.whole(0, 100))
      // oxlint-disable-next-line no-await-in-loop -- as above
      await servers.kill()
      // oxlint-disable-next-line no-await-in-loop -- as above
      await Promise.all(asked)
    }
    const same = servers.app.person(user)
    await eventually(async () => expect((await same.balance()).reservedMicros).toBe(0n), patienceMs)
    // Each request to the provider has one record.
    const created = vendor.calls.filter(({ path }) => path === '/v1/responses')
    const records = await same.requests()
    const charged = records.filter(({ status }) => status === 'settled' || status === 'recovered')
    expect(charged.length).toBeGreaterThanOrEqual(created.length)
    const debits = (await same.ledger()).filter(({ kind }) => kind === 'usage_debit')
    expect(new Set(debits.map(({ requestId }) => requestId)).size).toBe(debits.length)
    const settled = records.filter(({ status, errorCode }) => status === 'settled' && errorCode === null)
    const charges = settled.map(({ chargeMicros }) => Number(chargeMicros))
    const seen = records.map(
      ({ chargeMicros, errorCode, id, status }) =>
        `${id} ${status} ${errorCode ?? 'no error'} ${chargeMicros}`,
    )
    for (const id of known) {
      // oxlint-disable-next-line no-await-in-loop -- one response after the other
      const { body, text } = await at('GET', `/v1/responses/${id}`)
      expect(body?.status, text).toBe('completed')
      const charge = charges.indexOf(body.usage.input_tokens + body.usage.output_tokens)
      expect(
        charge,
        `the exact charge of ${text}, of these records: ${seen.join(', ')}`,
      ).toBeGreaterThanOrEqual(0)
      charges.splice(charge, 1)
    }
    console.log(
      `${known.size} of ${created.length} responses are known to clients, ${settled.length} settled`,
    )
    // Responses whose ID no client has received are charged, too. If the ID was stored before the kill, the reported
    // usage is charged, even if no client knows the ID. If the ID was not stored before the kill, only the input is
    // charged.
    const all = charged.reduce((micros, { chargeMicros }) => micros + BigInt(chargeMicros), 0n)
    expect(credit - (await same.balance()).balanceMicros).toBe(all)
    await servers.end()
  }, 600_000)
})
