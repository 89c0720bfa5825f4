/** The data that remains after a deletion must not identify the end user. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { filled, reserveCall, settleCall, type Filled } from '../support/valid-request-of-every-operation.ts'

/** Texts that only the deleted end user's data contains. If such a text remains, the deletion is incomplete. */
const externalId = 'customer 7 "Ada" canary'
const email = 'ada.canary@example.com'
const path = `/v1/end-users/${encodeURIComponent(externalId)}`
const headers = (key: string) => ({ 'idempotency-key': key })

describe.each(testedEngines)('users.rm on %s', (engine) => {
  let control: Control
  let ids: Filled
  let person: { id: string }
  let keyId: string

  beforeEach(async () => {
    control = await openControl({ engine })
    ids = await filled(control)
    await control.call('POST', '/v1/bundles/pro/allow', { body: { models: ['acme/*'] } })
    const made = await control.call('PUT', path, { body: { email, bundle: 'pro' }, headers: headers('one') })
    person = made.body
    const key = await control.call('POST', '/v1/keys', { body: { endUserId: externalId } })
    keyId = key.body.id
    await settleCall(control, 'acme', await reserveCall(control, 'acme', keyId))
    await control.call('POST', '/v1/grants', {
      body: { endUsers: [externalId], amountUnits: '5000', reason: 'welcome' },
    })
    await control.call('POST', '/v1/keys', { mode: 'test', body: { endUserId: externalId } })
    await control.call('POST', '/v1/grants', {
      mode: 'test',
      body: { endUsers: [externalId], amountUnits: '5000', reason: 'welcome' },
    })
  })
  afterEach(async () => {
    await control.verify()
    await control.close()
  })

  const remove = () => control.call('DELETE', path)
  const entries = async (mode: 'live' | 'test' = 'live', of = `/v1/end-users/${person.id}`) =>
    (await control.call('GET', `${of}/ledger?source=all`, { mode })).body.data.map(
      (entry: Record<'source' | 'kind' | 'amountUnits' | 'reason', string | undefined>) =>
        `${entry.source} ${entry.kind} ${entry.amountUnits} ${entry.reason ?? ''}`.trimEnd(),
    )

  it('the response contains the deleted end user, their remaining ID and the number of revoked keys', async () => {
    const { body, status } = await remove()
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: person.id,
      externalId,
      email,
      bundle: 'pro',
      keysRevoked: 2,
      removedAt: '2026-11-20T12:00:00.000Z',
      balance: { balanceUnits: '5000' },
    })
  })

  it('a deleted end user is removed from every list and look-up, and a repeated deletion changes nothing', async () => {
    await remove()
    expect((await remove()).body.error.code).toBe('not_found')
    const looks = [
      ['GET', path],
      ['GET', `${path}/ledger`],
      ['GET', `/v1/usage?endUserId=${encodeURIComponent(externalId)}`],
      ['GET', `/v1/subscription?endUserId=${encodeURIComponent(externalId)}`],
      ['GET', `/v1/end-users/${person.id}`],
      ['POST', `/v1/end-users/${person.id}/freeze`],
      ['DELETE', `/v1/end-users/${person.id}`],
    ] as const
    for (const [method, target] of looks) {
      expect((await control.call(method, target)).body.error.code, `${method} ${target}`).toBe('not_found')
    }
    const list = await control.call('GET', '/v1/end-users')
    expect(list.body.data.map((user: { externalId: string }) => user.externalId)).toEqual([
      'debtor',
      'user-1',
    ])
    expect((await control.call('GET', '/v1/apps/acme')).body).toMatchObject({ endUsers: 2, keys: 2 })
    const grant = await control.call('POST', '/v1/grants', {
      body: { everyone: true, amountUnits: '1', reason: 'all' },
    })
    expect(grant.body.endUsers).toBe(2)
    const onPro = await control.call('GET', '/v1/end-users?bundle=pro')
    expect(onPro.body.data).toMatchObject([{ externalId: 'debtor' }])
  })

  it('a ledger entry with the reason end_user_removed ends each pool of both modes, and the wallet does not change', async () => {
    // The first credit in test mode grants the pool of test mode.
    expect(await entries('test', path)).toContain('pro/base/2026-11-20 grant 1000000 included')
    const live = await entries('live', path)
    await remove()
    expect(await entries()).toEqual(['pro/base/2026-11-20 reversal -999550 end_user_removed', ...live])
    expect((await entries('test'))[0]).toBe('pro/base/2026-11-20 reversal -1000000 end_user_removed')
    const wallets = await control.store.read.balances.wallets([person.id], 'live', control.clock.nowMs)
    expect(wallets.get(person.id)?.postedMicros).toBe(5000n)
  })

  it('a call in flight ends and is charged, and the deletion also removes the amount that the call returns to a pool', async () => {
    const callId = await reserveCall(control, 'acme', keyId, null)
    await remove()
    const before = await entries()
    await settleCall(control, 'acme', callId)
    const [back, charge, ...rest] = await entries()
    expect(rest).toEqual(before)
    expect(charge).toBe('pro/base/2026-11-20 usage_debit -450')
    expect(back).toMatch(/^pro\/base\/2026-11-20 reversal -\d+ end_user_removed$/)
    const sources = await control.store.read.balances.pools(person.id, 'live', null)
    expect(sources.map(({ source }) => [source.posted, source.held])).toEqual([[0n, 0n]])
  })

  it('ledger, usage and requests are kept under the end user’s remaining ID, and count in the totals of the application', async () => {
    const total = (await control.call('GET', '/v1/usage')).body
    const own = (await control.call('GET', `/v1/usage?endUserId=${encodeURIComponent(externalId)}`)).body
    expect(own.totals.calls).toBe(1)
    await remove()
    expect((await control.call('GET', '/v1/usage')).body).toEqual(total)
    expect((await control.call('GET', `/v1/usage?endUserId=${person.id}`)).body).toEqual(own)
    const requests = await control.call('GET', `/v1/requests?endUserId=${person.id}`)
    expect(requests.body.data).toMatchObject([{ endUserId: person.id, status: 'settled' }])
    const runs = await control.call('GET', '/v1/outcomes/report/runs')
    expect(runs.body.data.map((run: { endUserId: string }) => run.endUserId)).toContain(person.id)
    const keys = await control.call('GET', '/v1/keys')
    expect(keys.body.data).toMatchObject([
      { id: keyId, name: person.id, endUserId: person.id, revokedAt: '2026-11-20T12:00:00.000Z' },
      { id: ids.portalKeyId, revokedAt: null },
      { id: ids.keyId, name: 'user-1', revokedAt: null },
    ])
  })

  it('no row that identifies the end user remains, including keys, stored responses and records', async () => {
    await control.call('POST', `${path}/freeze`, { headers: headers('two'), body: {} })
    await control.call('POST', `${path}/unfreeze`)
    await control.call('POST', `/v1/keys/${keyId}/cap`, {
      headers: headers('three'),
      body: { capMicros: '5' },
    })
    const named = await control.call('POST', '/v1/keys', {
      headers: headers('four'),
      body: { endUserId: externalId, name: `laptop of ${externalId}` },
    })
    await control.database.transaction((tx) =>
      tx.updateTable('keys').set({ actor_label: email }).where('id', '=', named.body.id).execute(),
    )
    // This stored response contains the same text, but does not belong to the end user, so it is kept.
    const other = { headers: headers('five'), body: { displayName: email } }
    const bundle = await control.call('PUT', '/v1/bundles/canary', other)
    await remove()
    const rows = []
    for (const table of tables) {
      const all = await control.database.read.selectFrom(table).selectAll().execute()
      for (const row of all) {
        const text = JSON.stringify(row, (_, value: unknown) =>
          typeof value === 'bigint' ? String(value) : value,
        )
        if (/canary/.test(text)) rows.push([table, text])
      }
    }
    // The text remains only in the bundle, in an entry of the audit log, and in the stored response of another end
    // user.
    expect(rows.map(([table]) => table)).toEqual(['audit_entries', 'bundles', 'idempotency_keys'])
    expect(rows.join()).not.toContain('Ada')
    const log = await control.call('GET', '/v1/audit?limit=200')
    const about = log.body.data.filter(({ resource }: { resource: string }) => resource.includes(person.id))
    expect(
      about.map(({ operation, resource }: Record<'operation' | 'resource', string>) => [operation, resource]),
    ).toEqual([
      ['users.rm', `DELETE /v1/end-users/${person.id}`],
      ['users.unfreeze', `POST /v1/end-users/${person.id}/unfreeze`],
      ['users.freeze', `POST /v1/end-users/${person.id}/freeze`],
      ['users.create', `PUT /v1/end-users/${person.id}`],
    ])
    for (const { after } of about)
      expect(after).toMatchObject({ id: person.id, externalId: person.id, email: null })
    // A repeated request from before the deletion creates no end user, and returns the remaining data.
    const again = await control.call('PUT', path, { body: { email, bundle: 'pro' }, headers: headers('one') })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body).toMatchObject({ id: person.id, externalId: person.id, email: null, bundle: 'pro' })
    expect((await control.call('GET', path)).status).toBe(404)
    expect((await control.call('PUT', '/v1/bundles/canary', other)).body).toEqual(bundle.body)
  })

  it('no record keeps the external ID, if requests named the end user by ID, as the payer or member of a team, or by the key', async () => {
    const encoded = encodeURIComponent(externalId)
    const sent: [string, string, object?][] = [
      ['POST', `/v1/end-users/${person.id}/freeze`, {}],
      ['POST', `/v1/end-users/${person.id}/unfreeze`],
      ['POST', `/v1/keys/${encoded}/cap`, { capMicros: '5' }],
      ['POST', `/v1/keys/${person.id}/cap`, { capMicros: '6' }],
      ['PUT', '/v1/end-users/boss', { bundle: 'pro' }],
      ['PUT', '/v1/teams/crew', { displayName: 'Crew', payer: 'boss' }],
      ['PUT', `/v1/teams/crew/members/${encoded}`, {}],
      ['PUT', `/v1/teams/crew/members/${person.id}`, { capMicros: '7' }],
      ['DELETE', `/v1/teams/crew/members/${encoded}`],
      ['PUT', '/v1/teams/own', { displayName: 'Own', payer: externalId }],
      ['DELETE', `/v1/keys/${encoded}`],
    ]
    for (const [method, target, body] of sent) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await control.call(method, target, {
        headers: headers(`${method} ${target.slice(0, 99)}`),
        ...(body && { body }),
      })
      expect(answer.status, `${method} ${target}: ${answer.text}`).toBe(200)
    }
    await remove()
    for (const table of ['audit_entries', 'idempotency_keys'] as const) {
      // oxlint-disable-next-line no-await-in-loop -- two tables
      const rows: object[] = await control.database.read.selectFrom(table).selectAll().execute()
      const naming = rows.filter((row) =>
        Object.entries(row).some(
          ([column, value]) =>
            column !== 'idempotency_key' && /canary|Ada|customer(?:%20| )7/.test(JSON.stringify(value)),
        ),
      )
      expect(naming).toEqual([])
    }
  })

  it('no record of an applied configuration keeps the external ID of a payer, also not of the second payer', async () => {
    await control.call('PUT', '/v1/end-users/boss', { body: {} })
    const teams = (displayName: string) => [
      { slug: 'first-crew', displayName, payer: 'boss' },
      { slug: 'other-crew', displayName, payer: externalId },
    ]
    for (const displayName of ['Crew', 'Team']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const applied = await control.call('PUT', '/v1/apps/acme/configuration', {
        body: { format: 1, teams: teams(displayName) },
      })
      expect(applied.status, applied.text).toBe(200)
    }
    const log = await control.call('GET', '/v1/audit?operation=apps.apply')
    expect(log.body.data).toHaveLength(2)
    await remove()
    const rows = await control.database.read.selectFrom('audit_entries').selectAll().execute()
    expect(rows.filter(({ after, before }) => /canary/.test(`${before} ${after}`))).toEqual([])
  })

  it.each(['organization', 'application'])(
    'no stored response of an applied configuration keeps the external ID of a payer (token of the %s)',
    async (owner) => {
      const body = { label: 'ci', role: 'admin', ...(owner === 'application' && { application: 'acme' }) }
      const { token } = (await control.call('POST', '/v1/application-keys', { body })).body
      const apply = (key: string, displayName: string, query = '') =>
        control.call('PUT', `/v1/apps/acme/configuration${query}`, {
          token,
          headers: headers(key),
          body: {
            format: 1,
            teams: [
              { slug: 'first-crew', displayName, payer: 'boss' },
              { slug: 'other-crew', displayName, payer: externalId },
            ],
          },
        })
      const removed = async (app: string, name: string) => {
        const answer = await control.call('DELETE', `/v1/end-users/${encodeURIComponent(name)}`, { app })
        expect(answer.status, answer.text).toBe(200)
      }
      const stored = async () => {
        const rows = await control.database.read
          .selectFrom('idempotency_keys')
          .select('response')
          .where('operation_id', '=', 'apps.apply')
          .execute()
        return rows.map(({ response }) => response).join('\n')
      }
      await control.call('PUT', '/v1/apps/other', { body: { name: 'Other' } })
      // The end user of another application has the same external ID as a payer.
      await control.call('PUT', '/v1/bundles/free', { app: 'other', body: { displayName: 'Free' } })
      for (const app of ['acme', 'other']) {
        // oxlint-disable-next-line no-await-in-loop -- two applications
        await control.call('PUT', '/v1/end-users/boss', { app, body: {} })
      }
      expect((await apply('applied', 'Crew')).text).toContain('canary')
      expect((await apply('tried', 'Team', '?dryRun=true')).text).toContain('canary')
      const before = await stored()
      expect(before.split('\n')).toHaveLength(2)
      await removed('other', 'boss')
      expect(await stored()).toBe(before)
      await removed('acme', externalId)
      expect(await stored()).not.toContain('canary')
      expect(await stored()).toContain('"payer":"boss"')
      await removed('acme', 'boss')
      expect(await stored()).not.toContain('"payer":"boss"')
      const again = await apply('applied', 'Crew')
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(again.text).toContain(person.id)
    },
  )

  it('the external ID is available for a new end user, who gets no data of the deleted end user', async () => {
    await remove()
    const { body } = await control.call('PUT', path, { body: {} })
    expect(body).toMatchObject({
      externalId,
      email: null,
      bundle: 'free',
      balance: { balanceUnits: '0' },
      usage: { calls: 0 },
    })
    expect(body.id).not.toBe(person.id)
    expect(
      (await control.call('GET', `/v1/keys?endUserId=${encodeURIComponent(externalId)}`)).body.data,
    ).toEqual([])
    await remove()
    expect((await control.call('PUT', path, { body: {} })).body.id).not.toBe(body.id)
    const taken = await control.call('PUT', `/v1/end-users/${person.id}`, { body: {} })
    expect(taken.body.error).toMatchObject({ code: 'already_exists', param: 'externalId' })
  })

  it('threat 8: deletion of an end user of another application or organization returns 404, and writes nothing', async () => {
    await control.call('PUT', '/v1/apps/other', { body: { name: 'Other' } })
    const stranger = await control.found('Stranger')
    await control.call('PUT', '/v1/apps/theirs', { token: stranger, body: { name: 'Theirs' } })
    await remove()
    const before = await control.dump()
    const asked = [
      control.call('DELETE', '/v1/end-users/user-1', { app: 'other' }),
      control.call('DELETE', '/v1/end-users/user-1', { token: stranger }),
      control.call('DELETE', '/v1/end-users/user-1', { token: stranger, app: 'acme' }),
      control.call('GET', `/v1/end-users/${person.id}/ledger`, { app: 'other' }),
      control.call('GET', `/v1/end-users/${person.id}/ledger`, { token: stranger }),
      control.call('GET', `/v1/usage?endUserId=${person.id}`, { token: stranger }),
    ]
    for (const { body } of await Promise.all(asked)) expect(body.error.code).toBe('not_found')
    expect(await control.dump()).toBe(before)
  })
})

const tables = [
  'tokens',
  'audit_entries',
  'bundles',
  'end_users',
  'keys',
  'accounts',
  'sources',
  'ledger',
  'usage_records',
  'requests',
  'usage_days',
  'outcome_runs',
  'grants',
  'idempotency_keys',
] as const
