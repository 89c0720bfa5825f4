/**
 * Kills servers with -9 at each step of a request that creates or deletes an object at a provider
 * (docs/reference/rules.md "A process that dies"). The tested objects are files, conversations, and containers in which
 * code runs. After each kill, every object at the provider has a row in the store, every charge is recorded, and no
 * money remains held. CRASH_ROUNDS sets the number of kills with random delays.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../support/start-product.ts'
import { killAll, killedEngines, type KilledServers } from '../support/servers-to-kill.ts'
import { askAt } from '../support/send-post-to-process-port.ts'
import { sizeOf } from '../support/start-several-processes.ts'
import { randomFrom, seedOfRun } from '../support/seeded-random.ts'
import type { VendorHooks } from '../support/simulated-vendor.ts'
import { storedRows } from '../support/read-rows-of-running-store.ts'

const rounds = sizeOf('CRASH_ROUNDS', 4)
const requestsPerRound = 12
const credit = 1_000_000_000n
const sessionMicros = 1_000n
/**
 * Longer than a lease: on PostgreSQL, another process takes over the holds only after the killed process's lease has
 * ended.
 */
const patienceMs = 120_000

afterEach(killAll)

interface Asked {
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  readonly body?: string
  readonly type?: string
}

const boundary = 'edge'
const file: Asked = {
  method: 'POST',
  path: '/v1/files',
  type: `multipart/form-data; boundary=${boundary}`,
  body: [
    `--${boundary}`,
    'content-disposition: form-data; name="purpose"',
    '',
    'user_data',
    `--${boundary}`,
    'content-disposition: form-data; name="file"; filename="a.txt"',
    'content-type: text/plain',
    '',
    'Hello',
    `--${boundary}--`,
    '',
  ].join('\r\n'),
}
const conversation: Asked = { method: 'POST', path: '/v1/conversations', body: '{"metadata":{}}' }
const container: Asked = {
  method: 'POST',
  path: '/v1/responses',
  body: JSON.stringify({
    model: 'acme/openai',
    input: '[[run=1 tokens=9]]',
    max_output_tokens: 100,
    tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
  }),
}

const deletable: Readonly<Record<string, Asked>> = { file, conversation }
const creations: Readonly<Record<string, Asked>> = { ...deletable, container }

describe.each(killedEngines)('stored objects on $name', ({ start }) => {
  async function started(vendor: VendorHooks = {}): Promise<Started> {
    const servers = await start({
      kind: 'openai',
      model: 'gpt-5.4',
      credit,
      codeSession: sessionMicros,
      vendor,
    })
    return { servers, ask: (asked) => askOf(servers, asked) }
  }

  test('after kill -9 at any step, each object at the provider has a row, and no money remains held', async () => {
    let step: keyof VendorHooks | null = null
    let reached = Promise.withResolvers<void>()
    const at = (name: keyof VendorHooks) => async (): Promise<void> => {
      if (name !== step) return
      reached.resolve()
      // The vendor never responds, because the requesting process is killed.
      await new Promise(() => {})
    }
    const { ask, servers } = await started({ onAsked: at('onAsked'), onDone: at('onDone') })
    const killDuring = async (asked: Asked, hook: keyof VendorHooks): Promise<void> => {
      reached = Promise.withResolvers()
      step = hook
      const answer = ask(asked).catch(() => null)
      await reached.promise
      step = null
      await servers.kill()
      expect(await answer).toBeNull()
    }
    let begun = 0
    for (const [name, asked] of Object.entries(creations)) {
      for (const hook of ['onAsked', 'onDone'] as const) {
        // oxlint-disable-next-line no-await-in-loop -- one kill after the other
        await killDuring(asked, hook)
        if (asked !== container) begun++
        // oxlint-disable-next-line no-await-in-loop -- as above
        expect(await begunRows(servers), `${name} ${hook}`).toBe(begun)
        // oxlint-disable-next-line no-await-in-loop -- as above
        await nothingIsOrphaned(servers)
      }
    }
    for (const [name, asked] of Object.entries(deletable)) {
      for (const hook of ['onAsked', 'onDone'] as const) {
        // oxlint-disable-next-line no-await-in-loop -- one kill after the other
        const { body } = await ask(asked)
        const deletion = { method: 'DELETE', path: `${asked.path}/${body.id}` } as const
        // oxlint-disable-next-line no-await-in-loop -- as above
        await killDuring(deletion, hook)
        // oxlint-disable-next-line no-await-in-loop -- as above
        expect((await ask(deletion)).status, `${name} ${hook}`).toBe(404)
      }
    }
    await eventually(async () => expect(await removedRows(servers)).toBe(0), patienceMs)
    await nothingIsOrphaned(servers)
    await allIsCharged(servers)
    await servers.end()
  }, 900_000)

  test('after kill -9 at random times, each object at the provider has a row, and each charge is recorded', async () => {
    const seed = seedOfRun()
    console.log(`object-crash: SEED=${seed}`)
    const random = randomFrom(seed)
    const { ask, servers } = await started()
    const known = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      const asked = Array.from({ length: requestsPerRound }, async () => {
        await delay(random.whole(0, 300))
        const creation = random.pick(Object.values(creations))
        const { body } = await ask(creation).catch(() => ({ body: null }))
        if (typeof body?.id !== 'string' || creation === container) return
        const id = `${creation.path}/${body.id}`
        known.add(id)
        if (!random.chance(0.4)) return
        known.delete(id)
        await ask({ method: 'DELETE', path: id }).catch(() => null)
      })
      // oxlint-disable-next-line no-await-in-loop -- one round after the other
      await delay(random.whole(50, 350))
      // oxlint-disable-next-line no-await-in-loop -- as above
      await servers.kill()
      // oxlint-disable-next-line no-await-in-loop -- as above
      await Promise.all(asked)
    }
    for (const id of known) {
      // oxlint-disable-next-line no-await-in-loop -- one object after the other
      expect((await askOf(servers, { method: 'GET', path: id })).status, id).toBe(200)
    }
    await eventually(async () => expect(await removedRows(servers)).toBe(0), patienceMs)
    await nothingIsOrphaned(servers)
    await allIsCharged(servers)
    await servers.end()
  }, 900_000)

  test('two concurrent requests never exceed the balance, and create no more objects than allowed', async () => {
    const { ask, servers } = await started()
    // The balance covers the hold of only one of these requests at a time. Without enough money for a code container,
    // the gateway removes the code tool.
    const balance = 30_000n
    const poor = await servers.app.newUser({ balanceMicros: balance })
    const ran = await Promise.all(Array.from({ length: 12 }, () => askOf(servers, container, poor.key)))
    for (const { status, text } of ran) expect([200, 402, 429], text).toContain(status)
    const { balanceMicros, reservedMicros } = await poor.balance()
    const spent = ran.reduce((sum, { body: { usage }, status, text }) => {
      if (status !== 200) return sum
      const session = text.includes('"code_interpreter_call"') ? sessionMicros : 0n
      return sum + BigInt(usage.input_tokens + usage.output_tokens) + session
    }, 0n)
    expect(spent).toBeGreaterThan(2n * sessionMicros)
    expect([balanceMicros, reservedMicros]).toEqual([balance - spent, 0n])
    expect(balanceMicros >= 0n).toBe(true)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        ask(at % 3 === 0 ? container : at % 3 === 1 ? file : conversation),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const objects = answers.filter(({ body }) => body.object !== 'response').map(({ body }) => body)
    const paths = objects.map(({ id, object }) => `/v1/${object}s/${id}`)
    for (const path of paths) {
      // oxlint-disable-next-line no-await-in-loop -- one object after the other
      const twice = await Promise.all([path, path].map((one) => ask({ method: 'DELETE', path: one })))
      const statuses = twice.map(({ status }) => status)
      expect(statuses, path).toContain(200)
      for (const status of statuses) expect([200, 404]).toContain(status)
    }
    expect(await removedRows(servers)).toBe(0)
    await nothingIsOrphaned(servers)
    await allIsCharged(servers)
    await servers.end()
  }, 300_000)
})

interface Started {
  readonly servers: KilledServers
  readonly ask: (asked: Asked) => ReturnType<typeof askAt>
}

function askOf(
  servers: KilledServers,
  { body, method, path, type = 'application/json' }: Omit<Asked, 'method'> & { readonly method: string },
  key = servers.user.key,
): ReturnType<typeof askAt> {
  return askAt(servers.server.port, {
    method,
    path,
    headers: {
      host: servers.app.gatewayHost,
      authorization: `Bearer ${key}`,
      'content-type': type,
    },
    ...(body !== undefined && { body }),
  })
}

const rowsOf = ({ databaseUrl, server: { folder } }: KilledServers, query: string) =>
  storedRows({ databaseUrl, folder }, query)
const countOf = async (servers: KilledServers, condition: string): Promise<number> =>
  Number((await rowsOf(servers, `SELECT count(*) AS n FROM files WHERE ${condition}`))[0]?.['n'])
const begunRows = (servers: KilledServers): Promise<number> => countOf(servers, "provider_id = ''")
const removedRows = (servers: KilledServers): Promise<number> => countOf(servers, 'removed_at_ms IS NOT NULL')

/** A row must contain the ID of each object, or show an unfinished creation. */
async function nothingIsOrphaned(servers: KilledServers): Promise<void> {
  const { calls, kept } = servers.vendor
  const ids = calls.flatMap((_, at) => [`file-vendor${at + 1}`, `conv_vendor${at + 1}`])
  const existing = ids.filter((id) => kept.files.find(id) !== null || kept.conversations.itemsOf(id) !== null)
  const rows = await rowsOf(servers, "SELECT provider_id FROM files WHERE provider_id <> ''")
  const stored = new Set(rows.map(({ provider_id: id }) => id))
  const orphaned = existing.filter((id) => !stored.has(id))
  expect(orphaned.length, orphaned.join()).toBeLessThanOrEqual(await begunRows(servers))
}

/** The balance must differ from the credit by exactly the recorded charges. */
async function allIsCharged(servers: KilledServers): Promise<void> {
  const same = servers.app.person(servers.user)
  await eventually(async () => expect((await same.balance()).reservedMicros).toBe(0n), patienceMs)
  const records = await same.requests()
  expect(records.every(({ status }) => status !== 'in_flight')).toBe(true)
  const charged = records.reduce((sum, { chargeMicros }) => sum + BigInt(chargeMicros ?? 0), 0n)
  expect(credit - (await same.balance()).balanceMicros).toBe(charged)
}
