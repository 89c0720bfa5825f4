/**
 * A customer's first day, with a client generated from the served document and nothing else. This file is a separate
 * program: `node scenario.ts <base url> <set-up link>`. `control-plane` is the output of openapi-typescript for the
 * document (../long/generated-client-typescript.test.ts). The test checks the types of the generated client, so the
 * file contains no type assertions.
 */
import assert from 'node:assert/strict'
import type { paths } from 'control-plane'
import createClient from 'openapi-fetch'

const [baseUrl = '', setupUrl = ''] = process.argv.slice(2)

async function done<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call
  if (data === undefined) throw new Error(`${response.status} of ${response.url}: ${JSON.stringify(error)}`)
  return data
}

// Signs up as the first owner, like a browser, and creates a token for the later steps.
const visitor = createClient<paths>({ baseUrl })
const joined = await visitor.POST('/v1/invitations/accept', {
  body: {
    token: new URL(setupUrl).hash.slice(1),
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    password: 'correct horse battery staple',
  },
})
assert(joined.data, JSON.stringify(joined.error))
const [cookie = ''] = joined.response.headers.getSetCookie().map((text) => text.split(';')[0])
const owner = createClient<paths>({
  baseUrl,
  headers: { cookie, 'x-csrf-token': joined.data.csrfToken, origin: baseUrl },
})
const { member } = await done(owner.GET('/v1/whoami'))
assert.equal(member?.email, 'ada@example.com')
const { token } = await done(owner.POST('/v1/application-keys', { body: { label: 'scenario' } }))

const client = createClient<paths>({
  baseUrl,
  headers: { authorization: `Bearer ${token}`, 'x-svc-app': 'acme', 'x-svc-mode': 'test' },
})

const application = await done(
  client.PUT('/v1/apps/{slug}', { params: { path: { slug: 'acme' } }, body: { name: 'Acme' } }),
)

const account = await done(
  // OpenAPI uses the template `/v1/providers/{id}` also for `/v1/providers/{label}`.
  client.PUT('/v1/providers/{id}', { params: { path: { id: 'main' } }, body: { kind: 'simulator' } }),
)
await done(
  client.POST('/v1/providers/{id}/price', {
    params: { path: { id: account.id } },
    body: { model: 'sim-large', price: { input: '1000000', output: '4000000' } },
  }),
)
const model = await done(
  client.PUT('/v1/models/{name}', {
    params: { path: { name: 'acme/smart' } },
    body: { sources: [{ provider: 'main', model: 'sim-large' }] },
  }),
)
assert.equal(model.name, 'acme/smart')

const bundle = await done(
  client.PUT('/v1/bundles/{slug}', { params: { path: { slug: 'free' } }, body: { displayName: 'Free' } }),
)
await done(
  client.POST('/v1/bundles/{slug}/allow', {
    params: { path: { slug: bundle.slug } },
    body: { models: ['acme/*'] },
  }),
)

const person = await done(
  client.PUT('/v1/end-users/{externalId}', {
    params: { path: { externalId: 'user/1' } },
    body: { email: 'one@example.com' },
  }),
)
const minted = await done(
  client.POST('/v1/keys', { body: { endUserId: person.externalId, livemode: false } }),
)
await done(
  client.POST('/v1/grants', {
    params: { header: { 'Idempotency-Key': 'welcome' } },
    body: { endUsers: [person.externalId], amountUnits: '1000000', reason: 'welcome' },
  }),
)

const answer = await fetch(`${application.localGateway ?? application.gateway}/v1/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${minted.key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: model.name, messages: [{ role: 'user', content: 'Hello' }] }),
})
assert.equal(answer.status, 200, await answer.text())
const requestId = answer.headers.get('x-request-id') ?? ''

const { totals } = await done(
  client.GET('/v1/usage', { params: { query: { endUserId: person.externalId } } }),
)
assert.equal(totals.calls, 1)
const spent = BigInt(totals.billedMicros)
assert(spent > 0n)

const margin = await done(client.GET('/v1/margin', { params: { query: { by: 'model' } } }))
assert.equal(margin.data[0]?.requestedModel, model.name)
assert.equal(BigInt(margin.totals.billedMicros), spent)
// Granted credit earns the application no money.
assert.equal(BigInt(margin.totals.marginMicros), -BigInt(margin.totals.costMicros))

const explained = await done(client.GET('/v1/requests/{id}', { params: { path: { id: requestId } } }))
assert.equal(explained.id, requestId)

const shown = await done(
  client.GET('/v1/end-users/{externalId}', { params: { path: { externalId: person.externalId } } }),
)
assert.equal(BigInt(shown.balance.balanceUnits), 1_000_000n - spent)

const pages: string[] = []
for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
  const page: { data: { kind: string }[]; nextCursor: string | null } = await done(
    client.GET('/v1/end-users/{externalId}/ledger', {
      params: {
        path: { externalId: person.externalId },
        query: { limit: 1, ...(cursor !== null && { cursor }) },
      },
    }),
  )
  pages.push(...page.data.map(({ kind }) => kind))
  cursor = page.nextCursor
}
assert.deepEqual(pages, ['usage_debit', 'grant'])

// Sends the end user to the portal, like a customer's own portal.
const link = await done(client.POST('/v1/portal-sessions', { body: { endUserId: person.externalId } }))
const handoff = new URL(link.url).hash.replace('#handoff=', '')
const redeemed = await done(visitor.POST('/v1/portal-sessions/redeem', { body: { token: handoff } }))
const portal = createClient<paths>({
  baseUrl,
  headers: { authorization: `Bearer ${redeemed.sessionToken}` },
})
const own = await done(portal.GET('/v1/portal/account'))
assert.deepEqual([own.endUserId, own.livemode], [person.externalId, false])
assert.equal(own.balance.balanceMicros, shown.balance.balanceUnits)
const again = await visitor.POST('/v1/portal-sessions/redeem', { body: { token: handoff } })
assert.equal(again.error?.error.code, 'invalid_handoff')

const { error } = await client.GET('/v1/end-users/{externalId}', {
  params: { path: { externalId: 'nobody' } },
})
assert.equal(error?.error.code, 'not_found')
console.log('done')
