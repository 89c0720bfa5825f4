import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  control,
  makeApplication,
  startServer,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import type { TestDatabase } from '../support/start-postgres.ts'
import { databaseOf } from '../support/reused-databases.ts'
import { testedEngines } from '../support/reduced-suite.ts'

const reported = { headers: { 'x-svc-report': '1' } }

describe.each(testedEngines)('teams on %s', (engine) => {
  let database: TestDatabase | null = null
  let server: LocalServer
  let app: Application
  let payer: User
  let member: User
  let other: User

  beforeAll(async () => {
    database = await databaseOf(engine)
    server = await startServer(database === null ? {} : { databaseUrl: database.url })
    app = await makeApplication(server)
    payer = await app.newUser({ balanceMicros: 1_000_000_000n })
    member = await app.newUser()
    other = await app.newUser()
    await app.api('PUT', '/v1/teams/labs', { displayName: 'Labs', payer: payer.externalId })
  })
  afterAll(async () => {
    await app.provider.close()
    await server.close()
    await database?.drop()
  })

  const send = (by: User): Promise<Answer> => app.call(by, { max_tokens: 5 }, reported)
  const chargeOf = async (answer: Promise<Answer>): Promise<bigint> => {
    const { headers, status } = await answer
    expect(status).toBe(200)
    return BigInt(headers.get('x-svc-charge-micros') ?? assert.fail())
  }
  const join = (user: User, body: object = {}) =>
    app.api('PUT', `/v1/teams/labs/members/${user.externalId}`, body)
  const inPortal = async (user: User, path: string): Promise<Answer> => {
    const link = await app.api('POST', '/v1/portal-sessions', { endUserId: user.externalId })
    const token = new URL(link.url).hash.replace('#handoff=', '')
    const { sessionToken } = await app.api('POST', '/v1/portal-sessions/redeem', { token })
    return control({ ...server, token: sessionToken }, 'GET', path)
  }

  test('a member’s key can read the cap on the payer’s wallet, and an exceeded cap names its amounts', async () => {
    const owner = await app.newUser({ balanceMicros: 1_000_000n })
    const user = await app.newUser()
    await app.api('PUT', '/v1/teams/capped', { displayName: 'Capped', payer: owner.externalId })
    const setCap = (capMicros: string | null) =>
      app.api('PUT', `/v1/teams/capped/members/${user.externalId}`, { capMicros })
    const capOf = async () => {
      const response = await fetch(`${app.gateway}/v1/svc/balance`, {
        headers: { authorization: `Bearer ${user.key}` },
      })
      const { limits } = JSON.parse(await response.text())
      return limits.find(({ kind }: { kind: string }) => kind === 'member_cap')
    }
    await setCap('500000')
    const charge = await chargeOf(send(user))
    expect(await capOf()).toEqual({
      kind: 'member_cap',
      limitMicros: '500000',
      usedMicros: String(charge),
      heldMicros: '0',
      remainingMicros: String(500_000n - charge),
      resetsAt: expect.stringMatching(/-01T00:00:00\.000Z$/),
    })
    await setCap(String(charge))
    const { body, status } = await send(user)
    expect(status).toBe(402)
    expect(body.error).toMatchObject({
      code: 'spend_limit_exceeded',
      limitSource: 'member_cap',
      limit: String(charge),
      used: String(charge),
      available: '0',
    })
    await setCap(null)
    expect(await capOf()).toBeUndefined()
    expect((await send(user)).status).toBe(200)
    await app.api('DELETE', '/v1/teams/capped')
  })

  test('the balance of a team does not include the payer’s expiring credit, which members cannot spend', async () => {
    const owner = await app.newUser({ balanceMicros: 1000n })
    await app.api('PUT', '/v1/teams/expiring', { displayName: 'Expiring', payer: owner.externalId })
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
    const credit = { endUsers: [owner.externalId], amountUnits: '5000', reason: 'test', expiresAt }
    await app.api('POST', '/v1/grants', credit)
    expect((await owner.balance()).balanceMicros).toBe(6000n)
    const listed = (await app.api('GET', '/v1/teams')).data
    const shown = [
      await app.api('GET', '/v1/teams/expiring'),
      listed.find(({ slug }: { slug: string }) => slug === 'expiring'),
      (await inPortal(owner, '/v1/portal/team')).body,
    ]
    for (const team of shown) expect(team).toMatchObject({ balanceUnits: '1000', reservedUnits: '0' })
    await app.api('DELETE', '/v1/teams/expiring')
  })

  test('a member without money spends the payer’s money, and the team, the member and the ledger show the spending', async () => {
    expect((await send(member)).status).toBe(402)
    const before = BigInt((await app.api('GET', '/v1/teams/labs')).balanceUnits)
    expect(await join(member)).toMatchObject({
      endUserId: member.externalId,
      capMicros: null,
      spentMicros: '0',
    })
    const charge = await chargeOf(send(member))
    expect(charge).toBeGreaterThan(0n)
    const team = await app.api('GET', '/v1/teams/labs')
    expect(team).toMatchObject({ members: 1, spentMicros: String(charge), reservedUnits: '0' })
    expect(BigInt(team.balanceUnits)).toBe(before - charge)
    const { data } = await app.api('GET', '/v1/teams/labs/members')
    expect(data).toMatchObject([
      { endUserId: member.externalId, spentMicros: String(charge), heldMicros: '0' },
    ])
    const limits = await app.api('GET', `/v1/end-users/${member.externalId}/limits`)
    expect(limits.limits).toContainEqual(
      expect.objectContaining({ kind: 'team', id: 'labs', name: 'Labs', usedUnits: String(charge) }),
    )
    expect(limits.pace.availableMicros).toBe(team.balanceUnits)
    const [request] = (await app.api('GET', `/v1/requests?endUserId=${member.externalId}`)).data
    const explained = await app.api('GET', `/v1/requests/${request.id}`)
    expect(explained.settle.legs).toMatchObject([{ kind: 'team', amount: String(charge) }])
  })

  test('an end user who is created for a team can join it, and an unknown team is rejected', async () => {
    const created = await app.newUser({ forTeam: 'labs' })
    expect(await join(created)).toMatchObject({ endUserId: created.externalId })
    await chargeOf(send(created))
    const headers = { 'x-svc-app': app.slug }
    const unknown = await control(server, 'PUT', '/v1/end-users/nobody?forTeam=unknown', {}, headers)
    expect([unknown.status, unknown.body.error.param]).toEqual([404, 'forTeam'])
    expect((await control(server, 'GET', '/v1/end-users/nobody', undefined, headers)).status).toBe(404)
    await app.api('DELETE', `/v1/teams/labs/members/${created.externalId}`)
  })

  test('a member’s cap rejects only requests of this member, and a higher cap applies to the next request', async () => {
    await join(other, { capMicros: '0' })
    expect((await send(other)).status).toBe(402)
    await chargeOf(send(member))
    await join(other, { capMicros: '1000000000' })
    await chargeOf(send(other))
  })

  test('the payer sees in the portal what each member spent, and a member sees only their own share', async () => {
    const { data } = await app.api('GET', '/v1/teams/labs/members')
    const { balanceUnits, spentMicros } = await app.api('GET', '/v1/teams/labs')
    const { body } = await inPortal(payer, '/v1/portal/team')
    expect(body).toMatchObject({ data, displayName: 'Labs', members: 2, balanceUnits, spentMicros })
    expect(BigInt(spentMicros)).toBeGreaterThan(0n)
    expect((await inPortal(payer, '/v1/portal/account')).body).toMatchObject({
      team: null,
      paysFor: { name: 'Labs', members: 2 },
    })
    const refused = await inPortal(member, '/v1/portal/team')
    expect([refused.status, refused.body.error.code]).toEqual([404, 'not_found'])
    const account = await inPortal(member, '/v1/portal/account')
    expect(account.body).toMatchObject({ team: { name: 'Labs' }, paysFor: null })
    expect(account.text).not.toContain(other.externalId)
  })

  test('members use a pool of the payer up to the cap, and every view shows the usage of each member', async () => {
    const company = await app.newUser()
    const [ada, bob] = [await app.newUser(), await app.newUser()]
    const charge = await chargeOf(send(payer))
    const cap = charge * 20n
    await app.api('PUT', '/v1/bundles/company', { displayName: 'Company' })
    await app.api('POST', '/v1/bundles/company/allow', { models: ['*'] })
    await app.api('POST', '/v1/bundles/company/include', {
      slug: 'shared',
      displayName: 'Shared',
      unit: 'micros',
      amount: String(charge * 100n),
      memberCap: String(cap),
    })
    await app.api('PUT', `/v1/end-users/${company.externalId}/subscription`, { bundle: 'company' })
    await app.api('PUT', '/v1/teams/pooled', { displayName: 'Pooled', payer: company.externalId })
    for (const user of [ada, bob]) await app.api('PUT', `/v1/teams/pooled/members/${user.externalId}`, {})
    await chargeOf(send(ada))
    await chargeOf(send(bob))
    await chargeOf(send(ada))

    const { pools } = await app.api('GET', '/v1/teams/pooled')
    expect(pools).toMatchObject([
      {
        slug: 'shared',
        displayName: 'Shared',
        grantedMicros: String(charge * 100n),
        consumedMicros: String(charge * 3n),
        heldMicros: '0',
        memberCapMicros: String(cap),
      },
    ])
    const { data } = await app.api('GET', '/v1/teams/pooled/members')
    const of = (user: User) =>
      data.find(({ endUserId }: { endUserId: string }) => endUserId === user.externalId)
    expect(of(ada)).toMatchObject({
      spentMicros: '0',
      pools: [{ slug: 'shared', spentMicros: String(charge * 2n) }],
    })
    expect(of(bob)).toMatchObject({ pools: [{ slug: 'shared', spentMicros: String(charge) }] })
    const limits = await app.api('GET', `/v1/end-users/${bob.externalId}/limits`)
    expect(limits.limits).toContainEqual(
      expect.objectContaining({
        kind: 'team_pool',
        id: 'shared',
        limitUnits: String(cap),
        usedUnits: String(charge),
        availableUnits: String(cap - charge),
      }),
    )
    expect(limits.pace.availableMicros).toBe(String(cap - charge))
    const [request] = (await app.api('GET', `/v1/requests?endUserId=${bob.externalId}`)).data
    const explained = await app.api('GET', `/v1/requests/${request.id}`)
    expect(explained).toMatchObject({
      paidFromPlanMicros: String(charge),
      settle: { legs: [{ kind: 'team_pool', amount: String(charge) }] },
    })
    const { data: entries } = await app.api('GET', `/v1/end-users/${bob.externalId}/ledger?source=all`)
    expect(entries).toMatchObject([
      { amountUnits: String(-charge), source: expect.stringMatching(/^team\/eu_\w+\/company\/shared\//) },
    ])
    const account = await inPortal(bob, '/v1/portal/account')
    expect(account.body.team.pools).toMatchObject([
      { slug: 'shared', capMicros: String(cap), availableMicros: String(cap - charge) },
    ])
    const ofTeam = await inPortal(company, '/v1/portal/team')
    expect(ofTeam.body).toMatchObject({ data, pools })
    const back = await app.api('POST', `/v1/requests/${request.id}/refund`, { reason: 'test' })
    expect(back.amountUnits).toBe(String(charge))
    expect((await app.api('GET', '/v1/teams/pooled')).pools[0].consumedMicros).toBe(String(charge * 2n))
    await app.api('DELETE', '/v1/teams/pooled')
    expect((await send(bob)).status).toBe(402)
  })

  test('a limit of the team counts all its members, but not the payer', async () => {
    await app.api('PUT', '/v1/teams/labs', { limits: [{ measure: 'requests', window: 'total', most: '2' }] })
    await chargeOf(send(member))
    await chargeOf(send(payer))
    await chargeOf(send(other))
    const refused = await send(member)
    expect(refused.status).toBe(402)
    expect(JSON.parse(refused.text)).toMatchObject({
      error: { code: 'spend_limit_exceeded', limitSource: 'team_limit', team: 'labs' },
    })
    const { limitUses } = await app.api('GET', '/v1/teams/labs')
    expect(limitUses).toMatchObject([{ measure: 'requests', used: '2', available: '0' }])
    await app.api('PUT', '/v1/teams/labs', { limits: null })
    await chargeOf(send(member))
  })

  test('an end user is in at most one team, and a payer cannot be in a team', async () => {
    const free = await app.newUser()
    await app.api('PUT', '/v1/teams/other', { displayName: 'Other', payer: free.externalId })
    await expect(app.api('PUT', `/v1/teams/other/members/${member.externalId}`, {})).rejects.toThrow('in_use')
    await expect(app.api('PUT', `/v1/teams/labs/members/${free.externalId}`, {})).rejects.toThrow('in_use')
    await expect(join(payer)).rejects.toThrow('in_use')
    await app.api('DELETE', '/v1/teams/other')
    await join(free)
  })

  test('a former member, and the members of a deleted team, spend only their own money', async () => {
    await app.api('DELETE', `/v1/teams/labs/members/${other.externalId}`)
    expect((await send(other)).status).toBe(402)
    await app.api('DELETE', '/v1/teams/labs')
    expect((await send(member)).status).toBe(402)
    await chargeOf(send(payer))
  })

  test('if the payer is deleted, the team is deleted and the payer’s balance can no longer be spent', async () => {
    const owner = await app.newUser({ balanceMicros: 1_000_000n })
    await app.api('PUT', '/v1/teams/brief', { displayName: 'Brief', payer: owner.externalId })
    await app.api('PUT', `/v1/teams/brief/members/${member.externalId}`, {})
    await chargeOf(send(member))
    await app.api('DELETE', `/v1/end-users/${owner.externalId}`)
    expect((await app.api('GET', '/v1/teams')).data).toEqual([])
    expect((await send(member)).status).toBe(402)
  })
})
