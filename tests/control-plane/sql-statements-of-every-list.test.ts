/**
 * A list must read a page with a fixed number of SQL statements. A list that runs more statements for each row is
 * fast in tests, and slow for customers with many rows.
 */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { SqliteRows } from '#store/sqlite/run-prepared-statements.ts'
import type { Control } from '../support/control-plane-without-socket.ts'
import {
  openFilled,
  passkeyOf,
  reserveCall,
  sampleOf,
  settleCall,
  type Filled,
  type FilledControl,
} from '../support/valid-request-of-every-operation.ts'

const rows = 30
const few = 3

const lists = operations.filter(({ input }) => 'cursor' in input.query.shape)

/** These lists cannot have as many rows as the test adds. */
const rowsMax: Readonly<Record<string, number>> = { 'emitters.list': 16, 'catalog.providers': 11 }

let open: FilledControl
beforeAll(async () => {
  open = await openFilled()
  await addRows(open)
}, 300_000)
afterAll(() => open.control.close())

test.each(lists.map((operation) => ({ id: operation.id, operation })))(
  '$id runs the same number of SQL statements for 3 rows as for 30 rows',
  async ({ id, operation }) => {
    const ofFew = await readPage(operation, few)
    const ofMany = await readPage(operation, rows)
    expect(ofFew.rows).toBe(few)
    expect(ofMany.rows).toBe(rowsMax[id] ?? rows)
    expect(ofMany.statements).toEqual(ofFew.statements)
  },
)

/** The statements are counted by their text, without parameters. */
async function readPage(operation: Operation, limit: number) {
  const { control, ids } = open
  const {
    path = {},
    query = {},
    session,
    token,
  } = { ...sampleOf(operation, ids), ...othersOf(ids)[operation.id] }
  const address = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  )
  const search = new URLSearchParams({ ...query, limit: String(limit) })
  const run = vi.spyOn(SqliteRows.prototype, 'run')
  const answer = await control.call('GET', `${address}?${search.toString()}`, {
    app: 'acme',
    ...(session && { session, token: null }),
    ...(token !== undefined && { token }),
  })
  const texts = run.mock.calls.map(([sql]) => sql.replaceAll(/\?(?:, \?)+/g, '?'))
  run.mockRestore()
  assert.equal(answer.status, 200, `${address}: ${answer.text}`)
  const counts = [...Map.groupBy(texts, (sql) => sql)].map(([sql, same]) => `${same.length} x ${sql}`)
  return { rows: answer.body.data.length as number, statements: counts.toSorted() }
}

/** The sample queries of these lists select too few rows. */
function othersOf(ids: Filled): Readonly<
  Record<
    string,
    {
      readonly query?: Readonly<Record<string, string>>
      readonly path?: Readonly<Record<string, string>>
      readonly session?: Filled['owner']
    }
  >
> {
  return {
    'catalog.models': { query: {} },
    'invoices.list': { query: {} },
    margin: { query: { by: 'endUser' } },
    'passkeys.list': { query: {}, session: ids.developer },
    'sessions.list': { session: ids.owner },
  }
}

/** Each list gets at least 30 rows, including the data that is shown with each row. */
async function addRows({ control, ids }: FilledControl): Promise<void> {
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    token?: string,
  ): Promise<{ id: string }> => {
    const answer = await control.call(method, path, {
      app: 'acme',
      body,
      ...(token !== undefined && { token }),
    })
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const limits = [
    { measure: 'requests', window: 'month', most: '1000000' },
    { measure: 'calls', most: '100' },
  ]
  const price = { input: '1', output: '2' }
  const pool = { displayName: 'Shared', unit: 'micros', amount: '1000000', memberCap: '1000' }
  await call('PUT', '/v1/bundles/shared', { displayName: 'Shared', limits })
  await call('POST', '/v1/bundles/shared/allow', { models: ['*'] })
  for (let n = 0; n < rows; n++) {
    // oxlint-disable no-await-in-loop -- one after the other
    await call('PUT', `/v1/apps/app-${n}`, { name: 'App' })
    await call('PUT', `/v1/providers/provider-${n}`, {
      kind: 'openai_compatible',
      baseUrl: `https://p${n}.example.com/v1`,
      apiKey: 'sk-upstream-0001',
    })
    await call('POST', `/v1/providers/provider-${n}/price`, { model: 'gpt-x', price })
    await call('POST', '/v1/providers/main/price', { model: `gpt-${n}`, price })
    await call('PUT', `/v1/models/acme%2Fmodel-${n}`, {
      sources: [{ provider: `provider-${n}`, model: 'gpt-x' }],
    })
    await call('PUT', `/v1/routers/acme%2Frouter-${n}`, {
      policy: 'priority',
      targets: [{ alias: `acme/model-${n}` }, { provider: `provider-${n}`, model: 'gpt-x' }],
    })
    await call('PUT', `/v1/bundles/bundle-${n}`, { displayName: 'Bundle', priceMicros: '20000000', limits })
    await call('POST', `/v1/bundles/bundle-${n}/include`, { ...pool, slug: 'pool' })
    await call('POST', `/v1/bundles/bundle-${n}/allow`, { models: ['*'] })
    await call('PUT', `/v1/outcomes/outcome-${n}`, { displayName: 'Outcome', ceilingMicros: '5000000' })
    await call('POST', '/v1/application-keys', { label: `token ${n}` })
    if (n < 15) await call('POST', '/v1/emitters', { kind: 'webhook', url: `https://hooks.example.com/${n}` })
    await call('POST', `/v1/emitters/${ids.emitterId}/test`)
    await call('PUT', `/v1/end-users/payer-${n}`, { bundle: `bundle-${n}` })
    await call('PUT', `/v1/end-users/payer-${n}/limit`, { limits })
    await call('POST', '/v1/grants', {
      endUsers: [`payer-${n}`, 'user-1'],
      amountUnits: '1000000',
      reason: `grant ${n}`,
    })
    await call('PUT', `/v1/teams/team-${n}`, { displayName: 'Team', payer: `payer-${n}`, limits })
    await call('PUT', `/v1/end-users/member-${n}`, { bundle: 'shared' })
    await call('PUT', `/v1/teams/labs/members/member-${n}`, { capMicros: '5000000' })
    const { id } = await call('POST', '/v1/keys', { endUserId: `payer-${n}`, limits, capMicros: '1000000' })
    await settleCall(control, 'acme', await reserveCall(control, 'acme', id, runOf(n)))
    await settleCall(control, 'acme', await reserveCall(control, 'acme', ids.keyId, runOf(n)))
    await reserveCall(control, 'acme', id, null)
    if (n < 15) await call('POST', '/v1/portal/keys', {}, ids.portalSession)
    else await call('POST', '/v1/keys', { endUserId: 'user-1' })
    await call('POST', `/v1/end-users/payer-${n}/subscription/cancel`, { atPeriodEnd: true })
    // oxlint-enable no-await-in-loop
  }
  await addPeople(control, ids)
}

function runOf(n: number) {
  return { slug: 'report', runId: `run of row ${n}`, ceilingMicros: 5_000_000n }
}

async function addPeople(control: Control, ids: Filled): Promise<void> {
  const { clock, newId, organizationId, store } = control
  const members = await store.read.members.list(organizationId, { limit: 10, after: null })
  const withEmail = (email: string) => members.rows.find((one) => one.email === email) ?? assert.fail()
  const [owner, developer] = [withEmail(ids.ownerEmail), withEmail(ids.developerEmail)]
  const session = {
    organizationId,
    memberId: owner.id,
    address: '',
    userAgent: '',
    activeApplicationId: null,
    createdAtMs: clock.nowMs,
    lastUsedAtMs: clock.nowMs,
  }
  await store.transaction(async (tx) => {
    for (let n = 0; n < rows; n++) {
      // oxlint-disable no-await-in-loop -- in one transaction
      await tx.members.insert(
        { ...developer, id: idOf('mem', newId()), email: `member-${n}@acme.example.com` },
        null,
      )
      await tx.memberSessions.insert({ ...session, id: idOf('ses', newId()) }, sha256(`session ${n}`))
      await tx.passkeys.insert(passkeyOf(developer, `passkey ${n}`, control))
      // oxlint-enable no-await-in-loop
    }
  })
}
