import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  openControl,
  password,
  ready,
  type Control,
  type Session,
} from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'

describe.each(testedEngines)('%s', (engine) => {
  let control: Control
  /** Before a transaction begins, the store waits for this promise. */
  let until: Promise<void> | null
  let held: PromiseWithResolvers<void>
  beforeEach(async () => {
    until = null
    held = Promise.withResolvers()
    control = await openControl({
      engine,
      seenStore: (store) => ({
        ...store,
        async transaction(work) {
          held.resolve()
          await until
          return store.transaction(work)
        },
      }),
    })
    await ready(control)
  })
  afterEach(() => control.close())

  const once = { 'idempotency-key': 'once' }
  const grant = { endUsers: ['user-1'], amountUnits: '1000', reason: 'welcome' }

  async function balance(): Promise<string> {
    return (await control.call('GET', '/v1/end-users/user-1')).body.balance.balanceUnits
  }

  describe('requests with the same Idempotency-Key', () => {
    it('a repeat with the same request returns the first response and changes nothing', async () => {
      const cap = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
      const path = `/v1/keys/${cap.body.id}/cap`
      const first = await control.call('POST', path, { headers: once, body: { capMicros: '5' } })
      expect(first.headers.has('idempotent-replayed')).toBe(false)
      await control.call('POST', path, { body: { capMicros: '9' } })
      const repeat = await control.call('POST', path, { headers: once, body: { capMicros: '5' } })
      expect(repeat.headers.get('idempotent-replayed')).toBe('true')
      expect(repeat.text).toBe(first.text)
      expect((await control.call('GET', `/v1/keys/${cap.body.id}`)).body.capMicros).toBe('9')
    })

    it('a repeat with another request is rejected', async () => {
      await control.call('PUT', '/v1/outcomes/a', {
        headers: once,
        body: { displayName: 'a', ceilingMicros: '1' },
      })
      const others: [string, string, object][] = [
        ['PUT', '/v1/outcomes/a', { displayName: 'a', ceilingMicros: '2' }],
        ['PUT', '/v1/outcomes/b', { displayName: 'a', ceilingMicros: '1' }],
      ]
      for (const [method, path, body] of others) {
        const answer = await control.call(method, path, { headers: once, body })
        expect([path, answer.status, answer.body.error.code]).toEqual([path, 422, 'idempotency_mismatch'])
      }
    })

    it('after a rejection, the idempotency key can be used again, because the rejected request changed nothing', async () => {
      const body = { bundle: 'later' }
      const path = '/v1/end-users/user-1/subscription'
      expect((await control.call('PUT', path, { headers: once, body })).body.error.code).toBe('not_found')
      await control.call('PUT', '/v1/bundles/later', { body: { displayName: 'Later' } })
      expect((await control.call('PUT', path, { headers: once, body })).status).toBe(200)
    })

    it('the same idempotency key counts as a new key in another organization, and after a day', async () => {
      const token = await control.found('Second')
      const body = { displayName: 'a', ceilingMicros: '1' }
      await control.call('PUT', '/v1/outcomes/a', { headers: once, body })
      const other = await control.call('PUT', '/v1/apps/second', {
        token,
        headers: once,
        body: { name: 'x' },
      })
      expect(other.status).toBe(200)
      control.clock.nowMs += 86_400_000
      const later = await control.call('PUT', '/v1/outcomes/a', {
        headers: once,
        body: { ...body, ceilingMicros: '7' },
      })
      expect([later.status, later.body.ceilingMicros]).toEqual([200, '7'])
    })

    it('the same idempotency key counts as a new key in the other mode, and for another operation', async () => {
      const body = { displayName: 'a', ceilingMicros: '1' }
      for (const [method, path, sent, mode] of [
        ['PUT', '/v1/outcomes/a', body, 'live'],
        ['PUT', '/v1/outcomes/a', body, 'test'],
        ['POST', '/v1/grants', grant, 'live'],
        ['POST', '/v1/grants', grant, 'test'],
      ] as const) {
        const answer = await control.call(method, path, { headers: once, body: sent, mode })
        expect([path, mode, answer.status, answer.headers.has('idempotent-replayed')]).toEqual([
          path,
          mode,
          200,
          false,
        ])
      }
      for (const mode of ['live', 'test'] as const) {
        const shown = await control.call('GET', '/v1/end-users/user-1', { mode })
        expect(shown.body.balance.balanceUnits).toBe('1000')
      }
    })

    describe('the same idempotency key counts as a new key in another application', () => {
      let other: string
      beforeEach(async () => {
        await ready(control, 'beta')
        other = (await control.call('POST', '/v1/application-keys', { app: 'acme', body: { label: 'b' } }))
          .body.token
        await control.call('POST', '/v1/apps/acme/use')
        await control.call('POST', '/v1/apps/beta/use', { token: other })
      })
      const balanceIn = async (app: string): Promise<string> =>
        (await control.call('GET', '/v1/end-users/user-1', { app })).body.balance.balanceUnits

      it('the same idempotency key counts as a new key for a token with another active application', async () => {
        const first = await control.call('POST', '/v1/grants', { headers: once, body: grant })
        const second = await control.call('POST', '/v1/grants', { token: other, headers: once, body: grant })
        expect(second.headers.has('idempotent-replayed')).toBe(false)
        expect(second.body.id).not.toBe(first.body.id)
        expect([await balanceIn('acme'), await balanceIn('beta')]).toEqual(['1000', '1000'])
        const again = await control.call('POST', '/v1/grants', { token: other, headers: once, body: grant })
        expect(again.headers.get('idempotent-replayed')).toBe('true')
        expect(again.text).toBe(second.text)
      })

      it('the same idempotency key counts as a new key after the token has activated another application', async () => {
        const path = '/v1/end-users/new-one'
        const put = () => control.call('PUT', path, { headers: once, body: { email: 'new@example.com' } })
        expect((await put()).status).toBe(200)
        await control.call('POST', '/v1/apps/beta/use')
        expect((await put()).headers.has('idempotent-replayed')).toBe(false)
        expect((await control.call('GET', path, { app: 'beta' })).status).toBe(200)
        await control.call('POST', '/v1/apps/acme/use')
        expect((await put()).headers.get('idempotent-replayed')).toBe('true')
      })

      it('an idempotency key belongs to the application, whether the header or the token names the application', async () => {
        const first = await control.call('POST', '/v1/grants', { app: 'beta', headers: once, body: grant })
        const own = await control.call('POST', '/v1/grants', { headers: once, body: grant })
        expect(own.headers.has('idempotent-replayed')).toBe(false)
        const byToken = await control.call('POST', '/v1/grants', { token: other, headers: once, body: grant })
        expect(byToken.headers.get('idempotent-replayed')).toBe('true')
        expect(byToken.text).toBe(first.text)
        expect([await balanceIn('acme'), await balanceIn('beta')]).toEqual(['1000', '1000'])
      })

      it('requests with the same key to two applications may run concurrently', async () => {
        const send = (app: string) => control.call('POST', '/v1/grants', { app, headers: once, body: grant })
        const answers = await Promise.all([send('acme'), send('beta')])
        expect(answers.map(({ status }) => status)).toEqual([200, 200])
      })

      it('an application that one token activated is not active for another token', async () => {
        const use = (token: string) => control.call('POST', '/v1/apps/beta/use', { token, headers: once })
        expect((await use(other)).status).toBe(200)
        const mine = await use(control.token)
        expect([mine.status, mine.body.error?.code]).toEqual([422, 'idempotency_mismatch'])
      })
    })

    it('the same idempotency key counts as a new key for a token of another application', async () => {
      await ready(control, 'beta')
      const limited = async (application: string): Promise<string> =>
        (await control.call('POST', '/v1/application-keys', { body: { label: application, application } }))
          .body.token
      const tokens = [await limited('acme'), await limited('beta'), control.token]
      const ids: string[] = []
      for (const token of tokens) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const made = await control.call('POST', '/v1/application-keys', {
          token,
          headers: once,
          body: { label: 'ci' },
        })
        expect(made.status, made.text).toBe(200)
        ids.push(made.body.id)
      }
      expect(new Set(ids).size).toBe(3)
    })

    it('the same idempotency key counts as a new key for another member, in an operation on the member', async () => {
      const ada = await control.join('ada@example.com', 'developer')
      const bob = await control.join('bob@example.com', 'developer')
      const start = (session: Session) =>
        control.call('POST', '/v1/passkeys/challenge', { session, headers: once })
      const first = await start(ada)
      const other = await start(bob)
      expect(other.headers.has('idempotent-replayed')).toBe(false)
      expect(other.body.userId).not.toBe(first.body.userId)
      expect((await start(ada)).body).toEqual(first.body)

      const change = (session: Session) =>
        control.call('POST', '/v1/sessions/password', {
          session,
          headers: once,
          body: { currentPassword: password, newPassword: 'purple monkey dishwasher' },
        })
      expect((await change(ada)).body.email).toBe('ada@example.com')
      expect((await change(bob)).body.email).toBe('bob@example.com')
    })

    it('if two processes use the same key concurrently, only one process makes the change', async () => {
      const second = control.sibling()
      const body = { endUserId: 'user-1' }
      const send = (to: Pick<Control, 'call'>) => to.call('POST', '/v1/keys', { headers: once, body })
      const answers = await Promise.all([send(control), send(second), send(control), send(second)])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect((await control.call('GET', '/v1/keys')).body.data).toHaveLength(1)
    })

    it('an idempotency key is kept for one day at most', async () => {
      await control.call('POST', '/v1/grants', { headers: once, body: grant })
      control.clock.nowMs += 86_400_001
      await control.call('GET', '/v1/whoami')
      const kept = await control.database.read.selectFrom('idempotency_keys').selectAll().execute()
      expect(kept).toEqual([])
    })

    it('a repeat is rejected while the first request is still running', async () => {
      const body = { displayName: 'a', ceilingMicros: '1' }
      const send = () => control.call('PUT', '/v1/outcomes/a', { headers: once, body })
      const slow = Promise.withResolvers<void>()
      held = Promise.withResolvers()
      until = slow.promise
      const first = send()
      await held.promise
      const refused = await send()
      expect([refused.status, refused.body.error.code]).toEqual([409, 'idempotency_running'])
      expect(refused.headers.get('retry-after')).toBe('1')
      slow.resolve()
      expect((await first).status).toBe(200)
      expect((await send()).headers.get('idempotent-replayed')).toBe('true')
    })

    it('a repeat never returns a secret again, and the stored response contains no secret', async () => {
      for (const [path, body, field] of [
        ['/v1/keys', { endUserId: 'user-1' }, 'key'],
        ['/v1/application-keys', { label: 'ci' }, 'token'],
      ] as const) {
        const headers = { 'idempotency-key': path }
        const first = await control.call('POST', path, { headers, body })
        const repeat = await control.call('POST', path, { headers, body })
        expect(repeat.status).toBe(409)
        expect(repeat.body.error).toMatchObject({ code: 'secret_not_kept', details: { id: first.body.id } })
        expect(await control.dump()).not.toContain(first.body[field])
      }
      expect((await control.call('GET', '/v1/keys')).body.data).toHaveLength(1)
    })

    it('a repeated grant adds its credit only once, with the key in the header or in the body, even after a crash before the response was stored', async () => {
      const send = (headers: Record<string, string>, body: object) =>
        control.call('POST', '/v1/grants', { headers, body })
      await send(once, grant)
      expect((await send(once, grant)).headers.get('idempotent-replayed')).toBe('true')
      await control.database.transaction((tx) => tx.deleteFrom('idempotency_keys').execute())
      const afterCrash = await send(once, grant)
      expect(afterCrash.body).toMatchObject({ idempotencyKey: 'once', endUsers: 1 })
      expect(await balance()).toBe('1000')

      const keyed = { ...grant, idempotencyKey: 'campaign-1' }
      const first = await send({}, keyed)
      const repeat = await send({}, keyed)
      expect(repeat.body).toEqual(first.body)
      expect(await balance()).toBe('2000')
      const other = await send({}, { ...keyed, amountUnits: '5' })
      expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_mismatch'])
    })

    it('a grant, its reversal and an adjustment can have the same idempotency key, because each is another operation', async () => {
      const call = async (path: string, body: object) => {
        const answer = await control.call('POST', path, { headers: once, body })
        expect([path, answer.status]).toEqual([path, 200])
        return answer.body
      }
      const adjustment = { amountUnits: '300', reason: 'rounding' }
      const steps = async (): Promise<void> => {
        const { id } = await call('/v1/grants', grant)
        await call('/v1/end-users/user-1/adjust', adjustment)
        await call(`/v1/grants/${id}/reverse`, { reason: 'by mistake' })
      }
      await steps()
      expect(await balance()).toBe('300')
      // After a crash before the responses were stored, each repeat changes nothing.
      await control.database.transaction((tx) => tx.deleteFrom('idempotency_keys').execute())
      await steps()
      expect(await balance()).toBe('300')
    })

    it('an idempotency key must be 1 to 255 printable characters', async () => {
      for (const key of ['x'.repeat(256), 'a\tb']) {
        const answer = await control.call('POST', '/v1/grants', {
          headers: { 'idempotency-key': key },
          body: grant,
        })
        expect(answer.body.error).toMatchObject({ code: 'invalid_request', param: 'idempotency-key' })
      }
      expect(await balance()).toBe('0')
    })
  })

  describe('If-Match', () => {
    it('If-Match allows a change only of the version that was read', async () => {
      for (const [read, method, path, body] of [
        [
          '/v1/models/acme/smart',
          'PUT',
          '/v1/models/acme/smart',
          { sources: [{ provider: 'main', model: 'm2' }] },
        ],
        ['/v1/bundles/free', 'PATCH', '/v1/bundles/free', { displayName: 'Freer' }],
        ['/v1/apps/acme', 'PUT', '/v1/apps/acme', { name: 'New' }],
        [
          '/v1/providers/main',
          'POST',
          '/v1/providers/main/price',
          { model: 'gpt-x', price: { input: '7', output: '7' } },
        ],
      ] as const) {
        const etag = (await control.call('GET', read)).headers.get('etag') ?? ''
        const first = await control.call(method, path, { headers: { 'if-match': etag }, body })
        expect([path, first.status]).toEqual([path, 200])
        expect(first.headers.get('etag')).not.toBe(etag)
        expect((await control.call('GET', read)).headers.get('etag')).toBe(first.headers.get('etag'))
        const before = await control.dump()
        const second = await control.call(method, path, { headers: { 'if-match': `"x", ${etag}` }, body })
        expect([second.status, second.body.error.code]).toEqual([412, 'precondition_failed'])
        expect(await control.dump()).toBe(before)
      }
    })

    it('If-Match requires an existing object, and If-None-Match requires a missing object', async () => {
      const body = { displayName: 'New' }
      const missing = await control.call('PUT', '/v1/bundles/new', { headers: { 'if-match': '*' }, body })
      expect(missing.status).toBe(412)
      const made = await control.call('PUT', '/v1/bundles/new', { headers: { 'if-none-match': '*' }, body })
      expect(made.status).toBe(200)
      const again = await control.call('PUT', '/v1/bundles/new', { headers: { 'if-none-match': '*' }, body })
      expect(again.status).toBe(412)
    })

    it('If-None-Match also matches a weak ETag, and If-Match does not', async () => {
      const { headers } = await control.call('GET', '/v1/bundles/free')
      const weak = `W/${headers.get('etag')}`
      for (const name of ['if-none-match', 'if-match']) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const answer = await control.call('PUT', '/v1/bundles/free', {
          headers: { [name]: weak },
          body: { displayName: 'Other' },
        })
        expect([name, answer.status]).toEqual([name, 412])
      }
    })

    it('If-None-Match is rejected, instead of ignored, if the object has no ETag', async () => {
      const before = await control.dump()
      const answer = await control.call('PUT', '/v1/end-users/user-1', {
        headers: { 'if-none-match': '*' },
        body: { email: 'other@example.com' },
      })
      expect(answer.body.error).toMatchObject({ code: 'invalid_request', param: 'if-none-match' })
      expect(await control.dump()).toBe(before)
    })

    it('If-Match is rejected, instead of ignored, if the object has no ETag', async () => {
      const answer = await control.call('POST', '/v1/end-users/user-1/freeze', {
        headers: { 'if-match': '"x"' },
      })
      expect(answer.body.error).toMatchObject({ code: 'invalid_request', param: 'if-match' })
      expect((await control.call('GET', '/v1/end-users/user-1')).body.frozen).toBe(false)
    })
  })

  describe('a token that is revoked during a request', () => {
    it('a request whose token was revoked before the change creates no further token', async () => {
      const stolen = await control.call('POST', '/v1/application-keys', { body: { label: 'stolen' } })
      const slow = Promise.withResolvers<void>()
      held = Promise.withResolvers()
      until = slow.promise
      const creating = control.call('POST', '/v1/application-keys', {
        token: stolen.body.token,
        body: { label: 'copy' },
      })
      await held.promise
      await control.store.transaction((nouns) => nouns.tokens.revoke(stolen.body.id, control.clock.nowMs))
      slow.resolve()
      const answer = await creating
      expect([answer.status, answer.body.error?.code]).toEqual([401, 'invalid_token'])
      const { body } = await control.call('GET', '/v1/application-keys')
      expect(body.data.map(({ label }: { label: string }) => label)).toEqual(['stolen', 'first'])
    })
  })
})
