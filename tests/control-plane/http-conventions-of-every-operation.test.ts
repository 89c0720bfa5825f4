/**
 * The tested guarantees come from one mechanism that serves every operation (http/operation-routes.ts). Other files
 * test odd values of fields (invalid-input-to-every-operation.test.ts), the rules of a body
 * (parsing-of-bodies-paths-and-queries.test.ts), and an Idempotency-Key with a precondition
 * (idempotency-and-preconditions.test.ts).
 */
import assert from 'node:assert/strict'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { takesIdempotencyKey } from '#http/errors-of-operation.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import {
  openControl,
  password,
  type CallOptions,
  type Control,
} from '../support/control-plane-without-socket.ts'
import type { Answer } from '../support/start-product.ts'
import { commitsOf, Rehearsal } from '../support/roll-back-each-write.ts'
import {
  callerOf,
  filled,
  openFilled,
  operationOf,
  passkeyOf,
  reserveCall,
  sampleOf,
  send,
  settleCall,
  urlOf,
  type Filled,
  type Sample,
} from '../support/valid-request-of-every-operation.ts'

const requestIds = new Set<string>()

function withNewId(answer: Answer): Answer {
  const id = answer.headers.get('x-request-id') ?? ''
  expect(id).toMatch(/^req_[0-9a-z]{26}$/)
  expect(requestIds, `${id} is given twice`).not.toContain(id)
  requestIds.add(id)
  return answer
}

describe('conventions of every operation, with writes rolled back', () => {
  let control: Control
  let ids: Filled
  const rehearsal = new Rehearsal()
  beforeAll(async () => {
    control = await openControl({ seenStore: rehearsal.seenStore })
    ids = await filled(control)
  })
  afterAll(() => control.close())

  const call: Control['call'] = async (...sent) => {
    rehearsal.undoesNext = true
    return withNewId(await control.call(...sent))
  }
  const sendSample = async (operation: Operation, sample: Sample, options: CallOptions = {}) => {
    rehearsal.undoesNext = true
    return withNewId(await send(control, operation, sample, options))
  }

  for (const operation of operations) {
    it(`${operation.id} rejects an unknown query parameter, and the error names the parameter`, async () => {
      const sample = sampleOf(operation, ids)
      const commits = await commitsOf(control)
      const answer = await sendSample(operation, {
        ...sample,
        query: { ...sample.query, organizationId: 'x' },
      })
      expect([answer.status, answer.body.error.code]).toEqual([400, 'unknown_field'])
      expect(answer.body.error.param).toBe('organizationId')
      expect(answer.body.error.details.known).toBe(
        Object.keys(operation.input.query.shape).join(', ') || 'no fields',
      )
      expect(await commitsOf(control)).toBe(commits)
    })
  }

  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    it(`${operation.id} responds to HEAD like GET, without a body`, async () => {
      const sample = sampleOf(operation, ids)
      const get = await sendSample(operation, sample)
      const head = await call('HEAD', urlOf(operation, sample), callerOf(sample))
      const headersOf = ({ headers }: Answer): object => {
        const { 'x-request-id': _, ...rest } = Object.fromEntries(headers)
        return rest
      }
      expect([head.status, head.text, headersOf(head)]).toEqual([get.status, '', headersOf(get)])
    })
  }

  for (const operation of operations.filter(({ hasRevision }) => hasRevision)) {
    it(`${operation.id} rejects an outdated If-Match, and accepts the current ETag`, async () => {
      const sample = sampleOf(operation, ids)
      const commits = await commitsOf(control)
      const stale = await sendSample(operation, sample, { headers: { 'if-match': '"stale"' } })
      expect([stale.status, stale.body.error?.code]).toEqual([412, 'precondition_failed'])
      expect(await commitsOf(control)).toBe(commits)
      const { actual } = stale.body.error.details
      const present: Record<string, string> =
        actual === 'none' ? { 'if-none-match': '*' } : { 'if-match': actual }
      const answer = await sendSample(operation, sample, { headers: present })
      expect(answer.status, answer.text).toBe(200)
    })
  }

  for (const operation of operations.filter(({ hasRevision, method }) => !hasRevision && method !== 'GET')) {
    it(`${operation.id} has no ETag, and rejects an If-Match`, async () => {
      const answer = await sendSample(operation, sampleOf(operation, ids), { headers: { 'if-match': '*' } })
      expect([answer.status, answer.body.error.param]).toEqual([400, 'if-match'])
    })
  }

  for (const [shape, atPath] of Map.groupBy(operations, ({ path }) => path.replaceAll(/\{\w+\}/g, '{}'))) {
    it(`${shape} rejects other methods, and lists its allowed methods`, async () => {
      const [operation] = atPath
      assert(operation)
      const url = urlOf(operation, sampleOf(operation, ids)).replace(/\?.*/, '')
      for (const method of ['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS']) {
        const others = operations.filter((other) => isAt(other, url))
        if (others.some((other) => other.method === method)) continue
        const answer = await call(method, url)
        expect([method, answer.status, answer.body.error.code]).toEqual([method, 405, 'method_not_allowed'])
        const allowed = others.flatMap((other) => (other.method === 'GET' ? ['GET', 'HEAD'] : [other.method]))
        expect(answer.headers.get('allow')).toBe([...new Set(allowed)].toSorted().join(', '))
      }
    })
  }
})

/** The name of a model in a path may contain slashes. */
function isAt({ path }: Operation, url: string): boolean {
  const pattern = path.replaceAll('{name}', '.+').replaceAll(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${pattern}$`).test(url)
}

describe('an Idempotency-Key', () => {
  let control: Control
  let ids: Filled
  beforeEach(async () => {
    ;({ control, ids } = await openFilled())
    // Each copy of a control plane generates the same IDs.
    requestIds.clear()
  })
  afterEach(() => control.close())

  for (const operation of operations) {
    if (!takesIdempotencyKey(operation)) continue
    it(`${operation.id} is executed once for a repeated Idempotency-Key, and rejects a different request with the same key`, async () => {
      const sample = sampleOf(operation, ids)
      const options = { app: 'acme', headers: { 'idempotency-key': 'once' } }
      const first = withNewId(await send(control, operation, sample, options))
      expect(first.status, first.text).toBe(200)
      const commits = await commitsOf(control)
      const repeat = withNewId(await send(control, operation, sample, options))
      if (endsItsCaller.has(operation.id)) {
        expect(repeat.status).toBe(401)
        return
      }
      if (operation.answersSecret) {
        expect([repeat.status, repeat.body.error.code]).toEqual([409, 'secret_not_kept'])
      } else {
        expect([repeat.status, repeat.text]).toEqual([200, first.text])
        expect(repeat.headers.get('idempotent-replayed')).toBe('true')
      }
      const other = otherThan(operation, sample)
      if (other !== null) {
        const answer = withNewId(await send(control, operation, other, options))
        expect([answer.status, answer.body.error.code]).toEqual([422, 'idempotency_mismatch'])
      }
      expect(await commitsOf(control)).toBe(commits)
    })
  }
})

/** `portal.signOut` ends the caller's access, so the caller cannot repeat the request. */
const endsItsCaller = new Set(['portal.signOut'])

/** Returns a different request that the operation's schemas accept. Null if the schemas accept only the sample. */
function otherThan({ id, input }: Operation, sample: Sample): Sample | null {
  for (const [name, value] of Object.entries(sample.body ?? {})) {
    for (const other of othersThan(value)) {
      const body = { ...sample.body, [name]: other }
      if (input.body?.safeParse(body).success === true) return { ...sample, body }
    }
  }
  const [path] = Object.entries(sample.path ?? {})
  if (path) return { ...sample, path: { ...sample.path, [path[0]]: `${path[1]}1` } }
  assert(Object.keys(sample.body ?? {}).length === 0, `there is no other body of ${id}`)
  return null
}

function othersThan(value: unknown): unknown[] {
  if (typeof value === 'boolean') return [!value]
  if (typeof value === 'number') return [value + 1]
  if (Array.isArray(value)) return [value.slice(1), [...value, ...value]]
  if (typeof value !== 'string') return [undefined]
  return [`${value}1`, undefined, 'failed', 'scale', 'developer', '2027-03-01T00:00:00Z']
}

/** Null if the list has the same rows for every caller. */
type Add = ((control: Control, ids: Filled, n: number) => Promise<unknown>) | null

const put =
  (path: string, body: object): Add =>
  (control, _, n) =>
    done(control.call('PUT', path.replace('*', String(n)), { app: 'acme', body }))

const post =
  (path: string, bodyOf: (n: number) => object): Add =>
  (control, _, n) =>
    done(control.call('POST', path, { app: 'acme', body: bodyOf(n) }))

const grant = post('/v1/grants', () => ({ endUsers: ['user-1'], amountUnits: '1', reason: 'more' }))
const price = { input: '1', output: '1' }

const addMember: Add = async (control, _, n) => {
  await done(control.call('PUT', `/v1/end-users/member-${n}`, {}))
  await done(control.call('PUT', `/v1/teams/labs/members/member-${n}`, { body: {} }))
}

const rowsOf: Readonly<Record<string, Add>> = {
  'apps.list': put('/v1/apps/row-*', { name: 'Row' }),
  'audit.list': put('/v1/apps/row-*', { name: 'Row' }),
  'bundles.list': put('/v1/bundles/row-*', { displayName: 'Row' }),
  'catalog.models': null,
  'catalog.providers': null,
  'emitters.deliveries': (control, { emitterId }) =>
    done(control.call('POST', `/v1/emitters/${emitterId}/test`, { app: 'acme' })),
  'emitters.list': post('/v1/emitters', (n) => ({ kind: 'webhook', url: `https://row-${n}.example.com/` })),
  'grants.list': grant,
  'invoices.list': put('/v1/end-users/row-*', { bundle: 'pro' }),
  'keys.list': post('/v1/keys', () => ({ endUserId: 'user-1' })),
  margin: async (control, _, n) => {
    const endUserId = `row-${n}`
    const key = await control.call('POST', '/v1/keys', { app: 'acme', body: { endUserId } })
    const body = { endUsers: [endUserId], amountUnits: '1000000', reason: 'row' }
    await done(control.call('POST', '/v1/grants', { app: 'acme', body }))
    await settleCall(control, 'acme', await reserveCall(control, 'acme', key.body.id, null))
  },
  'models.list': put('/v1/models/acme/row-*', { sources: [{ provider: 'main', model: 'gpt-x' }] }),
  'outcomes.list': put('/v1/outcomes/row-*', { displayName: 'Row', ceilingMicros: '1' }),
  'outcomes.runs': (control, { keyId }, n) =>
    reserveCall(control, 'acme', keyId, { slug: 'report', runId: `row-${n}`, ceilingMicros: 5_000_000n }),
  'teams.list': async (control, _, n) => {
    await done(control.call('PUT', `/v1/end-users/payer-${n}`, {}))
    await done(
      control.call('PUT', `/v1/teams/row-${n}`, { body: { displayName: 'Row', payer: `payer-${n}` } }),
    )
  },
  'teams.members': addMember,
  'passkeys.list': (control, { developerEmail }, n) =>
    control.store.transaction(async ({ members, passkeys }) => {
      const member = await members.joinedByEmail(developerEmail)
      assert(member)
      await passkeys.insert(passkeyOf(member, `row-${n}`, control))
    }),
  'portal.keys': (control, { portalSession }) =>
    done(control.call('POST', '/v1/portal/keys', { token: portalSession, body: { name: 'row' } })),
  'portal.ledger': grant,
  'portal.team': addMember,
  'portal.requests': (control, { keyId }) => reserveCall(control, 'acme', keyId, null),
  'providers.list': put('/v1/providers/row-*', { kind: 'simulator' }),
  'providers.models': post('/v1/providers/main/price', (n) => ({ model: `row-${n}`, price })),
  'requests.list': (control, { keyId }) => reserveCall(control, 'acme', keyId, null),
  'routers.list': put('/v1/routers/acme/row-*', {
    policy: 'priority',
    targets: [{ provider: 'main', model: 'gpt-x' }],
  }),
  'sessions.list': (control, { ownerEmail }) =>
    done(control.call('POST', '/v1/sessions', { token: null, body: { email: ownerEmail, password } })),
  'team.list': put('/v1/team/row-*@example.com', { role: 'viewer' }),
  'tokens.list': post('/v1/application-keys', () => ({ label: 'row' })),
  'users.ledger': grant,
  'users.list': put('/v1/end-users/row-*', {}),
}

/** Other queries, for list operations whose sample query returns only one row. */
const queries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'invoices.list': {},
  margin: { by: 'endUser' },
}

async function done(call: Promise<Answer>): Promise<void> {
  const answer = await call
  assert.equal(answer.status, 200, answer.text)
}

const lists = operations.filter(({ input }) => 'cursor' in input.query.shape)

describe('a list', () => {
  it('every list operation has a query and a way to add rows in this test', () => {
    expect(Object.keys(rowsOf).toSorted()).toEqual(lists.map(({ id }) => id).toSorted())
  })

  for (const operation of operations) {
    const { id, input, output } = operation
    if (!('shape' in output) || !('nextCursor' in Object(output.shape))) continue
    it(`${id} accepts a limit and a cursor, and states its order`, () => {
      expect(Object.keys(input.query.shape)).toEqual(expect.arrayContaining(['limit', 'cursor']))
      expect(operation.description).toMatch(/newest first|in (?:the|descending) order of/i)
    })
  }

  for (const id of Object.keys(rowsOf)) {
    it(`${id} shows each row once, page by page, while rows are added`, async () => {
      const { control, ids } = await openFilled()
      try {
        await walk(control, operationOf(id), ids)
      } finally {
        await control.close()
      }
    })
  }
})

/** Adds a row before each page except the last. */
async function walk(control: Control, operation: Operation, ids: Filled): Promise<void> {
  const add = rowsOf[operation.id] ?? (async () => {})
  const query = queries[operation.id]
  const sample = query ? { query } : sampleOf(operation, ids)
  const page = async (
    asked: Record<string, string>,
  ): Promise<{ data: unknown[]; nextCursor: string | null }> => {
    const answer = await send(
      control,
      operation,
      { ...sample, query: { ...sample.query, ...asked } },
      { app: 'acme' },
    )
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  let n = 0
  for (; n < 4; n++) {
    control.clock.nowMs += n % 2
    await add(control, ids, n)
  }
  const whole = await page({ limit: '200' })
  const first = whole.data.map(nameOf)
  expect(new Set(first).size).toBe(first.length)
  expect(first.length).toBeGreaterThan(1)
  if (/newest first/i.test(operation.description)) {
    const times = whole.data.map(timeOf)
    expect(times).toEqual(times.toSorted((one, other) => other - one))
  }
  const seen: string[] = []
  let cursor: string | null = null
  let pages = 0
  do {
    if (pages < 4) await add(control, ids, n++)
    const next: Awaited<ReturnType<typeof page>> = await page({
      limit: '1',
      ...(cursor !== null && { cursor }),
    })
    expect(next.data.length).toBeLessThanOrEqual(1)
    seen.push(...next.data.map(nameOf))
    cursor = next.nextCursor
    pages += 1
  } while (cursor !== null && pages < 120)
  expect(new Set(seen).size, 'a row is shown twice').toBe(seen.length)
  const known = new Set(first)
  const shownFirst = seen.filter((name) => known.has(name))
  expect(shownFirst).toEqual(cursor === null ? first : first.slice(0, shownFirst.length))
}

/** The name does not change when other fields of the row change. */
function nameOf(row: unknown): string {
  const fields: Record<string, unknown> = Object(row)
  const names = ['id', 'slug', 'name', 'model', 'runId', 'endUserId'].map((field) => fields[field])
  const name = names.find((value) => typeof value === 'string')
  return typeof name === 'string' ? name : JSON.stringify(row)
}

/** 0 means that the row has no time. */
function timeOf(row: unknown): number {
  const { at, createdAt, startedAt }: { at?: string; createdAt?: string; startedAt?: string } = Object(row)
  return Date.parse(createdAt ?? at ?? startedAt ?? '') || 0
}
