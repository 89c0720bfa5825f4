/**
 * Source of the rule: operations/kernel/put-fields.ts. A PUT keeps the value of an omitted field, and null removes
 * the value or resets it to its default. The PUT operations come from the table, so a new PUT fails here until this
 * file has a complete request for it.
 */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errors } from '#domain/errors.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { putRowsOf, type PutRow } from '#operations/kernel/put-fields.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import type { Answer } from '../support/start-product.ts'
import { operationOf } from '../support/valid-request-of-every-operation.ts'

type Json = Readonly<Record<string, unknown>>

/** The request sets every field of the operation to a value other than its default. */
interface Complete {
  readonly operation: string
  readonly url: string
  readonly body: Json
  /** The effect of null on a field, if the response does not show null or the default under the field's name. */
  readonly nulls?: Readonly<Record<string, NullCase>>
  /** Fields that the request sets to their default. */
  readonly atDefault?: readonly string[]
  /** Fields whose value is different in each response. */
  readonly unlike?: readonly string[]
}

type NullCase = { readonly rejected: true } | { readonly with?: Json; readonly shows: Json }

const key = 'sk-proj-0123456789abcdef'
const source = { provider: 'main', model: 'gpt-x' }

const complete: readonly Complete[] = [
  { operation: 'apps.create', url: '/v1/apps/other', body: { name: 'Other' } },
  {
    operation: 'apps.apply',
    url: '/v1/apps/acme/configuration',
    body: {
      format: 1,
      application: { name: 'Renamed' },
      brand: { productName: 'Acme', primaryColor: '#2563eb' },
      gateway: { wires: ['chat'], defaultMaxTokens: 4096 },
      providers: [{ label: 'main', kind: 'openai_compatible' }],
      models: [{ name: 'acme/applied', sources: [source], ceilings: { outputTokens: 500 }, enabled: false }],
      routers: [{ name: 'acme/applied-too', policy: 'sticky', stickyBy: 'session', targets: [source] }],
      bundles: [
        { slug: 'applied', displayName: 'Applied', priceMicros: '20000000', allow: ['acme/applied'] },
      ],
      outcomes: [{ slug: 'applied', displayName: 'Applied', ceilingMicros: '5' }],
      teams: [{ slug: 'applied', displayName: 'Applied', payer: 'other-payer' }],
    },
    // A repeated request changes nothing, so its list of changes is empty.
    unlike: ['changes'],
  },
  {
    operation: 'bundles.create',
    url: '/v1/bundles/pro',
    body: {
      displayName: 'Pro',
      priceMicros: '20000000',
      interval: 'year',
      spendLimitMicros: '5000000',
      spendLimitPeriod: 'day',
      limits: [{ measure: 'requests', window: 'minute', most: '60' }],
      terminationPolicy: 'grace',
      maxOverdraftMicros: '300',
      debitBasis: 'sell_price',
      creditCurrency: 'sparks',
      onClientLeft: 'cut',
      providerTools: { webSearch: 'drop' },
    },
  },
  {
    operation: 'bundles.include',
    url: '/v1/bundles/free/include',
    body: {
      slug: 'base',
      displayName: 'Base',
      unit: 'micros',
      amount: '5000000',
      price: '900',
      thenOnDemand: false,
      recurring: true,
      spilloverTo: 'other',
      models: ['acme/smart'],
      memberCap: '700',
      rollover: { percent: 50, periodsMax: 2 },
    },
    // A rollover requires a recurring include, so `recurring` keeps its default here.
    atDefault: ['recurring'],
  },
  {
    operation: 'users.limit',
    url: '/v1/end-users/user-1/limit',
    body: { limits: [{ measure: 'micros', window: 'day', most: '1000' }] },
  },
  {
    operation: 'models.add',
    url: '/v1/models/acme%2Ffast',
    body: { sources: [source, { ...source, model: 'gpt-y' }], ceilings: { outputTokens: 500 } },
  },
  {
    operation: 'outcomes.add',
    url: '/v1/outcomes/report',
    body: { displayName: 'Report', ceilingMicros: '5000000' },
  },
  {
    operation: 'providers.connect',
    url: '/v1/providers/vendor',
    body: { kind: 'openai', baseUrl: 'https://proxy.example.com/v1', apiKey: key, onClientLeft: 'drain' },
    nulls: {
      // If the address of an account changes, the request must contain the key again.
      baseUrl: { with: { apiKey: key }, shows: { baseUrl: 'https://api.openai.com/v1' } },
      apiKey: { rejected: true },
    },
  },
  {
    operation: 'providers.connect',
    url: '/v1/providers/local',
    body: {
      kind: 'openai_compatible',
      baseUrl: 'https://vllm.example.com/v1',
      apiKey: key,
      onClientLeft: 'cut',
    },
    nulls: {
      baseUrl: { rejected: true },
      apiKey: { shows: { lastFour: null, credentialSetAt: null } },
    },
  },
  {
    operation: 'routers.add',
    url: '/v1/routers/acme%2Fbest',
    body: {
      policy: 'sticky',
      stickyBy: 'session',
      targets: [{ alias: 'acme/smart', weight: 3 }, source],
      attempts: { withinMs: 30_000, attemptsMax: 3, alsoMovesOn: [451], timeouts: { firstByteMs: 10_000 } },
    },
    nulls: {
      attempts: {
        shows: {
          attempts: {
            withinMs: 120_000,
            attemptsMax: 5,
            retriesPerTarget: 1,
            onContextLength: 'next',
            alsoMovesOn: [],
            neverMovesOn: [],
            timeouts: {},
          },
        },
      },
    },
  },
  {
    operation: 'tags.set',
    url: '/v1/tags',
    body: { tags: [{ slug: 'search' }] },
  },
  {
    operation: 'team.invite',
    url: '/v1/team/new@example.com',
    body: { role: 'developer' },
    unlike: ['inviteUrl'],
  },
  {
    operation: 'teams.add',
    url: '/v1/teams/labs',
    body: {
      displayName: 'Labs',
      payer: 'user-1',
      limits: [{ measure: 'requests', window: 'day', most: '100' }],
    },
    nulls: { limits: { shows: { limits: [], limitUses: [] } } },
  },
  {
    operation: 'teams.addMember',
    url: '/v1/teams/labs/members/member',
    body: { capMicros: '5000000' },
  },
  {
    operation: 'users.create',
    url: '/v1/end-users/user-2',
    body: { email: 'two@example.com', bundle: 'team' },
  },
  {
    operation: 'users.subscribe',
    url: '/v1/end-users/user-1/subscription',
    body: { bundle: 'team' },
  },
]

const puts = operations.filter(({ input, method }) => method === 'PUT' || putRowsOf(input.body) !== null)

describe('the table of operations', () => {
  for (const { id, input } of puts) {
    it(`${id} declares what omission and null do to each field`, () => {
      const rows = putRowsOf(input.body)
      assert(rows, `the body of ${id} is not made by putBody`)
      assert(input.body && 'shape' in input.body)
      expect(rows.map(({ name }) => name)).toEqual(Object.keys(input.body.shape as object))
      const cases = complete.filter(({ operation }) => operation === id)
      expect(
        cases,
        `tests/control-plane/omitted-and-null-fields-of-put.test.ts has no complete request of ${id}`,
      ).not.toEqual([])
      for (const { body } of cases) expect(Object.keys(body)).toEqual(rows.map(({ name }) => name))
    })
  }

  it('every error that a PUT declares has a 4xx or 5xx status', () => {
    for (const { errors: codes, id } of puts)
      for (const code of codes) expect(errors[code].status, `${id} ${code}`).toBeGreaterThanOrEqual(400)
  })
})

describe.each(testedEngines)('on %s', (engine) => {
  let control: Control
  beforeAll(async () => {
    control = await openControl({ engine })
    await ready(control)
    const steps: readonly (readonly [string, string, object])[] = [
      ['PUT', '/v1/bundles/team', { displayName: 'Team' }],
      ['PUT', '/v1/end-users/member', {}],
      ['PUT', '/v1/end-users/other-payer', {}],
      [
        'POST',
        '/v1/bundles/free/include',
        { slug: 'other', displayName: 'Other', unit: 'micros', amount: '1' },
      ],
    ]
    for (const [method, path, body] of steps) {
      // oxlint-disable-next-line no-await-in-loop -- the second needs the first
      assert.equal((await control.call(method, path, { body })).status, 200)
    }
  })
  afterAll(async () => {
    await control.verify()
    await control.close()
  })

  for (const one of complete) {
    const operation = operationOf(one.operation)
    const rows = putRowsOf(operation.input.body) ?? []
    const put = (body: Json) => control.call(operation.method, one.url, { body, app: 'acme' })
    const shown = (body: Json): Json => without(body, one.unlike ?? [])
    const alwaysSent = Object.fromEntries(
      rows.filter(({ whenOmitted }) => whenOmitted === 'always').map(({ name }) => [name, one.body[name]]),
    )

    const needed = rows.filter(({ whenCreated }) => whenCreated === 'required').map(({ name }) => name)
    // `apps.apply` and `users.subscribe` change objects that exist before the request.
    const isCreating = !['apps.apply', 'users.subscribe'].includes(operation.id)
    for (const name of isCreating ? needed : []) {
      it(`${named(one)}: a PUT that creates an object requires ${name}`, async () => {
        const stored = await storedIn(control, operation)
        const answer = await put(without(one.body, [name]))
        expect([answer.status, answer.body.error?.param]).toEqual([400, name])
        expect(await storedIn(control, operation)).toBe(stored)
      })
    }

    it(`${named(one)}: a PUT keeps a field that is omitted alone, and all fields that are omitted together`, async () => {
      const first = await put(one.body)
      expect(first.status, first.text).toBe(200)
      if (operation.id === 'apps.apply') expect(madeBy(first).length).toBeGreaterThan(5)
      const stored = await storedIn(control, operation)
      const smaller = [
        alwaysSent,
        ...rows
          .filter(({ whenOmitted }) => whenOmitted === 'kept')
          .map(({ name }) => without(one.body, [name])),
      ]
      for (const body of smaller) {
        // oxlint-disable-next-line no-await-in-loop -- one change after the other
        const again = await put(body)
        expect([again.status, body, shown(again.body)]).toEqual([200, body, shown(first.body)])
        if (operation.id === 'apps.apply') expect(madeBy(again)).toEqual([])
        // oxlint-disable-next-line no-await-in-loop -- the same
        expect(await storedIn(control, operation)).toBe(stored)
      }
    })

    for (const row of rows) {
      it(`${named(one)}: a PUT with null ${verb(one, row)} ${row.name}, and changes nothing else`, async () => {
        const first = await put(one.body)
        const stored = await storedIn(control, operation)
        const expected = nullCase(one, row)
        const also = 'rejected' in expected ? {} : expected.with
        const answer = await put({ ...alwaysSent, ...also, [row.name]: null })
        if ('rejected' in expected) {
          expect([answer.status, answer.body.error?.param]).toEqual([400, row.name])
          expect(await storedIn(control, operation)).toBe(stored)
          return
        }
        expect(answer.status, answer.text).toBe(200)
        expect(shown(answer.body)).toEqual({ ...shown(first.body), ...expected.shows })
        if (!one.atDefault?.includes(row.name)) expect(answer.body).not.toEqual(first.body)
      })
    }
  }
})

function madeBy({ body }: Answer): readonly Json[] {
  return body.changes.filter(({ action }: Json) => action !== 'none')
}

function named({ operation, url }: Complete): string {
  return `${operation} ${url}`
}

function verb(one: Complete, row: PutRow): string {
  const expected = nullCase(one, row)
  if ('rejected' in expected) return 'is rejected for'
  return row.whenNull === 'removed' ? 'removes' : 'resets'
}

function nullCase({ nulls }: Complete, { name, whenNull }: PutRow): NullCase {
  const own = nulls?.[name]
  if (own) return own
  if (whenNull === 'rejected') return { rejected: true }
  if (whenNull === 'removed') return { shows: { [name]: null } }
  const text = whenNull.resetTo.slice(1, -1)
  const isJson = /^(?:true|false|[[{].*)$/.test(text)
  return { shows: { [name]: isJson ? JSON.parse(text) : text } }
}

function without(json: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)))
}

/** Excludes data that every request changes: configuration versions, invitation links, and encrypted provider keys. */
async function storedIn(control: Control, { id }: Operation): Promise<string> {
  const isNew = ['config_version', 'sealed_credential', ...(id === 'team.invite' ? ['invite_hash'] : [])]
  const dumped: readonly (string | readonly Json[])[] = JSON.parse(await control.dump())
  return dumped
    .map((part) =>
      typeof part === 'string'
        ? part
        : // PostgreSQL returns rows in no fixed order, and an updated row may move.
          part
            .map((row) => JSON.stringify(without(row, isNew)))
            .toSorted()
            .join('\n'),
    )
    .join('\n')
}
