import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '#domain/errors.ts'
import { paidNames } from '#domain/sums-of-request-figures.ts'
import { figures } from '#domain/reports/table-of-request-figures.ts'
import { idOf, suffixFloor } from '#domain/ids-sorted-by-time.ts'
import type { Mode } from '#domain/billing/money-account-key.ts'
import type { UsageRecord } from '#domain/reports/usage-records-interface.ts'
import { focusColumns } from '#operations/usage/export-rows/focus-columns.ts'
import { usageColumns } from '#operations/usage/export-rows/usage-record-columns.ts'
import { isPostgres } from '#store/sql/database-interface.ts'
import {
  type CallOptions,
  openControl,
  ready,
  type Control,
} from '../support/control-plane-without-socket.ts'
import { isLong, testedEngines } from '../support/reduced-suite.ts'
import type { Answer } from '../support/start-product.ts'
import { randomFrom, seedOfRun, type Random } from '../support/seeded-random.ts'
import { operationOf, reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

const dayMs = 86_400_000
const minuteMs = 60_000
const nowMs = Date.UTC(2026, 10, 20, 12)

interface Known {
  readonly callId: string
  readonly mode: Mode
  readonly endUserId: string
  readonly atMs: number
  readonly settledAtMs: number
  readonly costMicros: bigint
  readonly assumedMicros: bigint | null
  readonly tokenSource: UsageRecord['tokenSource']
  readonly isDisputed: boolean | null
}

interface Place {
  readonly control: Control
  readonly applicationId: string
  readonly keyId: string
  /** Maps external IDs to the service's own IDs. */
  readonly people: ReadonlyMap<string, string>
}

async function open(engine: (typeof testedEngines)[number], externalIds: readonly string[]): Promise<Place> {
  const control = await openControl({ engine })
  await ready(control)
  const people = new Map<string, string>()
  let keyId = ''
  for (const externalId of externalIds) {
    const key = await control.call('POST', '/v1/keys', { app: 'acme', body: { endUserId: externalId } })
    assert.equal(key.status, 200, key.text)
    keyId = key.body.id
    const application = await control.store.read.applications.bySlug('acme')
    assert(application)
    const person = await control.store.read.endUsers.byExternalId(application.id, externalId)
    assert(person)
    people.set(externalId, person.id)
  }
  const application = await control.store.read.applications.bySlug('acme')
  assert(application)
  return { control, applicationId: application.id, keyId, people }
}

async function insert({ applicationId, control }: Place, records: readonly Known[]): Promise<void> {
  for (let from = 0; from < records.length; from += 100) {
    const rows = records.slice(from, from + 100)
    await control.database.transaction((tx) =>
      tx
        .insertInto('usage_records')
        .values(
          rows.map(({ atMs, callId, costMicros, endUserId, mode, settledAtMs, ...one }) => ({
            application_id: applicationId,
            call_id: callId,
            end_user_id: endUserId,
            key_id: 'key_1',
            mode,
            alias: 'acme/smart',
            target: '["pa_1","openai","gpt-x"]',
            streamed: 1,
            input_tokens: 50,
            output_tokens: 10,
            usage: '{"input":40,"cacheRead":10,"output":10,"reasoning":3}',
            token_source: one.tokenSource,
            cost_micros: costMicros,
            assumed_micros: one.assumedMicros,
            disputed: one.isDisputed === null ? null : Number(one.isDisputed),
            billed_micros: costMicros * 2n,
            charge_micros: costMicros + 1n,
            over_hold_micros: 0n,
            worst_micros: 0n,
            wallet_posted_micros: 0n,
            legs: '[]',
            quote_id: 'quote-1',
            outcome_slug: null,
            run_id: null,
            settled_at_ms: settledAtMs,
            first_entry: null,
            wire: 'chat',
            http_status: 200,
            error_code: null,
            at_ms: atMs,
            latency_ms: settledAtMs - atMs,
            first_byte_ms: null,
            trace: '["pro",1]',
          })),
        )
        .execute(),
    )
  }
}

function recordsOf(random: Random, people: readonly string[], count: number): Known[] {
  return Array.from({ length: count }, (_, n) => {
    const mode = random.chance(0.2) ? 'test' : 'live'
    // Many calls start in the same millisecond, and time ranges begin and end between such calls.
    const startMs = nowMs - 3 * dayMs + random.whole(0, 400) * 10 * minuteMs
    const tookMs = random.chance(0.1)
      ? random.whole(10, 600) * minuteMs + random.whole(0, 1)
      : random.whole(0, 600) * 1000
    const aheadMs = mode === 'test' && random.chance(0.5) ? 400 * dayMs : 0
    return {
      callId: `${suffixFloor(startMs)}${String(random.whole(0, 9e9)).padStart(11, '0')}${String(n).padStart(5, '0')}`,
      mode,
      endUserId: random.pick(people),
      atMs: startMs + aheadMs,
      settledAtMs: startMs + aheadMs + tookMs,
      costMicros: BigInt(random.whole(0, 3_000_000)),
      assumedMicros: random.chance(0.3) ? BigInt(random.whole(1, 1_000)) : null,
      tokenSource: random.pick(['provider_reported', 'estimated', 'recovered'] as const),
      isDisputed: random.pick([true, false, null]),
    }
  })
}

function query(fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined)
  return `/v1/usage/export?${String(new URLSearchParams(given))}`
}

function linesOf(text: string): { id: string; costMicros: string }[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** RFC 4180, strictly: every line ends with CRLF, and quotes are at both ends of a cell or doubled. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      at += 1
      for (;;) {
        const end = text.indexOf('"', at)
        assert(end >= 0, 'a quoted cell ends')
        cell += text.slice(at, end)
        at = end + 1
        if (text[at] !== '"') break
        cell += '"'
        at += 1
      }
    } else {
      const end = /[,\r\n"]/.exec(text.slice(at))
      assert(end, 'a cell ends')
      cell = text.slice(at, at + end.index)
      at += end.index
      assert(text[at] !== '"', 'a bare cell has no quote')
    }
    row.push(cell)
    if (text[at] === ',') at += 1
    else {
      assert.equal(text.slice(at, at + 2), '\r\n', 'a line ends with CRLF')
      at += 2
      rows.push(row)
      row = []
    }
  }
  assert.equal(row.length, 0)
  return rows
}

describe.each(testedEngines)('usage.export on %s', (engine) => {
  const names = ['user-1', '=cmd|x', "'quoted", '-1', '+1', '@x', 'a"b,c;d e', '＝1']
  let place: Place
  let known: Known[]
  const seed = seedOfRun()
  const random = randomFrom(seed)
  beforeAll(async () => {
    place = await open(engine, names)
    known = recordsOf(random, [...place.people.values()], 1_500)
    await insert(place, known)
  })
  afterAll(() => place.control.close())

  const ask = (fields: Readonly<Record<string, string | undefined>>, mode: Mode = 'live') =>
    place.control.call('GET', query(fields), { app: 'acme', mode })

  it(`the export contains each call that settled in a time range once, for any interruption and continuation (SEED=${seed})`, async () => {
    for (let round = 0; round < 60; round++) {
      const mode = random.chance(0.2) ? 'test' : 'live'
      const columns = random.pick(['usage', 'focus'] as const)
      const format = random.pick(['ndjson', 'csv'] as const)
      const [externalId, endUserId] = random.pick([...place.people, [undefined, undefined] as const])
      const edge = random.pick(known)
      const fromMs = random.chance(0.3) ? undefined : edge.settledAtMs - random.whole(0, 1)
      const toMs = random.chance(0.3)
        ? undefined
        : Math.min((fromMs ?? edge.settledAtMs) + random.whole(1, 2 * dayMs), nowMs - 2 * minuteMs)
      if (toMs !== undefined && toMs <= (fromMs ?? 0)) continue
      const iso = (ms: number | undefined): string | undefined =>
        ms === undefined ? undefined : new Date(ms).toISOString()
      const fields = { from: iso(fromMs), to: iso(toMs), endUserId: externalId, format, columns }
      const whole = await ask(fields, mode)
      expect(whole.status, `seed ${seed}: ${whole.text}`).toBe(200)
      const to = whole.headers.get('x-export-to')
      assert(to !== null)
      if (toMs !== undefined) expect(Date.parse(to)).toBe(toMs)
      const expected = known.filter(
        (one) =>
          one.mode === mode &&
          (endUserId === undefined || one.endUserId === endUserId) &&
          one.settledAtMs >= (fromMs ?? 0) &&
          one.settledAtMs < Date.parse(to),
      )
      const idName = columns === 'focus' ? 'x_UsageRecordId' : 'id'
      const idsOf = (text: string, isRest = false): string[] => {
        if (format === 'ndjson')
          return linesOf(text).map((row) => (row as Readonly<Record<string, unknown>>)[idName] as string)
        const rows = parseCsv(text)
        const set = columns === 'focus' ? focusColumns : usageColumns
        const at = set.findIndex(({ name }) => name === idName)
        return rows.slice(isRest ? 0 : 1).map((row) => row[at] ?? '')
      }
      const ids = idsOf(whole.text)
      const wanted = expected.map(({ callId }) => idOf('ur', callId)).toSorted()
      expect(ids.toSorted(), `seed ${seed}, round ${round}`).toEqual(wanted)
      if (ids.length === 0) continue
      // The test cuts the export at any byte: complete lines are kept, and the next export continues after their last
      // ID.
      const bytes = Buffer.from(whole.text)
      const cut = bytes.subarray(0, random.whole(0, bytes.length)).toString('latin1')
      const end = format === 'csv' ? '\r\n' : '\n'
      const kept = bytes.subarray(
        0,
        Math.max(0, cut.lastIndexOf(end) + end.length) * Number(cut.includes(end)),
      )
      const last = kept.length === 0 ? undefined : idsOf(kept.toString()).at(-1)
      if (last === undefined) continue
      const rest = await ask({ ...fields, to, after: last }, mode)
      expect(kept.toString() + rest.text, `seed ${seed}, round ${round}, after ${last}`).toBe(whole.text)
    }
  })

  it('the export writes rows that match their schemas, with the same amounts in every format', async () => {
    const [item] = operationOf('usage.export').streams.map((type) => type.item)
    assert(item)
    const usage = linesOf((await ask({})).text)
    const focus = linesOf((await ask({ columns: 'focus' })).text) as unknown as Record<string, string>[]
    for (const row of [...usage, ...focus]) expect(item.safeParse(row).error).toBeUndefined()
    const sum = usage.reduce((micros, row) => micros + BigInt(row.costMicros), 0n)
    const dollars = focus.reduce(
      (micros, row) => micros + BigInt((row['BilledCost'] ?? '').replace('.', '')),
      0n,
    )
    expect(dollars).toBe(sum)
    const over = known.filter((one) => one.mode === 'live' && one.settledAtMs < nowMs - 2 * minuteMs)
    expect(sum).toBe(over.reduce((all, one) => all + one.costMicros, 0n))
  })

  it('every format states which cost is estimated, assumed or disputed', async () => {
    const counted = known.filter((one) => one.mode === 'live' && one.settledAtMs < nowMs - 2 * minuteMs)
    const wanted = new Map(
      counted.map(({ assumedMicros, callId, costMicros, isDisputed, tokenSource }) => [
        idOf('ur', callId),
        [tokenSource, tokenSource === 'provider_reported' ? 0n : costMicros, assumedMicros ?? 0n, isDisputed],
      ]),
    )
    const micros = (dollars: unknown): bigint => BigInt(String(dollars).replace('.', ''))
    const rowsOf = async (columns: 'usage' | 'focus') =>
      linesOf((await ask({ columns })).text) as unknown as Readonly<Record<string, unknown>>[]
    const usage = (await rowsOf('usage')).map((row) => [
      row['id'],
      [
        row['tokenCountSource'],
        BigInt(String(row['estimatedMicros'])),
        BigInt(String(row['assumedMicros'])),
        row['disputed'],
      ],
    ])
    const focus = (await rowsOf('focus')).map((row) => [
      row['x_UsageRecordId'],
      [
        row['x_TokenCountSource'],
        micros(row['x_EstimatedCost']),
        micros(row['x_AssumedCost']),
        row['x_Disputed'],
      ],
    ])
    expect(new Map(usage as [string, unknown[]][])).toEqual(wanted)
    expect(new Map(focus as [string, unknown[]][])).toEqual(wanted)
    // In CSV, the column for disputed costs has the same value in both sets of columns.
    for (const [columns, name, id] of [
      ['usage', 'disputed', 'id'],
      ['focus', 'x_Disputed', 'x_UsageRecordId'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const [head = [], ...rows] = parseCsv((await ask({ columns, format: 'csv' })).text)
      for (const row of rows) {
        const isDisputed = wanted.get(row[head.indexOf(id)] ?? '')?.[3]
        expect(row[head.indexOf(name)]).toBe(isDisputed === null ? '' : String(isDisputed))
      }
    }
  })

  it('a strict parser can read the CSV, and no cell is a spreadsheet formula', async () => {
    const json = linesOf((await ask({})).text) as unknown as Record<string, unknown>[]
    const [head, ...rows] = parseCsv((await ask({ format: 'csv' })).text)
    assert(head)
    const seen = new Set<string>()
    const back = rows.map((row) =>
      Object.fromEntries(
        row.map((cell, at) => {
          const { as = 'text' } = usageColumns[at] ?? {}
          if (as === 'text') expect(cell).not.toMatch(/^[=+\-@\t\r＝＋－＠]/u)
          return [head[at] ?? '', cell.startsWith("'") ? cell.slice(1) : cell]
        }),
      ),
    )
    for (const [n, row] of json.entries()) {
      const texts = Object.entries(row).map(([name, value]) => [
        name,
        value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value),
      ])
      expect(back[n]).toEqual(Object.fromEntries(texts))
      seen.add(String(row['endUserId']))
    }
    expect([...seen].toSorted()).toEqual(names.toSorted())
    expect(rows.length).toBe(json.length)
  })

  it('the export has every column that the FOCUS specification requires', () => {
    // Columns whose level is "Mandatory" in FOCUS 1.2, "Column requirements".
    const mandatory =
      'BilledCost BillingAccountId BillingAccountName BillingCurrency BillingPeriodEnd BillingPeriodStart ChargeCategory ChargeClass ChargeDescription ChargePeriodEnd ChargePeriodStart ContractedCost EffectiveCost InvoiceIssuerName ListCost PricingQuantity PricingUnit ProviderName PublisherName ServiceCategory ServiceName'
    const has = new Set(focusColumns.map(({ name }) => name))
    expect(mandatory.split(' ').filter((name) => !has.has(name))).toEqual([])
    const own = focusColumns.filter(({ name }) => !/^(?:[A-Z][A-Za-z]+|x_[A-Z][A-Za-z]+)$/.test(name))
    expect(own).toEqual([])
  })

  it('an export rejects a cursor from which it cannot continue', async () => {
    const after = idOf('ur', known[0]?.callId ?? '')
    expect((await ask({ after })).body.error).toMatchObject({ code: 'invalid_request', param: 'to' })
    const future = new Date(nowMs - minuteMs).toISOString()
    expect((await ask({ after, to: future })).body.error).toMatchObject({ param: 'to' })
    const to = '2026-11-20'
    for (const unknown of ['ur_1', 'req_1', `ur_${'0'.repeat(26)}`])
      expect((await ask({ after: unknown, to })).body.error).toMatchObject({
        code: 'not_found',
        param: 'after',
      })
    expect((await ask({ from: to, to })).body.error).toMatchObject({ code: 'invalid_request', param: 'to' })
    expect((await ask({ to: '2030-01-01' })).headers.get('x-export-to')).toBe('2026-11-20T11:58:00.000Z')
  })
})

describe.each(testedEngines)('the sums of usage.export on %s', (engine) => {
  const days = [1, 3, 4, 9]
  let place: Place
  beforeAll(async () => {
    place = await open(engine, ['user-1'])
    const { clock } = place.control
    const credit = { endUsers: ['user-1'], amountUnits: '1000000', reason: 'test' }
    await place.control.call('POST', '/v1/grants', { app: 'acme', body: credit })
    for (const day of days) {
      clock.nowMs = nowMs + day * dayMs + day * 7_654_321
      for (let n = 0; n < day; n++)
        await settleCall(place.control, 'acme', await reserveCall(place.control, 'acme', place.keyId, null))
    }
    // The newest request is refunded in part and then in full, and the previous request in full on a later day.
    const { data } = (await place.control.call('GET', '/v1/requests?limit=2', { app: 'acme' })).body
    clock.nowMs = nowMs + 10 * dayMs
    for (const [at, amountUnits] of [
      [0, '7'],
      [0, undefined],
      [1, undefined],
    ] as const) {
      const body = { reason: 'test', ...(amountUnits && { amountUnits }) }
      const refund = await place.control.call('POST', `/v1/requests/${data[at].id}/refund`, {
        app: 'acme',
        body,
      })
      assert.equal(refund.status, 200, refund.text)
    }
    clock.nowMs = nowMs + 12 * dayMs
  })
  afterAll(() => place.control.close())

  it('the export has a row for each correction, and an export can continue after this row', async () => {
    const { control } = place
    const to = new Date(nowMs + 11 * dayMs).toISOString()
    const [item] = operationOf('usage.export').streams.map((type) => type.item)
    for (const columns of ['usage', 'focus'] as const) {
      const { text } = await control.call('GET', query({ to, columns }), { app: 'acme' })
      const rows = text.split('\n').slice(0, -1)
      const corrections = rows.slice(-3).map((row) => JSON.parse(row))
      for (const row of corrections) expect(item?.safeParse(row).error).toBeUndefined()
      const idOfRow = columns === 'usage' ? 'id' : 'x_UsageRecordId'
      for (const [at, row] of corrections.entries()) {
        expect(row[idOfRow]).toMatch(/^cor_[0-9a-z]{26}$/)
        const rest = await control.call('GET', query({ to, columns, after: row[idOfRow] }), { app: 'acme' })
        expect(rest.text).toBe(
          rows
            .slice(rows.length - 2 + at)
            .map((line) => `${line}\n`)
            .join(''),
        )
      }
      expect(corrections.map((row) => row[columns === 'usage' ? 'kind' : 'ChargeClass'])).toEqual(
        Array.from({ length: 3 }, () => (columns === 'usage' ? 'refund' : 'Correction')),
      )
      if (columns === 'usage')
        expect(corrections[0]).toMatchObject({
          chargeMicros: '-7',
          inputTokens: 0,
          settledAt: expect.stringMatching(/^2026-11-30/),
        })
      else expect(corrections[0]).toMatchObject({ BilledCost: '0.000000', x_ChargedToEndUser: '-0.000007' })
    }
  })

  it('the sums of the export equal the sums of usage and margin, to the micro', async () => {
    const { control } = place
    const dateOf = (day: number): string => new Date(nowMs + day * dayMs).toISOString().slice(0, 10)
    for (const [from, to] of [
      [0, 12],
      [1, 2],
      [2, 5],
      [4, 10],
      [5, 9],
      [10, 11],
    ] as const) {
      const span = `from=${dateOf(from)}&to=${dateOf(to)}`
      const rows = linesOf((await control.call('GET', `/v1/usage/export?${span}`, { app: 'acme' })).text)
      const add = (name: string): bigint =>
        rows.reduce((sum, row) => sum + BigInt(String((row as Record<string, unknown>)[name])), 0n)
      const calls = rows.filter((row) => (row as unknown as { kind: string }).kind === 'usage').length
      const usage = await control.call('GET', `/v1/usage?${span}`, { app: 'acme' })
      const margin = await control.call('GET', `/v1/margin?by=day&${span}`, { app: 'acme' })
      expect(usage.body.totals).toEqual({
        calls,
        inputTokens: Number(add('inputTokens')),
        outputTokens: Number(add('outputTokens')),
        billedMicros: String(add('billedMicros')),
        overHoldMicros: String(add('overHoldMicros')),
      })
      expect(margin.body.totals).toMatchObject({
        calls,
        costMicros: String(add('costMicros')),
        chargeMicros: String(add('chargeMicros')),
        billedMicros: String(add('billedMicros')),
        ...Object.fromEntries(paidNames.map((name) => [figures[name].wire, String(add(figures[name].wire))])),
        unattributedMicros: '0',
      })
    }
  })

  it('calls that settle during an export are in the next export', async () => {
    const { control } = place
    const settleOne = async (): Promise<void> =>
      settleCall(control, 'acme', await reserveCall(control, 'acme', place.keyId, null))
    const first = await control.stream('/v1/usage/export', { app: 'acme' })
    assert(first.body)
    const reader = first.body.getReader()
    let text = ''
    for (;;) {
      await settleOne()
      const { done, value } = await reader.read()
      if (done) break
      text += Buffer.from(value).toString()
    }
    control.clock.nowMs += 3 * minuteMs
    await settleOne()
    const to = first.headers.get('x-export-to')
    const next = await control.call('GET', query({ from: to ?? '' }), { app: 'acme' })
    control.clock.nowMs += 3 * minuteMs
    const last = await control.call('GET', query({ from: next.headers.get('x-export-to') ?? '' }), {
      app: 'acme',
    })
    const ids = [text, next.text, last.text].flatMap(linesOf).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const all = await control.call('GET', '/v1/usage', { app: 'acme' })
    expect(ids.length).toBe(all.body.totals.calls + 3)
    expect(linesOf(text).length).toBe(days.reduce((sum, day) => sum + day, 3))
  })
})

describe.each(testedEngines)('a large usage.export on %s', (engine) => {
  const rows = isLong ? 100_000 : 40_000
  const perChunk = 1_000
  let place: Place
  beforeAll(async () => {
    place = await open(engine, ['user-1'])
    const { applicationId, control, people } = place
    for (let chunk = 0; chunk < rows / perChunk; chunk++) {
      const atMs = nowMs - dayMs + chunk * 1000
      await control.database.transaction(async (tx) => {
        const padded = isPostgres(tx) ? sql`lpad(n::text, 16, '0')` : sql`printf('%016d', n)`
        await sql`
          WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${sql.lit(perChunk)})
          INSERT INTO usage_records (application_id, call_id, end_user_id, key_id, mode, alias, target, streamed,
            input_tokens, output_tokens, usage, token_source, cost_micros, billed_micros, charge_micros,
            over_hold_micros, worst_micros, wallet_posted_micros, legs, quote_id, settled_at_ms, wire, http_status,
            at_ms, latency_ms, trace)
          SELECT ${sql.lit(applicationId)}, ${sql.lit(suffixFloor(atMs))} || ${padded},
            ${sql.lit(people.get('user-1') ?? '')}, 'key_1', 'live', 'acme/smart', '["pa_1","openai","gpt-x"]', 1,
            50, 10, '{"input":50,"output":10}', 'provider_reported', n, n, n, 0, 0, 0, '[]', 'quote-1',
            ${sql.lit(atMs + 900)}, 'chat', 200, ${sql.lit(atMs)}, 900, '["pro",1]'
          FROM numbers`.execute(tx)
      })
    }
  })
  afterAll(() => place.control.close())

  const member = '/v1/team/eve@acme.test'
  it.each([
    ['is removed', (control: Control) => control.call('DELETE', member)],
    ['gets a lower role', (control: Control) => control.call('PATCH', member, { body: { role: 'viewer' } })],
  ])('an export is cut off if its member %s', async (_, end) => {
    const session = await place.control.join('eve@acme.test', 'developer')
    await isBrokenOff({ session }, () => end(place.control))
  })

  it('the export is cut off if its token is revoked', async () => {
    const { control } = place
    const { body } = await control.call('POST', '/v1/application-keys', { body: { label: 'short' } })
    await isBrokenOff({ token: body.token }, () => control.call('DELETE', `/v1/application-keys/${body.id}`))
  })

  /**
   * The stream must send no further piece, and must not end normally. After a normal end, a client would treat the
   * export as complete.
   */
  async function isBrokenOff(credential: CallOptions, end: () => Promise<Answer>): Promise<void> {
    const answer = await place.control.stream('/v1/usage/export', { app: 'acme', ...credential })
    const reader = answer.body?.getReader()
    assert(reader)
    expect([answer.status, (await reader.read()).done]).toEqual([200, false])
    expect((await end()).status).toBe(200)
    await expect(reader.read()).rejects.toBeInstanceOf(Failure)
  }

  it('a large export is sent in constant memory', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const answer = await place.control.stream('/v1/usage/export', { app: 'acme' })
    assert(answer.body)
    let count = 0
    let micros = 0n
    let rest = ''
    let largest = 0
    const heaps: number[] = []
    for await (const chunk of answer.body) {
      largest = Math.max(largest, chunk.length)
      const lines = (rest + Buffer.from(chunk).toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) micros += BigInt(/"costMicros":"(\d+)"/.exec(line)?.[1] ?? '')
      const tenth = Math.floor((count + lines.length) / (rows / 10))
      if (tenth > Math.floor(count / (rows / 10))) {
        collect()
        heaps.push(process.memoryUsage().heapUsed)
      }
      count += lines.length
    }
    expect([count, rest]).toEqual([rows, ''])
    expect(micros).toBe((BigInt(rows / perChunk) * BigInt(perChunk) * BigInt(perChunk + 1)) / 2n)
    expect(largest).toBeLessThan(1024 * 1024)
    const [first = 0] = heaps
    expect(Math.max(...heaps) - first, heaps.join(' ')).toBeLessThan(8 * 1024 * 1024)
  })
})

it.each(testedEngines)(
  'consecutive exports contain each request once after the clock was set back by an hour, on %s',
  async (engine) => {
    const place = await open(engine, ['user-1'])
    const { clock } = place.control
    const settled = async (): Promise<string> => {
      const callId = await reserveCall(place.control, 'acme', place.keyId, null)
      await settleCall(place.control, 'acme', callId)
      return idOf('ur', callId)
    }
    try {
      const credit = { endUsers: ['user-1'], amountUnits: '1000000', reason: 'test' }
      await place.control.call('POST', '/v1/grants', { app: 'acme', body: credit })
      const first = await settled()
      clock.nowMs = nowMs - 60 * minuteMs
      const second = await settled()
      clock.nowMs = nowMs + 10 * minuteMs
      const exported = async (from: number, to: number): Promise<string[]> => {
        const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
        const { text } = await place.control.call('GET', query(range), { app: 'acme' })
        return linesOf(text).map(({ id }) => id)
      }
      const borderMs = nowMs - 30 * minuteMs
      expect(await exported(nowMs - 120 * minuteMs, borderMs)).toEqual([second])
      expect(await exported(borderMs, nowMs + 5 * minuteMs)).toEqual([first])
    } finally {
      await place.control.close()
    }
  },
)

it.each(testedEngines)('a refund does not repeat the assumed cost of its request, on %s', async (engine) => {
  const place = await open(engine, ['user-1'])
  const { control, keyId } = place
  try {
    const credit = { endUsers: ['user-1'], amountUnits: '1000000', reason: 'test' }
    await control.call('POST', '/v1/grants', { app: 'acme', body: credit })
    const callId = await reserveCall(control, 'acme', keyId, null)
    // The price has no rate for cache writes.
    await settleCall(control, 'acme', callId, {}, 'live', { cacheWrite: 30 })
    const refund = { reason: 'test' }
    const id = idOf('req', callId)
    assert.equal(
      (await control.call('POST', `/v1/requests/${id}/refund`, { app: 'acme', body: refund })).status,
      200,
    )
    control.clock.nowMs += 3 * minuteMs
    const amountsOf = async (columns: 'usage' | 'focus', name: string): Promise<unknown[]> =>
      linesOf((await control.call('GET', query({ columns }), { app: 'acme' })).text).map(
        (row) => (row as unknown as Readonly<Record<string, unknown>>)[name],
      )
    const { totals } = (await control.call('GET', '/v1/margin', { app: 'acme' })).body
    expect(totals.assumedMicros).not.toBe('0')
    expect(await amountsOf('usage', 'assumedMicros')).toEqual([totals.assumedMicros, '0'])
    expect(await amountsOf('focus', 'x_AssumedCost')).toEqual([
      expect.not.stringMatching(/^0\.0+$/),
      '0.000000',
    ])
  } finally {
    await place.control.close()
  }
})
