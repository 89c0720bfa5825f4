import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demoPaths } from '#demo/demo-paths.ts'
import { rateLimits } from '#http/control-plane-rate-limiter.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { demoOf, type Counts } from '../support/demo-tier-client.ts'
import * as published from '../contract/demo-tier-schemas.ts'

let control: Control
beforeAll(async () => {
  control = await openControl()
  await ready(control)
})
afterAll(() => control.close())

const { anyone, as, expectPublished, peopleOf, subscriptionOf, usageOf } = demoOf(() => control)

const tenants = ['acme', 'globex'] as const
const mint = '/v1/keys'

/** `isShared` means that the control plane has the same path. */
const reads = [
  { path: '/v1/tenant', isShared: false, schema: published.tenant },
  { path: '/v1/end-users', isShared: true, schema: published.endUsers },
  { path: '/v1/usage', isShared: true, schema: published.usage },
  { path: '/v1/subscription', query: true, isShared: true, schema: published.subscription },
  { path: '/v1/keys', isShared: true, schema: published.keys },
  { path: '/v1/capabilities', isShared: false, schema: published.capabilities },
] as const

const notBuilt = [
  { path: '/v1/end-users/{externalId}/wallet/grant', isShared: false },
  { path: '/v1/subscription/on-demand', isShared: true },
  { path: '/v1/billing/payment-portal', isShared: false },
  { path: '/v1/chat/completions', isShared: false },
] as const

function urlOf(
  { path, ...read }: { readonly path: string; readonly query?: boolean },
  person = 'ada',
): string {
  const url = path.replace('{externalId}', person)
  return read.query ? `${url}?endUserId=${person}` : url
}

describe('a read of the demo tier', () => {
  for (const read of reads) {
    const person = { acme: 'ada', globex: 'user-42' }

    it(`GET ${read.path} returns data of the tenant in the header, in the published form`, async () => {
      for (const tenant of tenants) {
        const answer = await as(tenant, 'GET', urlOf(read, person[tenant]))
        expect(answer.status, answer.text).toBe(200)
        expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
        expect(answer.headers.get('cache-control')).toBe('no-store')
        await expectPublished(answer, read.schema, ['GET', read.path])
      }
    })

    it(`${read.path} responds to HEAD without a body`, async () => {
      const answer = await as('acme', 'HEAD', urlOf(read))
      expect([answer.status, answer.text]).toEqual([200, ''])
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    })

    it(`${read.path} requires an existing tenant`, async () => {
      for (const tenant of ['nobody', 'ACME', 'acme, globex', 'x'.repeat(5000), '__proto__']) {
        const answer = await as(tenant, 'GET', urlOf(read))
        expect([answer.status, answer.body.error.code]).toEqual([401, 'demo_tenant_unknown'])
        expect(answer.body.error.message).toContain('x-demo-tenant: acme or globex')
        expect(answer.text.length).toBeLessThan(500)
      }
      expect((await as('', 'GET', urlOf(read))).body.error.code).toBe('demo_tenant_required')
    })

    it(`${read.path} rejects a tenant together with a token`, async () => {
      const answer = await control.call('GET', urlOf(read), { headers: { 'x-demo-tenant': 'acme' } })
      expect([answer.status, answer.body.error.code]).toEqual([400, 'conflicting_credentials'])
    })

    it(`${read.path} rejects other methods, and the response lists the allowed methods`, async () => {
      for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const answer = await as('acme', method, urlOf(read))
        expect([answer.status, answer.body.error.code]).toEqual([405, 'method_not_allowed'])
        expect(answer.headers.get('allow')).toBe(read.path === mint ? 'GET, HEAD, POST' : 'GET, HEAD')
      }
    })

    it(`${read.path} with neither a tenant nor a token returns an error that names the required credential`, async () => {
      const answer = await anyone('GET', urlOf(read))
      expect(answer.status).toBe(401)
      expect(answer.body.error.code).toBe(read.isShared ? 'missing_credential' : 'demo_tenant_required')
    })

    it(`${read.path} rejects an unknown parameter`, async () => {
      const separator = urlOf(read).includes('?') ? '&' : '?'
      const answer = await as('acme', 'GET', `${urlOf(read)}${separator}limit=1`)
      expect([answer.status, answer.body.error.code]).toEqual([400, 'unknown_field'])
    })
  }

  it('if a token is sent, a path that both tiers have is served by the control plane', async () => {
    const people = await control.call('GET', '/v1/end-users')
    expect(people.body.data.map((person: { externalId: string }) => person.externalId)).toEqual(['user-1'])
    expect((await control.call('GET', '/v1/usage')).body.rows).toEqual([])
    expect((await control.call('GET', '/v1/subscription?endUserId=user-1')).status).toBe(200)
    expect((await control.call('GET', '/v1/keys')).body.data).toEqual([])
    expect((await control.call('POST', mint, { body: { endUserId: 'user-1' } })).body.livemode).toBe(true)
  })

  it('if a caller with a token requests a path that only the demo tier has, the error names the path that replaces it', async () => {
    for (const path of ['/v1/tenant', '/v1/capabilities']) {
      const answer = await control.call('GET', path)
      expect([answer.status, answer.body.error.code]).toEqual([404, 'no_such_path'])
      expect(answer.body.error.message).toContain('x-demo-tenant instead of a token. See GET /v1/')
    }
  })
})

describe('a path that is published but not implemented', () => {
  for (const { path } of notBuilt) {
    const url = urlOf({ path })

    it(`POST ${path} returns 501 with the number of the issue for this feature, in the published format`, async () => {
      const answers = [
        await as('acme', 'POST', url),
        await as('nobody', 'POST', url),
        await as('globex', 'POST', url, { anything: 1 }),
        await as('globex', 'POST', url, '{'),
        await anyone('POST', url),
      ]
      for (const answer of answers) {
        expect(answer.status).toBe(501)
        expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
        expect(answer.headers.get('x-should-retry')).toBe('false')
        expect(answer.headers.has('retry-after')).toBe(false)
        await expectPublished(answer, published.notImplemented, ['POST', path])
      }
    })

    it(`${path} and its feature in the list of capabilities name the same issue`, async () => {
      const { issue } = (await as('acme', 'POST', url)).body.error
      const { features } = (await as('acme', 'GET', '/v1/capabilities')).body
      expect(Object.values(features)).toContainEqual({
        available: false,
        reason: 'not_yet_released',
        issue,
        pages: [path],
      })
    })

    it(`${path} rejects other methods, and rejects a tenant together with a token`, async () => {
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
        const answer = await as('acme', method, url)
        expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
      }
      const both = await control.call('POST', url, { headers: { 'x-demo-tenant': 'acme' } })
      expect([both.status, both.body.error.code]).toEqual([400, 'conflicting_credentials'])
    })
  }

  it('the control plane serves a path that it implements if a credential is sent', async () => {
    const body = { endUserId: 'user-1', enabled: true }
    const wrong = await control.call('POST', '/v1/subscription/on-demand', { body, token: 'sk_wrong' })
    expect(wrong.body.error.code).toBe('invalid_token')
    const headers = { cookie: '__Host-session=x' }
    const browser = await control.call('POST', '/v1/subscription/on-demand', { body, headers, token: null })
    expect(browser.status).toBe(401)
    const set = await control.call('POST', '/v1/subscription/on-demand', { body })
    expect(set.body.onDemandEnabled).toBe(true)
  })

  it('if a caller with a token requests the path, the error names the replacement', async () => {
    const messageOf = async (path: string) => {
      const answer = await control.call('POST', path)
      expect([answer.status, answer.body.error.code]).toEqual([404, 'no_such_path'])
      return answer.body.error.message
    }
    expect(await messageOf('/v1/end-users/ada/wallet/grant')).toContain('POST /v1/grants')
    expect(await messageOf('/v1/billing/payment-portal')).toContain('no payment provider')
    expect(await messageOf('/v1/chat/completions')).toContain('http://<application>.gateway.localhost:8080')
  })
})

describe('requests that need no header', () => {
  it('the liveness check, the icon and the API document need no header', async () => {
    const health = await anyone('GET', '/health')
    await expectPublished(health, published.health, ['GET', '/health'])
    const icon = await anyone('GET', '/favicon.ico')
    expect(icon.headers.get('content-type')).toBe('image/svg+xml')
    expect(icon.headers.get('x-content-type-options')).toBe('nosniff')
    expect(icon.text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg".*<\/svg>\n$/)
    expect((await anyone('HEAD', '/favicon.ico')).text).toBe('')
    expect((await anyone('POST', '/favicon.ico')).headers.get('allow')).toBe('GET, HEAD')
    const { body } = await anyone('GET', '/v1/openapi.json')
    expect(body).toMatchObject({ openapi: '3.1.0', info: { title: expect.any(String), version: '0.0.0' } })
  })

  it('requests that need no header get the same responses with any headers', async () => {
    for (const path of ['/health', '/favicon.ico', '/v1/openapi.json']) {
      const answers = [
        await anyone('GET', path),
        await as('acme', 'GET', path),
        await as('nobody', 'GET', path),
        await control.call('GET', path, { headers: { 'x-demo-tenant': 'acme' } }),
      ]
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    }
  })
})

describe('the API document of the demo tier', () => {
  it('the document has every path of the demo tier, with the tenant’s header instead of the token', async () => {
    const { body } = await anyone('GET', '/v1/openapi.json')
    expect(body.components.securitySchemes.demoTenant).toMatchObject({
      type: 'apiKey',
      in: 'header',
      name: 'x-demo-tenant',
    })
    for (const { kind, method, path } of demoPaths) {
      const { responses, security } = body.paths[path][method.toLowerCase()]
      const isOpen = security.length === 0
      expect(isOpen || security.some((one: object) => 'demoTenant' in one), path).toBe(true)
      expect(Object.keys(responses)).toContain(kind === 'built' ? '200' : '501')
    }
    expect([...reads, ...notBuilt].map(({ path }) => path).toSorted()).toEqual(
      [...new Set(demoPaths.map(({ path }) => path))].toSorted(),
    )
  })
})

function sum(all: readonly Counts[]): Counts {
  return {
    calls: all.reduce((total, { calls }) => total + calls, 0),
    inputTokens: all.reduce((total, { inputTokens }) => total + inputTokens, 0),
    outputTokens: all.reduce((total, { outputTokens }) => total + outputTokens, 0),
    billedMicros: String(all.reduce((total, { billedMicros }) => total + BigInt(billedMicros), 0n)),
  }
}

describe.each(tenants)('the figures of %s', (tenant) => {
  it('the totals of the tenant and of each end user equal the sum of their rows, and the tenant’s usage is the sum over its end users', async () => {
    const whole = await usageOf(tenant)
    const people = await peopleOf(tenant)
    expect(whole.totals).toEqual(sum(whole.rows))
    expect(whole.totals).toEqual(sum(people.map(({ usage }) => usage)))
    const ofPeople = await Promise.all(people.map(({ externalId }) => usageOf(tenant, externalId)))
    for (const [index, { rows, totals }] of ofPeople.entries()) {
      expect(totals).toEqual(people[index]?.usage)
      expect(totals).toEqual(sum(rows))
    }
    for (const { requestedModel, ...row } of whole.rows) {
      const own = ofPeople.flatMap(({ rows }) => rows.filter((one) => one.requestedModel === requestedModel))
      expect(row).toEqual(sum(own))
    }
    expect(whole.rows.length).toBeGreaterThan(1)
    expect(whole.rows.map(({ requestedModel }) => requestedModel)).toEqual(
      whole.rows.map(({ requestedModel }) => requestedModel).toSorted(),
    )
  })

  it('the figures follow the order of spending: the pools one after the other, then the wallet, then on-demand', async () => {
    for (const { externalId, usage, wallet } of await peopleOf(tenant)) {
      const { onDemandLimitMicros, onDemandSpentMicros, pools, ...plan } = await subscriptionOf(
        tenant,
        externalId,
      )
      for (const pool of pools) {
        const consumed = pool.aliases.reduce((total, alias) => total + BigInt(alias.consumed), 0n)
        expect(String(consumed)).toBe(pool.consumed)
        expect(consumed).toBeLessThanOrEqual(BigInt(pool.granted))
        const next = pools.find(({ slug }) => slug === pool.spilloverTo)
        expect(next !== undefined || pool.spilloverTo === null).toBe(true)
        const shared = next?.aliases.find(({ requestedModel }) =>
          pool.aliases.some((alias) => alias.requestedModel === requestedModel),
        )
        if (shared && shared.consumed !== '0') expect(pool.consumed).toBe(pool.granted)
      }
      const inTokens = pools.filter(({ unit }) => unit === 'tokens')
      const tokens = inTokens.reduce((total, { consumed }) => total + BigInt(consumed), 0n)
      expect(tokens).toBeLessThanOrEqual(BigInt(usage.inputTokens + usage.outputTokens))
      const inMicros = pools.filter(({ unit }) => unit === 'micros')
      const micros = inMicros.reduce((total, { consumed }) => total + BigInt(consumed), 0n)
      expect(micros + BigInt(onDemandSpentMicros)).toBeLessThanOrEqual(BigInt(usage.billedMicros))
      expect(BigInt(wallet.reservedMicros)).toBeLessThanOrEqual(BigInt(wallet.balanceMicros))
      if (onDemandSpentMicros !== '0') {
        expect(plan.onDemandEnabled).toBe(true)
        expect(BigInt(onDemandSpentMicros)).toBeLessThanOrEqual(BigInt(onDemandLimitMicros ?? '0'))
        expect(wallet.balanceMicros).toBe('0')
        expect(pools.every(({ consumed, granted }) => consumed === granted)).toBe(true)
      }
    }
  })

  it('the figures always have a current period, even years later, and one bill for each period, newest first', async () => {
    const { nowMs } = control.clock
    for (const years of [0, 0.2, 3]) {
      control.clock.nowMs = nowMs + years * 365 * 86_400_000
      for (const { externalId } of await peopleOf(tenant)) {
        const { invoices, periodEnd, periodStart, priceMicros } = await subscriptionOf(tenant, externalId)
        expect(Date.parse(periodStart)).toBeLessThanOrEqual(control.clock.nowMs)
        expect(Date.parse(periodEnd)).toBeGreaterThan(control.clock.nowMs)
        const issued = invoices.map(({ issuedAt }) => issuedAt)
        expect(issued).toEqual(issued.toSorted().toReversed())
        if (issued.length > 0) expect(issued[0]).toBe(periodStart)
        for (const { amountMicros } of invoices) expect(amountMicros).toBe(priceMicros)
      }
    }
    control.clock.nowMs = nowMs
  })

  it('the figures contain every possible value of each field, and no implausible value', async () => {
    const people = await peopleOf(tenant)
    const plans = await Promise.all(people.map(({ externalId }) => subscriptionOf(tenant, externalId)))
    const { data: keys } = (await as(tenant, 'GET', '/v1/keys')).body
    const seen = (values: readonly unknown[]) => new Set(values.map((value) => value === null)).size
    expect(seen(people.map(({ email }) => email))).toBe(2)
    expect(seen(plans.map(({ onDemandLimitMicros }) => onDemandLimitMicros))).toBe(2)
    for (const field of ['endUserId', 'actorLabel', 'lastUsedAt', 'revokedAt', 'expiresAt']) {
      expect(seen(keys.map((key: Record<string, unknown>) => key[field])), field).toBe(2)
    }
    const text = JSON.stringify(plans)
    for (const value of ['"tokens"', '"micros"', '"paid"', '"open"', '"past_due"', '"spilloverTo":null']) {
      expect(text).toContain(value)
    }
    expect(text).toMatch(/"spilloverTo":"[a-z]/)
    expect(text).toMatch(
      /"thenOnDemand":true.*"thenOnDemand":false|"thenOnDemand":false.*"thenOnDemand":true/,
    )
    const now = new Date(control.clock.nowMs).toISOString()
    expect(
      keys.some((key: { expiresAt: string | null }) => key.expiresAt !== null && key.expiresAt < now),
    ).toBe(true)
    for (const { createdAt, lastUsedAt, revokedAt } of keys) {
      expect(createdAt <= (lastUsedAt ?? now) && (lastUsedAt ?? createdAt) <= (revokedAt ?? now)).toBe(true)
    }
    const created = keys.map((key: { createdAt: string }) => key.createdAt)
    expect(created).toEqual(created.toSorted().toReversed())
  })
})

it('the demo tenants include both billing intervals, and on-demand without a ceiling', async () => {
  const cleo = (await as('acme', 'GET', '/v1/subscription?endUserId=cleo')).body
  expect(cleo).toMatchObject({ interval: 'year', onDemandEnabled: true, onDemandLimitMicros: null })
  const ada = (await as('acme', 'GET', '/v1/subscription?endUserId=ada')).body
  expect(ada).toMatchObject({
    interval: 'month',
    onDemandLimitMicros: '10000000',
    onDemandSpentMicros: '1500000',
  })
  // The balance is 5,000,000 micros of credit, minus 60,000 input tokens at 3 micros and 20,000 output tokens at 15
  // micros.
  const ben = (await peopleOf('acme')).find(({ externalId }) => externalId === 'ben')
  expect(ben?.wallet).toEqual({ balanceMicros: '4520000', reservedMicros: '48000' })
})

it('requests without a credential are limited per address, and do not count toward the limit of a credential', async () => {
  const slow = { perSecond: 0.0001, burst: 3 }
  const limited = await openControl({ rateLimits: { ...rateLimits, credential: slow, address: slow } })
  const demo = demoOf(() => limited)
  const statuses = []
  for (const tenant of ['acme', 'globex', 'nobody', 'acme']) {
    statuses.push((await demo.as(tenant, 'GET', '/v1/tenant')).status)
  }
  expect(statuses).toEqual([200, 200, 401, 429])
  expect((await limited.call('GET', '/v1/whoami')).status).toBe(200)
  await limited.close()
})

describe('without the demo tier', () => {
  let bare: Control
  beforeAll(async () => {
    bare = await openControl({ hasDemo: false })
  })
  afterAll(() => bare.close())

  it('the paths of the demo tier do not exist', async () => {
    const server = demoOf(() => bare)
    for (const { isShared, ...read } of reads) {
      const answer = await server.as('acme', 'GET', urlOf(read))
      expect(answer.body.error.code).toBe(isShared ? 'missing_credential' : 'no_such_path')
    }
    for (const { isShared, path } of notBuilt) {
      const answer = await server.as('acme', 'POST', urlOf({ path }))
      expect(answer.body.error.code).toBe(isShared ? 'missing_credential' : 'no_such_path')
    }
    const both = await bare.call('GET', '/v1/whoami', { headers: { 'x-demo-tenant': 'acme' } })
    expect(both.status).toBe(200)
    const { body, text } = await server.anyone('GET', '/v1/openapi.json')
    expect(text).not.toContain('demoTenant')
    expect(Object.keys(body.paths)).not.toContain('/v1/tenant')
    expect((await server.anyone('GET', '/favicon.ico')).status).toBe(200)
    expect((await server.anyone('GET', '/health')).status).toBe(200)
  })
})
