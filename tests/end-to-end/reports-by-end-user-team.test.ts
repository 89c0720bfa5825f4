/** A request counts in the team of its end user at the time when the request was admitted. */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  control,
  eventually,
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
import {
  eventsIn,
  receiverConnector,
  startUsageReceiver,
  type UsageReceiver,
} from '../support/receiver-of-usage-events.ts'

const reported = { headers: { 'x-svc-report': '1' } }

interface Group {
  readonly group: string
  readonly totals: { readonly calls: number; readonly chargeMicros: string }
}

describe.each(testedEngines)('reports by team on %s', (engine) => {
  let database: TestDatabase | null = null
  let receiver: UsageReceiver
  let server: LocalServer
  let app: Application
  let payer: User
  let member: User
  let free: User
  let payerId: string

  beforeAll(async () => {
    receiver = await startUsageReceiver()
    database = await databaseOf(engine)
    server = await startServer({
      outbound: { connector: receiverConnector(receiver.port) },
      ...(database && { databaseUrl: database.url }),
    })
    app = await makeApplication(server)
    payer = await app.newUser({ balanceMicros: 1_000_000_000n })
    member = await app.newUser()
    free = await app.newUser({ balanceMicros: 1_000_000_000n })
    payerId = (await app.api('GET', `/v1/end-users/${payer.externalId}`)).id
    await app.api('PUT', '/v1/tags', { tags: [{ slug: 'batch' }] })
    await app.api('PUT', '/v1/teams/labs', { displayName: 'Labs', payer: payer.externalId })
    await join(member)
  })
  afterAll(async () => {
    await app.provider.close()
    await server.close()
    await receiver.close()
    await database?.drop()
  })

  const join = (user: User) => app.api('PUT', `/v1/teams/labs/members/${user.externalId}`, {})
  const idOf = ({ headers }: Answer): string => headers.get('x-request-id') ?? assert.fail()
  const chargeOf = ({ headers, status }: Answer): bigint => {
    expect(status).toBe(200)
    return BigInt(headers.get('x-svc-charge-micros') ?? assert.fail())
  }
  const send = (by: User, svc: object | null = null): Promise<Answer> =>
    app.call(by, { max_tokens: 5, ...(svc && { svc }) }, reported)
  const shown = (answer: Answer) => eventually(() => app.api('GET', `/v1/requests/${idOf(answer)}`))
  const listed = async (team: string): Promise<string[]> =>
    (await app.api('GET', `/v1/requests?team=${team}`)).data.map(({ id }: { id: string }) => id)
  const margins = async (): Promise<[string | null, number, bigint][]> =>
    (await app.api('GET', '/v1/margin?by=team')).data.map(
      ({ calls, chargeMicros, team }: { team: string | null; calls: number; chargeMicros: string }) => [
        team,
        calls,
        BigInt(chargeMicros),
      ],
    )

  test('a request counts in the team of its end user, in every list, report, export and event', async () => {
    const added = await app.api('POST', '/v1/emitters', {
      kind: 'webhook',
      url: 'https://hooks.receiver.test/teams',
    })
    receiver.secrets.set('/teams', added.signingSecret)
    const tagged = await send(member, { tags: ['batch'] })
    const plain = await send(member)
    const own = await send(payer)
    const other = await send(free, { tags: ['batch'] })
    const ofTeam = chargeOf(tagged) + chargeOf(plain)
    const rest = chargeOf(own) + chargeOf(other)

    expect(await shown(tagged)).toMatchObject({ team: 'labs', tags: ['batch'] })
    expect([await shown(own), await shown(other)]).toMatchObject([
      { team: null, tags: [] },
      { team: null, tags: ['batch'] },
    ])
    expect(await listed('labs')).toEqual([idOf(plain), idOf(tagged)])
    expect(await listed(payerId)).toEqual([idOf(plain), idOf(tagged)])
    expect(await listed('eu_other')).toEqual([])

    expect(await margins()).toEqual([
      ['labs', 2, ofTeam],
      [null, 2, rest],
    ])
    const byTag = (await app.api('GET', '/v1/margin?by=tag')).data
    expect(byTag.map(({ calls, tag }: { calls: number; tag: string }) => [tag, calls])).toEqual([
      ['batch', 2],
      [null, 2],
    ])

    for (const bucket of ['minute', 'hour', 'day']) {
      const span = `bucket=${bucket}&from=${encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString())}`
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const series = await app.api('GET', `/v1/usage/series?by=team&${span}`)
      expect(series.groups).toMatchObject([{ group: 'labs', totals: { calls: 2 } }])
      expect(series.groups.map(({ totals }: Group) => BigInt(totals.chargeMicros))).toEqual([ofTeam])
      expect(series.other.totals).toMatchObject({ calls: 2, chargeMicros: String(rest) })
      expect(series.all.totals).toMatchObject({ calls: 4, chargeMicros: String(ofTeam + rest) })
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const filtered = await app.api('GET', `/v1/usage/series?team=labs&by=model&${span}`)
      expect(filtered.all.totals).toMatchObject({ calls: 2, chargeMicros: String(ofTeam) })
      expect(filtered.groups).toMatchObject([{ group: app.model, totals: { calls: 2 } }])
    }

    await receiver.until(() => receiver.received.flatMap(eventsIn).length >= 4)
    const payerOf = (answer: Answer): unknown =>
      receiver.received.flatMap(eventsIn).find(({ requestId }) => requestId === idOf(answer))?.payerId
    expect([payerOf(tagged), payerOf(plain), payerOf(own)]).toEqual([payerId, payerId, undefined])
  })

  test('a refund reduces the figures of the team', async () => {
    const [before] = await margins()
    const answer = await send(member)
    const charge = chargeOf(answer)
    await shown(answer)
    await app.api('POST', `/v1/requests/${idOf(answer)}/refund`, { amountUnits: '1', reason: 'late' })
    const [, calls, chargeMicros] = before ?? assert.fail()
    expect((await margins())[0]).toEqual(['labs', calls + 1, chargeMicros + charge - 1n])
    const { groups } = await app.api('GET', '/v1/usage/series?by=team&bucket=hour')
    expect(groups[0].totals.chargeMicros).toBe(String(chargeMicros + charge - 1n))
  })

  test('an unknown team returns an error, and a query can contain only one tag or team', async () => {
    const headers = { 'x-svc-application': app.slug }
    const unknown = await control(server, 'GET', '/v1/requests?team=other', undefined, headers)
    expect([unknown.status, unknown.body.error]).toMatchObject([404, { code: 'not_found', param: 'team' }])
    for (const [query, param] of [
      ['team=labs&by=team', 'by'],
      ['tag=batch&team=labs', 'team'],
      ['tag=batch&by=team', 'by'],
      ['by=key&team=labs', 'team'],
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const refused = await control(server, 'GET', `/v1/usage/series?${query}`, undefined, headers)
      expect([refused.status, refused.body.error], query).toMatchObject([
        400,
        { code: 'invalid_request', param },
      ])
    }
  })

  test('requests keep their team after the member has left, and a deleted team is shown under its payer', async () => {
    const before = await margins()
    await app.api('DELETE', `/v1/teams/labs/members/${member.externalId}`)
    expect((await send(member)).status).toBe(402)
    await join(free)
    const later = await send(free)
    const [, calls, chargeMicros] = before[0] ?? assert.fail()
    await shown(later)
    expect((await margins())[0]).toEqual(['labs', calls + 1, chargeMicros + chargeOf(later)])
    await app.api('DELETE', '/v1/teams/labs')
    expect((await margins())[0]).toEqual([payerId, calls + 1, chargeMicros + chargeOf(later)])
    expect((await shown(later)).team).toBe(payerId)
    expect(await listed(payerId)).toContain(idOf(later))
  })
})
