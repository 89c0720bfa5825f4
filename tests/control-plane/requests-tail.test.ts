import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { idOf, suffixFloor, suffixOf } from '#domain/ids-sorted-by-time.ts'
import type { RequestRecord } from '#domain/ledger-interface.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { isLong, testedEngines } from '../support/reduced-suite.ts'
import { randomFrom, seedOfRun, type Random } from '../support/seeded-random.ts'

const statuses = [
  [200, null],
  [429, 'upstream_rate_limited'],
  [502, 'upstream_error'],
  [402, 'insufficient_credit'],
] as const

interface World {
  readonly control: Control
  readonly organizationId: string
  readonly applicationId: string
  readonly people: readonly { readonly id: string; readonly externalId: string; readonly keyId: string }[]
  count: number
}

async function open(engine: (typeof testedEngines)[number], tailReadersMax: number): Promise<World> {
  const control = await openControl({ engine, tailReadersMax })
  await ready(control)
  const application = await control.store.read.applications.bySlug('acme')
  assert(application)
  const people: { id: string; externalId: string; keyId: string }[] = []
  for (const externalId of ['ada', 'bob']) {
    const key = await control.call('POST', '/v1/keys', { app: 'acme', body: { endUserId: externalId } })
    const person = await control.store.read.endUsers.byExternalId(application.id, externalId)
    assert(person)
    people.push({ id: person.id, externalId, keyId: key.body.id })
  }
  const { id: applicationId, organizationId } = application
  return { control, organizationId, applicationId, people, count: 0 }
}

/** The store receives the calls in the order in which the gateway reports them. */
async function endCalls(world: World, random: Random, count: number): Promise<RequestRecord[]> {
  const { applicationId, control, people } = world
  const records = Array.from({ length: count }, (): RequestRecord & { readonly costMicros: bigint } => {
    const person = random.pick(people)
    const latencyMs = random.chance(0.05) ? random.whole(600_000, 3_000_000) : random.whole(1, 60_000)
    const [httpStatus, errorCode] = random.pick(statuses)
    const isCharged = httpStatus !== 402 && random.chance(0.7)
    world.count += 1
    const startMs = control.clock.nowMs - latencyMs
    return {
      callId: `${suffixFloor(startMs)}${String(world.count).padStart(16, '0')}`,
      applicationId,
      mode: random.chance(0.1) ? 'test' : 'live',
      endUserId: person.id,
      keyId: person.keyId,
      alias: random.pick(['acme/smart', 'acme/fast']),
      tags: null,
      target: { accountId: random.pick(['pa_1', 'pa_10']), provider: 'openai', model: 'gpt-x' },
      wire: 'chat',
      streamed: false,
      status: isCharged ? 'settled' : httpStatus === 402 ? 'refused' : 'released',
      httpStatus,
      errorCode,
      atMs: startMs,
      latencyMs,
      firstByteMs: null,
      trace: '["pro",1]',
      costMicros: isCharged ? BigInt(random.whole(0, 500)) : 0n,
    }
  })
  for (let from = 0; from < records.length; from += 100) {
    const page = records.slice(from, from + 100).map((record) => ({
      status: record.status,
      costMicros: record.costMicros,
      row: {
        application_id: record.applicationId,
        call_id: record.callId,
        mode: record.mode,
        end_user_id: record.endUserId ?? '',
        key_id: record.keyId ?? '',
        alias: record.alias ?? '',
        tags: null,
        target: JSON.stringify(Object.values(record.target ?? {})),
        wire: record.wire,
        streamed: 0 as const,
        http_status: record.httpStatus,
        error_code: record.errorCode,
        at_ms: record.atMs,
        latency_ms: record.latencyMs,
        first_byte_ms: null,
        trace: record.trace,
      },
    }))
    const charged = page.filter(({ status }) => status === 'settled')
    const free = page.filter(({ status }) => status !== 'settled')
    await control.database.transaction(async (tx) => {
      if (charged.length > 0)
        await tx
          .insertInto('usage_records')
          .values(
            charged.map(({ costMicros, row }) => ({
              ...row,
              input_tokens: 1,
              output_tokens: 1,
              usage: '{"input":1,"output":1}',
              token_source: 'provider_reported' as const,
              cost_micros: costMicros,
              billed_micros: 0n,
              charge_micros: 0n,
              over_hold_micros: 0n,
              worst_micros: 0n,
              wallet_posted_micros: 0n,
              legs: '[]',
              quote_id: 'quote-1',
              outcome_slug: null,
              run_id: null,
              settled_at_ms: row.at_ms + row.latency_ms,
              first_entry: null,
            })),
          )
          .execute()
      if (free.length > 0)
        await tx
          .insertInto('requests')
          .values(
            free.map(({ row, status }) => ({
              ...row,
              status: status === 'refused' ? ('refused' as const) : ('released' as const),
            })),
          )
          .execute()
    })
  }
  return records
}

function tell({ control }: World, records: readonly RequestRecord[]): void {
  for (const record of records) control.callTail.told({ record })
}

interface Event {
  readonly name: string
  readonly id: string | null
  // oxlint-disable-next-line typescript/no-explicit-any -- parsed JSON, which each test knows
  readonly data: any
}

/** Source: html.spec.whatwg.org, "Interpreting an event stream". */
class Events {
  /** If true, keeps whole calls instead of only their IDs. */
  readonly isWhole: boolean
  constructor(isWhole = true) {
    this.isWhole = isWhole
  }
  readonly all: Event[] = []
  readonly ids: string[] = []
  lastId: string | null = null
  #rest = ''

  read(text: string): void {
    const blocks = (this.#rest + text).split('\n\n')
    this.#rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(
        block
          .split('\n')
          .filter((line) => !line.startsWith(':'))
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      const id = fields.get('id') ?? null
      if (id !== null) this.lastId = id
      const data = fields.get('data')
      if (data === undefined) continue
      const event: Event = { name: fields.get('event') ?? '', id, data: JSON.parse(data) }
      if (event.name === 'call') this.ids.push(event.data.id)
      if (this.isWhole || event.name !== 'call') this.all.push(event)
    }
  }
}

async function readEvents(response: Response, until: (events: Events) => boolean): Promise<Events> {
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const events = new Events()
  const reader = response.body?.getReader()
  assert(reader)
  while (!until(events)) {
    const { done, value } = await reader.read()
    if (done) break
    events.read(Buffer.from(value).toString())
  }
  await reader.cancel()
  return events
}

function callIdsOf(records: readonly RequestRecord[], mode = 'live'): string[] {
  return records.filter((record) => record.mode === mode).map(({ callId }) => idOf('req', callId))
}

describe.each(testedEngines)('requests.tail on %s', (engine) => {
  const seed = seedOfRun()
  const random = randomFrom(seed)
  let world: World
  beforeAll(async () => {
    world = await open(engine, 50)
  })
  afterAll(async () => {
    assert.deepEqual(world.control.internal, [])
    await world.control.close()
  })

  const tail = (query = '', lastEventId: string | null = null): Promise<Response> =>
    world.control.stream(`/v1/requests/tail${query}`, {
      app: 'acme',
      ...(lastEventId !== null && { headers: { 'last-event-id': lastEventId } }),
    })

  it(`with every filter, the tail sends the same calls as the list (SEED=${seed})`, async () => {
    for (let round = 0; round < 25; round++) {
      const person = random.pick(world.people)
      const fields = Object.fromEntries(
        (
          [
            ['endUserId', person.externalId],
            ['keyId', person.keyId],
            ['model', 'acme/smart'],
            ['provider', random.pick(['pa_1', 'pa_10'])],
            ['status', random.pick(['settled', 'refused', 'released', 'recovered'])],
            ['statusClass', random.pick(['2xx', '4xx', '5xx'])],
            ['errorCode', random.pick(['upstream_error', 'insufficient_credit'])],
            ['minCostMicros', String(random.whole(0, 300))],
          ] as const
        ).filter(() => random.chance(0.25)),
      )
      const query = new URLSearchParams(fields)
      const response = await tail(`?${String(query)}`)
      const all = await tail()
      world.control.clock.nowMs += 1
      const records = await endCalls(world, random, 60)
      tell(world, records)
      const wanted = new Set(callIdsOf(records))
      const listed: { id: string }[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        query.set('limit', '200')
        if (cursor !== '') query.set('cursor', cursor)
        const page = await world.control.call('GET', `/v1/requests?${String(query)}`, { app: 'acme' })
        listed.push(...page.body.data.filter(({ id }: { id: string }) => wanted.has(id)))
        cursor = page.body.nextCursor
      }
      const everything = await readEvents(all, ({ ids }) => ids.length === wanted.size)
      expect(new Set(everything.ids)).toEqual(wanted)
      const events = await readEvents(response, ({ all: seen }) => seen.length >= listed.length)
      const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1)
      expect(
        events.all.map(({ data }) => data).toSorted(byId),
        `seed ${seed}, round ${round}: ${String(query)}`,
      ).toEqual(listed.toSorted(byId))
    }
  })

  it(`a returning reader gets the calls that ended in the meantime, once, in the order in which they ended (SEED=${seed})`, async () => {
    for (let round = 0; round < 12; round++) {
      const response = await tail()
      const records: RequestRecord[] = []
      const end = async (count: number): Promise<void> => {
        world.control.clock.nowMs += random.whole(1, 50)
        const some = await endCalls(world, random, count)
        records.push(...some)
        tell(world, some)
      }
      await end(random.whole(20, 150))
      const first = callIdsOf(records)
      // The reader may disconnect after any piece. The server does not send received events again.
      const seen = await readEvents(
        response,
        ({ ids }) => ids.length >= Math.min(first.length, random.whole(1, 150)),
      )
      await end(random.whole(0, 150))
      const back = await tail('', seen.lastId)
      const meanwhile = end(random.whole(1, 50))
      await meanwhile
      const total = new Set(callIdsOf(records)).size
      const rest = await readEvents(back, ({ ids }) => ids.length >= total - seen.ids.length)
      const all = [...seen.ids, ...rest.ids]
      expect(all.length, `seed ${seed}, round ${round}`).toBe(new Set(all).size)
      expect(new Set(all)).toEqual(new Set(callIdsOf(records)))
      const places = [...seen.all, ...rest.all].flatMap(({ id }) => id ?? [])
      expect(places).toEqual(
        places.toSorted((one, other) => {
          const [oneMs = '', oneId = ''] = one.split('-')
          const [otherMs = '', otherId = ''] = other.split('-')
          return Number(oneMs) - Number(otherMs) || (oneId < otherId ? -1 : 1)
        }),
      )
    }
  })

  it('if more calls ended than the tail can send again, the tail reports the gap and continues with new calls', async () => {
    const place = `${world.control.clock.nowMs - 700_000}-${suffixFloor(0)}${'0'.repeat(16)}`
    const response = await tail('', place)
    const records = await endCalls(world, random, 5)
    tell(world, records)
    const count = callIdsOf(records).length
    const events = await readEvents(response, ({ ids }) => ids.length === count)
    expect(events.all[0]?.name).toBe('gap')
    expect(new Set(events.ids)).toEqual(new Set(callIdsOf(records)))
  })

  it('the tail rejects an event ID of another stream', async () => {
    for (const id of ['1', 'x-y', `1-${'u'.repeat(26)}`, `-1-${'0'.repeat(26)}`]) {
      const headers = { 'last-event-id': id }
      const answer = await world.control.call('GET', '/v1/requests/tail', { app: 'acme', headers })
      expect(answer.body.error).toMatchObject({ code: 'invalid_request', param: 'last-event-id' })
    }
  })

  it('the tail never sends the content of a call', async () => {
    const response = await tail()
    const records = await endCalls(world, random, 10)
    tell(world, records)
    const count = callIdsOf(records).length
    const events = await readEvents(response, ({ ids }) => ids.length === count)
    for (const { data } of events.all) {
      expect(suffixOf('req', data.id)).not.toBeNull()
      expect(Object.keys(data).toSorted()).toEqual(
        'assumedMicros billedMicros cachedInputTokens chargeMicros costMicros createdAt disputed endUserId errorCode firstByteMs httpStatus id inputTokens keyId latencyMs onDemandMicros outputTokens overHoldMicros overdraftMicros paidFromGiftMicros paidFromPlanMicros paidFromWalletMicros provider providerModel refundedMicros requestedModel status streamed tags team unattributedMicros wire'.split(
          ' ',
        ),
      )
    }
  })
})

it('if the credential that opened the tail becomes invalid, the tail reports the reason and ends', async () => {
  const control = await openControl({ streams: { recheckMs: 20 } })
  await ready(control)
  const made = await control.call('POST', '/v1/application-keys', { body: { label: 'short' } })
  const response = await control.stream('/v1/requests/tail', { app: 'acme', token: made.body.token })
  const reader = response.body?.getReader()
  assert(reader)
  await reader.read()
  await control.call('DELETE', `/v1/application-keys/${made.body.id}`)
  const events = new Events()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read())
    events.read(Buffer.from(piece.value).toString())
  expect(events.all).toMatchObject([{ name: 'ended', id: null, data: { code: 'invalid_token' } }])
  await control.close()
})

it.each(testedEngines)(
  'on %s, the tail sends no call that ends after its credential became invalid',
  async (engine) => {
    const world = await open(engine, 3)
    const { control } = world
    // The token does not expire, so the stream ends only when the token is revoked.
    const made = await control.call('POST', '/v1/application-keys', { body: { label: 'short' } })
    const response = await control.stream('/v1/requests/tail', { app: 'acme', token: made.body.token })
    const reader = response.body?.getReader()
    assert(reader)
    await reader.read()
    const events = new Events()
    const random = randomFrom(1)
    const live = async (count: number): Promise<void> => {
      const records = await endCalls(world, random, count)
      tell(
        world,
        records.map((record) => ({ ...record, mode: 'live' as const })),
      )
    }
    await live(5)
    events.read(Buffer.from((await reader.read()).value ?? []).toString())
    expect(events.all.map(({ name }) => name)).toContain('call')
    const before = events.all.length
    await control.call('DELETE', `/v1/application-keys/${made.body.id}`)
    await live(5)
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      events.read(Buffer.from(piece.value).toString())
    expect(events.all.slice(before)).toMatchObject([{ name: 'ended', data: { code: 'invalid_token' } }])
    await control.close()
  },
)

class Client {
  readonly events = new Events(false)
  readonly socket: Socket
  #rest = Buffer.alloc(0)
  #head = true

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('error', () => {})
    this.socket.write('GET /v1/requests/tail HTTP/1.1\r\nhost: x\r\n\r\n')
    this.socket.on('data', (bytes: Buffer) => this.#read(bytes))
  }

  async until(count: number): Promise<void> {
    while (this.events.ids.length < count) await once(this.socket, 'data')
  }

  #read(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    if (this.#head) {
      const end = this.#rest.indexOf('\r\n\r\n')
      if (end < 0) return
      this.#head = false
      this.#rest = this.#rest.subarray(end + 4)
    }
    for (;;) {
      const line = this.#rest.indexOf('\r\n')
      if (line < 0) return
      const length = Number.parseInt(this.#rest.toString('latin1', 0, line), 16)
      if (this.#rest.length < line + 4 + length) return
      this.events.read(this.#rest.toString('utf8', line + 2, line + 2 + length))
      this.#rest = this.#rest.subarray(line + 4 + length)
    }
  }
}

describe('a hundred readers of a thousand calls a second', () => {
  const readers = 100
  const rounds = isLong ? 40 : 20
  const perRound = 100

  it('each reader receives every call, a reader that reads nothing is disconnected, and memory is limited', async () => {
    const world = await open('SQLite', readers + 1)
    const { control } = world
    const began = control.clock.nowMs
    const server = createServer(
      // oxlint-disable-next-line typescript/no-misused-promises -- it never rejects
      getRequestListener(() => control.stream('/v1/requests/tail', { app: 'acme' }), {
        overrideGlobalObjects: false,
      }),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    assert(typeof address === 'object' && address !== null)
    const clients: Client[] = []
    while (clients.length < readers) {
      // Starts only a few readers at a time, because each caller has a limited share of the queue for reads.
      const some = Array.from({ length: 10 }, () => new Client(address.port))
      await Promise.all(some.map(({ socket }) => once(socket, 'data')))
      clients.push(...some)
    }
    const tail = (headers = {}): Promise<Response> =>
      control.stream('/v1/requests/tail', { app: 'acme', headers })
    // A stuck reader reads the first piece, and then nothing more.
    const stuck = (await tail()).body?.getReader()
    assert(stuck)
    await stuck.read()
    expect((await tail()).status).toBe(429)
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const random = randomFrom(1)
    const expected = new Set<string>()
    const heaps: number[] = []
    for (let round = 0; round < rounds; round++) {
      control.clock.nowMs += 100
      const records = await endCalls(world, random, perRound)
      for (const id of callIdsOf(records)) expected.add(id)
      tell(world, records)
      await Promise.all(clients.map((client) => client.until(expected.size)))
      for (const { events } of clients) {
        expect(events.ids.length).toBe(expected.size)
      }
      if (round % 5 === 4) {
        collect()
        heaps.push(process.memoryUsage().heapUsed)
      }
    }
    for (const { events } of clients) expect([...events.ids].toSorted()).toEqual([...expected].toSorted())
    const [first = 0] = heaps
    // The hundred test clients themselves keep about 600 bytes for each call.
    const kept = 100 * perRound * rounds * 600
    expect(Math.max(...heaps) - first, heaps.join(' ')).toBeLessThan(kept)

    // The stream of the slow reader ends with the ID of the last call that this reader received. A reader that
    // reconnects with this ID receives all missing calls.
    const events = new Events()
    for (let piece = await stuck.read(); !piece.done; piece = await stuck.read())
      events.read(Buffer.from(piece.value).toString())
    const dropped = events.all.at(-1)
    expect(dropped).toMatchObject({ name: 'dropped', id: null, data: { reason: 'slow' } })
    expect(dropped?.data.lastEventId).toBe(events.lastId)
    const got = events.ids
    expect(got.length).toBeLessThan(expected.size)
    const back = await tail({ 'last-event-id': events.lastId ?? `${began}-${'0'.repeat(26)}` })
    const rest = await readEvents(back, ({ ids }) => ids.length === expected.size - got.length)
    expect([...got, ...rest.ids].toSorted()).toEqual([...expected].toSorted())
    for (const { socket } of clients) socket.destroy()
    server.close()
    expect(control.internal).toEqual([])
    await control.close()
  })
})
