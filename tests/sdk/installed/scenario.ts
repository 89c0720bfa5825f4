/**
 * Runs a customer's first day with only the published package. This file is a separate program: `node scenario.js <base
 * url> <set-up link>`. The program is compiled against the package's types with the strictest compiler settings.
 */
import assert from 'node:assert/strict'
import {
  ApiError,
  ConflictError,
  dollars,
  formatMicros,
  NotFoundError,
  PaymentRequiredError,
  PreconditionError,
  Tollgate,
  type Page,
  type types,
} from 'tollgate-sdk'
import { TollgatePortal } from 'tollgate-sdk/portal'

const [baseUrl = '', setupUrl = ''] = process.argv.slice(2)

async function refusalOf(call: PromiseLike<unknown>): Promise<ApiError> {
  try {
    await call
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('it was not refused')
}

// The first owner signs up like a browser, and creates a token for the later steps.
const visitor = new Tollgate({ baseUrl, token: null })
const joined = await visitor.invitations
  .accept({
    token: new URL(setupUrl).hash.slice(1),
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    password: 'correct horse battery staple',
  })
  .withResponse()
const [cookie = ''] = joined.response.headers.getSetCookie().map((text) => text.split(';')[0])
const owner = new Tollgate({
  baseUrl,
  token: null,
  headers: { cookie, 'x-csrf-token': joined.data.csrfToken, origin: baseUrl },
})
const { member } = await owner.auth.whoami()
assert.equal(member?.email, 'ada@example.com')
const { token } = await owner.tokens.create({ label: 'scenario' })

const client = new Tollgate({ baseUrl, token, app: 'acme', mode: 'test' })
assert(!JSON.stringify(client).includes(token), 'a client shows its token to nobody')

const application = await client.apps.create({ slug: 'acme', name: 'Acme' })
const account = await client.providers.connect({ label: 'main', kind: 'simulator' })
await client.providers.price({
  id: account.id,
  model: 'sim-large',
  price: { input: dollars('1'), output: dollars('4') },
})
const model = await client.models.add({
  name: 'acme/smart',
  sources: [{ provider: 'main', model: 'sim-large' }],
})
assert.equal(model.name, 'acme/smart')

// Two members edit one bundle, so the second edit conflicts.
const made = await client.bundles.create({ slug: 'free', displayName: 'Free' }).withResponse()
assert(made.etag !== null)
await client.bundles.allow({ slug: made.data.slug, models: ['acme/*'] })
const stale = await refusalOf(
  client.bundles.edit({ slug: 'free', displayName: 'Gratis' }, { ifMatch: made.etag }),
)
assert(stale instanceof PreconditionError)
await client.bundles.include({
  bundleSlug: 'free',
  slug: 'welcome',
  displayName: 'Welcome',
  unit: 'micros',
  amount: 1_000n,
})

const person = await client.users.create({ externalId: 'user/1 ü', email: 'one@example.com' })
const minted = await client.keys.mint({
  endUserId: person.externalId,
  livemode: false,
  capMicros: dollars('5'),
  expiresAt: new Date(Date.now() + 86_400_000),
})
assert.equal(minted.capMicros, '5000000')

const grant = { endUsers: [person.externalId], amountUnits: dollars('1'), reason: 'welcome' }
const first = await client.grants.issue(grant, { idempotencyKey: 'welcome' })
const again = await client.grants.issue(grant, { idempotencyKey: 'welcome' }).withResponse()
assert.equal(again.data.id, first.id)
assert.equal(again.response.headers.get('idempotent-replayed'), 'true')

// The official clients call the gateway.
const { anthropic, genai, openai } = await client.clientFor(minted.key)
assert.equal(openai.baseURL, `${application.localGateway ?? application.gateway}/v1`)
assert.deepEqual([anthropic.apiKey, genai.apiKey], [minted.key, minted.key])
const answer = await fetch(`${openai.baseURL}/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${openai.apiKey}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: model.name, messages: [{ role: 'user', content: 'Hello' }] }),
})
assert.equal(answer.status, 200, await answer.text())
const requestId = answer.headers.get('x-request-id') ?? ''

const { totals } = await client.usage({ endUserId: person.externalId })
assert.equal(totals.calls, 1)
const spent = BigInt(totals.billedMicros)
assert(spent > 0n)
assert.match(formatMicros(spent), /^\$0\.\d{2,6}$/)

const margin = await client.margin({ by: 'model', from: new Date(Date.now() - 86_400_000) })
assert.equal(margin.data[0]?.requestedModel, model.name)
assert.equal(margin.nextPage(), null)
assert.equal(
  BigInt(margin.totals.marginMicros),
  BigInt(margin.totals.revenueMicros) - BigInt(margin.totals.costMicros),
)

const explained = await client.requests.explain({ id: requestId })
assert.equal(explained.id, requestId)

const kinds: string[] = []
for await (const entry of client.users.ledger({ externalId: person.externalId, source: 'all', limit: 1 })) {
  kinds.push(entry.kind)
}
const page: Page<types.LedgerEntry, { data: types.LedgerEntry[]; nextCursor: string | null }> =
  await client.users.ledger({ externalId: person.externalId, source: 'all', limit: 1 })
const second = await page.nextPage()
assert.deepEqual(
  [...page.data, ...(second?.data ?? [])].map(({ kind }) => kind),
  kinds.slice(0, 2),
)
assert(kinds.length >= 2 && kinds.includes('usage_debit'))

const link = await client.portal.link({ endUserId: person.externalId })
const handoff = new URL(link.url).hash.replace('#handoff=', '')
const redeemed = await visitor.portal.redeem({ token: handoff })
const { portal } = new TollgatePortal({ baseUrl, token: redeemed.sessionToken })
const own = await portal.account()
assert.deepEqual([own.endUserId, own.livemode], [person.externalId, false])
for await (const key of portal.keys()) assert.equal(key.id, minted.id)
const used = await refusalOf(visitor.portal.redeem({ token: handoff }))
assert.equal(used.code, 'invalid_handoff')

const missing = await refusalOf(client.users.show({ externalId: 'nobody' }))
assert(missing instanceof NotFoundError && !(missing instanceof PaymentRequiredError))
assert.equal(missing.code, 'not_found')
assert.match(missing.requestId ?? '', /^req_/)
const inUse = await refusalOf(client.bundles.rm({ slug: 'free' }))
assert(inUse instanceof ConflictError && inUse.code === 'in_use')

// The compiler rejects an invalid input.
// @ts-expect-error -- a number of micros
void (() => client.keys.mint({ endUserId: 'x', capMicros: 5 }))
// @ts-expect-error -- no such period
void (() => client.keys.mint({ endUserId: 'x', capPeriod: 'year' }))
// @ts-expect-error -- keys have no ETag
void (() => client.keys.cap({ id: 'x', capMicros: null }, { ifMatch: '"x"' }))
// @ts-expect-error -- the portal's client has only the operations of end users
void (() => portal.link({ endUserId: 'x' }))

console.log('done')
