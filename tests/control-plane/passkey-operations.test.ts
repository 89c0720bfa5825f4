import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deviceCookieName } from '#http/known-device-cookie.ts'
import { rateLimits } from '#http/control-plane-rate-limiter.ts'
import { SoftAuthenticator } from '../support/passkey-authenticator.ts'
import {
  openControl,
  password,
  sessionOf,
  type Control,
  type Session,
} from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import type { Answer } from '../support/start-product.ts'

const email = 'ada@example.com'
const cookieOf = ({ headers }: Answer): string =>
  headers
    .getSetCookie()
    .find((text) => text.startsWith(deviceCookieName))
    ?.split(';')[0] ?? ''
const codeOf = ({ body, status }: Answer) => [status, body.error?.code]

describe.each(testedEngines)('%s', (engine) => {
  let control: Control
  let ada: Session
  let laptop: SoftAuthenticator
  beforeEach(async () => {
    control = await openControl({ engine })
    ada = await control.join(email, 'owner')
    laptop = new SoftAuthenticator('laptop')
  })
  afterEach(() => control.close())

  const post = (path: string, body: object, session: Session | null = null) =>
    control.call('POST', path, { body, ...(session ? { session } : { token: null }) })
  const started = async (session: Session): Promise<string> =>
    (await control.call('POST', '/v1/passkeys/challenge', { session })).body.challenge
  const challenged = async (): Promise<string> =>
    (await post('/v1/sessions/passkey/challenge', {})).body.challenge
  const register = async (authenticator = laptop, session = ada, name = 'Laptop'): Promise<Answer> =>
    post(
      '/v1/passkeys',
      { name, credential: authenticator.make({ challenge: await started(session) }) },
      session,
    )
  const enter = (credential: object) => post('/v1/sessions/passkey', { credential })
  const withPassword = (more: object = {}) => post('/v1/sessions', { email, password, ...more })

  it('a registered passkey signs in without a password, any number of times', async () => {
    const added = await register()
    expect(added.status, added.text).toBe(200)
    expect(added.body).toMatchObject({ name: 'Laptop', lastUsedAt: null })
    for (const _ of [1, 2]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const entered = await enter(laptop.use({ challenge: await challenged() }))
      expect(entered.status, entered.text).toBe(200)
      expect(entered.body.member.email).toBe(email)
      // oxlint-disable-next-line no-await-in-loop -- the same
      const whoami = await control.call('GET', '/v1/whoami', { session: sessionOf(entered) })
      expect(whoami.body.member.email).toBe(email)
    }
    const listed = await control.call('GET', '/v1/passkeys', { session: ada })
    expect(listed.body.data).toMatchObject([{ id: added.body.id, lastUsedAt: '2026-11-20T12:00:00.000Z' }])
  })

  it('a member with a passkey who signs in with the password also needs the passkey, and a wrong password is rejected', async () => {
    expect((await withPassword()).status).toBe(200)
    await register()
    const refused = await withPassword()
    expect(codeOf(refused)).toEqual([403, 'passkey_required'])
    expect(refused.body.error.details.register).toBe(false)
    const wrong = await post('/v1/sessions', {
      email,
      password: 'not the right one',
      passkey: laptop.use({ challenge: await challenged() }),
    })
    expect(codeOf(wrong)).toEqual([401, 'sign_in_failed'])
    // A passkey that is only a second factor need not verify the person, for example by a fingerprint.
    const passkey = laptop.use({ challenge: await challenged(), isPersonVerified: false })
    expect((await withPassword({ passkey })).status).toBe(200)
  })

  it('a passkey that replaces the password must have verified the person', async () => {
    await register()
    const credential = laptop.use({ challenge: await challenged(), isPersonVerified: false })
    expect(codeOf(await enter(credential))).toEqual([403, 'passkey_rejected'])
  })

  it.each<[string, object]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another port of this host', { origin: 'http://localhost:8081' }],
    ['another domain', { rpId: 'evil.example' }],
    ['a parent domain', { rpId: 'host' }],
  ])('a passkey response that is created or used for %s is rejected', async (_, wrong) => {
    const made = laptop.make({ challenge: await started(ada), ...wrong })
    expect(codeOf(await post('/v1/passkeys', { name: 'x', credential: made }, ada))).toEqual([
      403,
      'passkey_rejected',
    ])
    await register()
    const used = laptop.use({ challenge: await challenged(), ...wrong })
    expect(codeOf(await enter(used))).toEqual([403, 'passkey_rejected'])
  })

  it('a challenge can be answered only once, before it expires, and only for its own purpose', async () => {
    await register()
    const challenge = await challenged()
    const credential = laptop.use({ challenge })
    expect((await enter(credential)).status).toBe(200)
    expect(codeOf(await enter(credential))).toEqual([403, 'passkey_rejected'])
    expect(codeOf(await enter(laptop.use({ challenge })))).toEqual([403, 'passkey_rejected'])
    // The first challenge comes from this test, and the second is for a registration.
    expect(codeOf(await enter(laptop.use({ challenge: 'A'.repeat(43) })))).toEqual([403, 'passkey_rejected'])
    expect(codeOf(await enter(laptop.use({ challenge: await started(ada) })))).toEqual([
      403,
      'passkey_rejected',
    ])
    const late = await challenged()
    control.clock.nowMs += 300_000 - 1
    const inTime = await challenged()
    control.clock.nowMs += 1
    expect(codeOf(await enter(laptop.use({ challenge: late })))).toEqual([403, 'passkey_rejected'])
    expect((await enter(laptop.use({ challenge: inTime }))).status).toBe(200)
  })

  it('only one of twenty concurrent responses to a challenge signs the member in', async () => {
    await register()
    const credential = laptop.use({ challenge: await challenged() })
    const answers = await Promise.all(Array.from({ length: 20 }, () => enter(credential)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('a signature counter that decreases or repeats shows that the passkey was copied', async () => {
    await register()
    laptop.counter = 7
    expect((await enter(laptop.use({ challenge: await challenged() }))).status).toBe(200)
    for (const counter of [7, 3]) {
      laptop.counter = counter
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const copied = await enter(laptop.use({ challenge: await challenged() }))
      // `use` increments the passkey's counter: the value 8 is a repeat, and the value 4 is lower.
      expect(codeOf(copied)).toEqual([403, 'passkey_rejected'])
    }
    laptop.counter = 8
    expect((await enter(laptop.use({ challenge: await challenged() }))).status).toBe(200)
  })

  it('a passkey of another member is not a second factor, and cannot be registered twice', async () => {
    const bob = await control.join('bob@example.com', 'admin')
    const key = new SoftAuthenticator('key')
    await register()
    await register(key, bob, 'Key')
    const passkey = key.use({ challenge: await challenged() })
    expect(codeOf(await withPassword({ passkey }))).toEqual([403, 'passkey_rejected'])
    expect(codeOf(await register(laptop, bob))).toEqual([403, 'passkey_rejected'])
    // The challenge of one member is not valid for another member.
    const credential = new SoftAuthenticator('third').make({ challenge: await started(ada) })
    expect(codeOf(await post('/v1/passkeys', { name: 'x', credential }, bob))).toEqual([
      403,
      'passkey_rejected',
    ])
  })

  it('a changed signature and an unknown passkey are rejected', async () => {
    await register()
    const good = laptop.use({ challenge: await challenged() })
    const signature = `${good.signature.startsWith('A') ? 'B' : 'A'}${good.signature.slice(1)}`
    expect(codeOf(await enter({ ...good, signature }))).toEqual([403, 'passkey_rejected'])
    const unknown = new SoftAuthenticator('unknown').use({ challenge: await challenged() })
    expect(codeOf(await enter(unknown))).toEqual([403, 'passkey_rejected'])
    expect(codeOf(await enter({ ...good, clientDataJson: 'bm90IGpzb24' }))).toEqual([403, 'passkey_rejected'])
  })

  it('a passkey belongs to the member, who can rename and remove it, and an owner can remove it', async () => {
    const bob = await control.join('bob@example.com', 'developer')
    const { id } = (await register(laptop, bob)).body
    const carol = await control.join('carol@example.com', 'admin')
    const path = `/v1/passkeys/${id}`
    expect((await control.call('PATCH', path, { session: bob, body: { name: 'Phone' } })).body.name).toBe(
      'Phone',
    )
    expect(codeOf(await control.call('DELETE', path, { session: carol }))).toEqual([404, 'not_found'])
    const ofBob = '/v1/passkeys?email=bob@example.com'
    expect((await control.call('GET', ofBob, { session: carol })).body.data).toHaveLength(1)
    expect(codeOf(await control.call('GET', `/v1/passkeys?email=${email}`, { session: bob }))).toEqual([
      403,
      'role_required',
    ])
    expect((await control.call('DELETE', path, { session: ada })).status).toBe(200)
    expect(codeOf(await enter(laptop.use({ challenge: await challenged() })))).toEqual([
      403,
      'passkey_rejected',
    ])
    const entered = await post('/v1/sessions', { email: 'bob@example.com', password })
    expect(entered.status).toBe(200)
  })

  it('a passkey is deleted with the member', async () => {
    const bob = await control.join('bob@example.com', 'developer')
    await register(laptop, bob)
    await control.call('DELETE', '/v1/team/bob@example.com')
    expect(codeOf(await enter(laptop.use({ challenge: await challenged() })))).toEqual([
      403,
      'passkey_rejected',
    ])
  })

  it('in an organization that requires passkeys, a member registers a passkey at the next sign-in with a password', async () => {
    const bob = await control.join('bob@example.com', 'admin')
    const set = (session: Session) =>
      control.call('PATCH', '/v1/sessions/policy', { session, body: { passkeyRequired: true } })
    expect(codeOf(await set(bob))).toEqual([403, 'role_required'])
    expect((await set(ada)).body).toEqual({ passkeyRequired: true })
    expect((await control.call('GET', '/v1/sessions/policy', { session: bob })).body.passkeyRequired).toBe(
      true,
    )
    expect((await control.call('GET', '/v1/whoami', { session: bob })).status).toBe(200)
    const refused = await withPassword()
    expect(codeOf(refused)).toEqual([403, 'passkey_required'])
    expect(refused.body.error.details.register).toBe(true)
    const { body } = await post('/v1/sessions/passkey/challenge', { email })
    expect(body).toMatchObject({ rpId: 'localhost', userId: expect.stringMatching(/^[\w-]{43}$/) })
    const newPasskey = { name: 'Laptop', credential: laptop.make({ challenge: body.challenge }) }
    const wrong = await post('/v1/sessions', { email, password: 'not the right one', newPasskey })
    expect(codeOf(wrong)).toEqual([401, 'sign_in_failed'])
    expect((await withPassword({ newPasskey })).status).toBe(200)
    // From here on, a sign-in requires the passkey. The password alone cannot register another passkey.
    const second = new SoftAuthenticator('second')
    const again = { name: 'x', credential: second.make({ challenge: await challenged() }) }
    const other = await withPassword({ newPasskey: again })
    expect(codeOf(other)).toEqual([403, 'passkey_required'])
    expect(other.body.error.details.register).toBe(false)
    const passkey = laptop.use({ challenge: await challenged() })
    expect((await withPassword({ passkey })).status).toBe(200)
    const token = await control.found('Other')
    await control.join('eve@example.com', 'owner', token)
    expect((await post('/v1/sessions', { email: 'eve@example.com', password })).status).toBe(200)
  })

  it('the number of open challenges is limited, and only the network that exceeds the limit is locked out', async () => {
    const first = await challenged()
    for (let i = 0; i < 20; i++) {
      control.clock.nowMs += 1
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await challenged()
    }
    const rows = await control.database.read.selectFrom('passkey_challenges').selectAll().execute()
    expect(rows).toHaveLength(20)
    await register()
    expect(codeOf(await enter(laptop.use({ challenge: first })))).toEqual([403, 'passkey_rejected'])
    expect((await enter(laptop.use({ challenge: await challenged() }))).status).toBe(200)
  })

  describe('a rejected passkey', () => {
    const failed = async () => {
      await control.failedSignIns.flush()
      const team = (await control.call('GET', '/v1/team')).body.data
      return Object.fromEntries(
        team.map((one: { email: string; failedSignIns: { count: number } | null }) => [
          one.email,
          one.failedSignIns?.count ?? 0,
        ]),
      )
    }
    const entries = async () => (await control.call('GET', '/v1/audit?operation=sessions.passkey')).body.data

    it('a rejected passkey is a failed sign-in of its member, in the audit log and on the team page', async () => {
      await control.join('bob@example.com', 'developer')
      await register()
      const challenge = await challenged()
      const good = laptop.use({ challenge })
      await enter({
        ...good,
        signature: `${good.signature.startsWith('A') ? 'B' : 'A'}${good.signature.slice(1)}`,
      })
      expect(await failed()).toEqual({ [email]: 1, 'bob@example.com': 0 })
      expect(await entries()).toMatchObject([
        {
          resource: 'failed sign-in',
          actor: { kind: 'stranger', label: email },
          after: { failures: 1 },
        },
      ])
      expect((await enter(good)).status).toBe(200)
      expect(await failed()).toMatchObject({ [email]: 1 })
      await enter(good)
      expect(await failed()).toMatchObject({ [email]: 2 })
      const unknown = new SoftAuthenticator('unknown').use({ challenge: await challenged() })
      expect(codeOf(await enter(unknown))).toEqual([403, 'passkey_rejected'])
      expect(await failed()).toEqual({ [email]: 2, 'bob@example.com': 0 })
    })

    it('if several responses to one challenge arrive concurrently, each rejected response counts as a failed sign-in', async () => {
      await register()
      const credential = laptop.use({ challenge: await challenged() })
      const answers = await Promise.all(Array.from({ length: 5 }, () => enter(credential)))
      expect(answers.filter(({ status }) => status === 403)).toHaveLength(4)
      expect(await failed()).toEqual({ [email]: 4 })
    })

    it('after a correct password, a rejected passkey counts as a failed sign-in, and a missing passkey does not', async () => {
      await register()
      expect(codeOf(await withPassword())).toEqual([403, 'passkey_required'])
      expect(await failed()).toEqual({ [email]: 0 })
      const passkey = new SoftAuthenticator('other').use({ challenge: await challenged() })
      expect(codeOf(await withPassword({ passkey }))).toEqual([403, 'passkey_rejected'])
      expect(await failed()).toEqual({ [email]: 1 })
    })
  })

  it('a sign-in with a passkey makes the browser a known device of the member', async () => {
    await control.close()
    control = await openControl({ engine, rateLimits: { ...rateLimits, credential: null } })
    ada = await control.join(email, 'owner')
    await register()
    const entered = await enter(laptop.use({ challenge: await challenged() }))
    const cookie = cookieOf(entered)
    const address = '203.0.113.7'
    const signIn = (headers: Record<string, string>, given = password) =>
      control.call('POST', '/v1/sessions', {
        token: null,
        headers,
        address,
        body: { email, password: given },
      })
    for (let n = 0; n < 12; n++) {
      // oxlint-disable-next-line no-await-in-loop -- strangers use up the attempts of the address
      await signIn({}, 'guess')
    }
    expect((await signIn({})).status).toBe(429)
    expect(codeOf(await signIn({ cookie }))).toEqual([403, 'passkey_required'])
    expect(cookieOf(await enter(laptop.use({ challenge: 'A'.repeat(43) })))).toBe('')
  })

  it('a member has at most 20 passkeys', async () => {
    for (let i = 0; i < 20; i++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await register(new SoftAuthenticator(`key ${i}`))).status).toBe(200)
    }
    expect(codeOf(await register(new SoftAuthenticator('one more')))).toEqual([409, 'too_many_passkeys'])
  })
})
