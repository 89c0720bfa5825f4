/**
 * A customer's first calls with the client that orval generates from the served document. This file is a separate
 * program: `node orval.ts <client> <base url> <set-up link>`. `control-plane` is the type of orval's client
 * (../long/generated-client-orval.test.ts).
 */
import assert from 'node:assert/strict'
import type * as ControlPlane from 'control-plane'

const [path = '', baseUrl = '', setupUrl = ''] = process.argv.slice(2)
const client: typeof ControlPlane = await import(path)

const joined = await client.invitationsAccept({
  token: new URL(setupUrl).hash.slice(1),
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  password: 'correct horse battery staple',
})
assert(joined.status === 200, JSON.stringify(joined.data))
const [cookie = ''] = joined.headers.getSetCookie().map((text) => text.split(';')[0])
const created = await client.tokensCreate(
  { label: 'scenario' },
  { headers: { cookie, 'x-csrf-token': joined.data.csrfToken, origin: baseUrl } },
)
assert(created.status === 200, JSON.stringify(created.data))
const headers = { authorization: `Bearer ${created.data.token}`, 'x-svc-app': 'acme', 'x-svc-mode': 'test' }

const application = await client.appsCreate('acme', { name: 'Acme' }, { headers })
assert(application.status === 200, JSON.stringify(application.data))
// The field `kind` selects the variant of the request body.
const account = await client.providersConnect('main', { kind: 'simulator' }, { headers })
assert(account.status === 200, JSON.stringify(account.data))
assert.equal(account.data.kind, 'simulator')
const model = await client.modelsAdd(
  'smart',
  { sources: [{ provider: 'main', model: 'sim-large' }] },
  { headers },
)
assert(model.status === 200, JSON.stringify(model.data))
const bundle = await client.bundlesCreate('free', { displayName: 'Free' }, { headers })
assert(bundle.status === 200, JSON.stringify(bundle.data))
const endUser = await client.usersCreate('user/1', { email: 'one@example.com' }, undefined, { headers })
assert(endUser.status === 200, JSON.stringify(endUser.data))
const shown = await client.usersShow('user/1', { headers })
assert(shown.status === 200, JSON.stringify(shown.data))
assert.equal(shown.data.balance.balanceUnits, '0')

const missing = await client.usersShow('nobody', { headers })
assert(missing.status === 404, JSON.stringify(missing.data))
assert.equal(missing.data.error.code, 'not_found')
console.log('done')
