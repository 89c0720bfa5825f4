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

const credit = 1_000_000_000n
const reported = { headers: { 'x-svc-report': '1' } }

interface Row {
  readonly tag: string | null
  readonly calls: number
  readonly chargeMicros: string
}

interface Group {
  readonly group: string
  readonly totals: Pick<Row, 'chargeMicros'>
}

describe.each(testedEngines)('tags on %s', (engine) => {
  let database: TestDatabase | null = null
  let receiver: UsageReceiver
  let server: LocalServer
  let app: Application
  let user: User

  beforeAll(async () => {
    receiver = await startUsageReceiver()
    database = await databaseOf(engine)
    server = await startServer({
      outbound: { connector: receiverConnector(receiver.port) },
      ...(database && { databaseUrl: database.url }),
    })
    app = await makeApplication(server)
    user = await app.newUser({ balanceMicros: credit })
    await declare({ slug: 'search' }, { slug: 'batch' }, { slug: 'nightly' })
  })
  afterAll(async () => {
    await app.provider.close()
    await server.close()
    await receiver.close()
    await database?.drop()
  })

  const declare = (...tags: object[]) => app.api('PUT', '/v1/tags', { tags })
  const idOf = ({ headers }: Answer): string => headers.get('x-request-id') ?? assert.fail()
  const chargeOf = ({ headers, status }: Answer): bigint => {
    expect(status).toBe(200)
    return BigInt(headers.get('x-svc-charge-micros') ?? assert.fail())
  }
  const send = (tags: readonly string[] | null, by: Pick<User, 'key'> = user): Promise<Answer> =>
    app.call(by, { max_tokens: 5, ...(tags && { svc: { tags } }) }, reported)
  const listed = async (tag: string): Promise<string[]> =>
    (await app.api('GET', `/v1/requests?tag=${tag}`)).data.map(({ id }: { id: string }) => id)

  test('a request counts in each of its tags, in every list and report', async () => {
    const added = await app.api('POST', '/v1/emitters', {
      kind: 'webhook',
      url: 'https://hooks.receiver.test/tags',
    })
    receiver.secrets.set('/tags', added.signingSecret)
    const both = await send(['search', 'batch', 'search'])
    const one = await send(['batch'])
    const none = await send(null)
    const [ofBoth, ofOne, ofNone] = [chargeOf(both), chargeOf(one), chargeOf(none)]

    const shown = await eventually(() => app.api('GET', `/v1/requests/${idOf(both)}`))
    expect(shown.tags).toEqual(['search', 'batch'])
    expect(await listed('batch')).toEqual([idOf(one), idOf(both)])
    expect(await listed('search')).toEqual([idOf(both)])
    expect(await listed('nightly')).toEqual([])

    const margin = await app.api('GET', '/v1/margin?by=tag')
    const charges = margin.data.map((row: Row) => [row.tag, row.calls, BigInt(row.chargeMicros)])
    expect(charges).toEqual([
      ['batch', 2, ofBoth + ofOne],
      ['search', 1, ofBoth],
      [null, 1, ofNone],
    ])
    expect(BigInt(margin.totals.chargeMicros)).toBe(ofBoth + ofOne + ofNone)

    for (const bucket of ['minute', 'hour', 'day']) {
      const span = `bucket=${bucket}&from=${encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString())}`
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const series = await app.api('GET', `/v1/usage/series?by=tag&${span}`)
      expect(series.groups.map(({ group, totals }: Group) => [group, BigInt(totals.chargeMicros)])).toEqual([
        ['batch', ofBoth + ofOne],
        ['search', ofBoth],
      ])
      expect([BigInt(series.all.totals.chargeMicros), series.other]).toEqual([ofBoth + ofOne + ofNone, null])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const filtered = await app.api('GET', `/v1/usage/series?tag=batch&by=model&${span}`)
      expect(filtered.all.totals).toMatchObject({ calls: 2, chargeMicros: String(ofBoth + ofOne) })
      expect(filtered.groups).toMatchObject([{ group: app.model, totals: { calls: 2 } }])
    }

    await receiver.until(() => receiver.received.flatMap(eventsIn).length >= 3)
    const tagsOf = (answer: Answer): unknown =>
      receiver.received.flatMap(eventsIn).find(({ requestId }) => requestId === idOf(answer))?.tags
    expect([tagsOf(both), tagsOf(one), tagsOf(none)]).toEqual([['search', 'batch'], ['batch'], undefined])
  })

  test('a refund reduces the figures of the tags', async () => {
    const answer = await send(['nightly'])
    const charge = chargeOf(answer)
    await eventually(() => app.api('GET', `/v1/requests/${idOf(answer)}`))
    await app.api('POST', `/v1/requests/${idOf(answer)}/refund`, { amountUnits: '1', reason: 'late' })
    const { data } = await app.api('GET', '/v1/margin?by=tag')
    expect(data.find(({ tag }: { tag: string }) => tag === 'nightly')).toMatchObject({
      calls: 1,
      chargeMicros: String(charge - 1n),
    })
    const { groups } = await app.api('GET', '/v1/usage/series?by=tag&bucket=hour')
    const nightly = groups.find(({ group }: { group: string }) => group === 'nightly')
    expect(nightly.totals.chargeMicros).toBe(String(charge - 1n))
  })

  test('a key adds its tags to every request, even after the key is rotated', async () => {
    const minted = await app.api('POST', '/v1/keys', { endUserId: user.externalId, tags: ['nightly'] })
    expect(minted.tags).toEqual(['nightly'])
    const answer = await send(['search'], minted)
    const shown = await eventually(() => app.api('GET', `/v1/requests/${idOf(answer)}`))
    expect(shown.tags).toEqual(['nightly', 'search'])
    const rotated = await app.api('POST', `/v1/keys/${minted.id}/rotate`, { graceSeconds: 0 })
    const later = await send(null, rotated)
    expect((await eventually(() => app.api('GET', `/v1/requests/${idOf(later)}`))).tags).toEqual(['nightly'])
    const unknown = await control(
      server,
      'POST',
      '/v1/keys',
      { endUserId: 'ada', tags: ['other'] },
      {
        'x-svc-application': app.slug,
      },
    )
    expect([unknown.status, unknown.body.error]).toMatchObject([404, { code: 'not_found', param: 'tags' }])
  })

  test('an undeclared tag is rejected, and the error lists the declared tags', async () => {
    const refused = await send(['search', 'other'])
    expect([refused.status, refused.body.error]).toMatchObject([
      400,
      {
        code: 'invalid_request',
        param: 'svc.tags',
        message:
          'svc.tags contains the unknown tag other. This application declares the tags search, batch, nightly.',
      },
    ])
    expect((await eventually(() => app.api('GET', `/v1/requests/${idOf(refused)}`))).tags).toEqual([])
  })

  test('after a tag is removed, the next request that names the tag is rejected, and the tag of a key is ignored', async () => {
    const minted = await app.api('POST', '/v1/keys', { endUserId: user.externalId, tags: ['nightly'] })
    const before = await send(['nightly'])
    await declare({ slug: 'search' }, { slug: 'batch' })
    expect((await send(['nightly'])).body.error).toMatchObject({ param: 'svc.tags' })
    const answer = await send(null, minted)
    expect((await eventually(() => app.api('GET', `/v1/requests/${idOf(answer)}`))).tags).toEqual([])
    expect(await listed('nightly')).toContain(idOf(before))
    await declare({ slug: 'search' }, { slug: 'batch' }, { slug: 'nightly' })
  })

  test('if the budget of a tag is used up, requests with the tag are rejected, and all other requests are served', async () => {
    const limits = [
      { measure: 'micros', window: 'month', most: '1000000' },
      { measure: 'requests', window: 'total', most: '1' },
    ]
    await declare({ slug: 'search' }, { slug: 'batch', limits }, { slug: 'nightly' })
    const charge = chargeOf(await send(['batch', 'search']))
    const refused = await send(['batch'])
    expect([refused.status, refused.body.error]).toMatchObject([
      402,
      { code: 'spend_limit_exceeded', limitSource: 'tag_limit', tag: 'batch', measure: 'requests' },
    ])
    expect(refused.body.error.message).toBe('The limit of the tag batch for requests in total is reached.')
    expect(refused.body.error.limit).toBeUndefined()
    const story = await eventually(() => app.api('GET', `/v1/requests/${idOf(refused)}`))
    expect(story.refusal).toMatchObject({ tag: 'batch', limit: '1', used: '1', fixOperation: 'tags.set' })
    expect(story.tags).toEqual(['batch'])
    expect((await send(['search'])).status).toBe(200)
    expect((await send(null)).status).toBe(200)
    // After a second without a request, the process returns the unused part of its slice (its share of the limit).
    const tags = await eventually(async () => {
      const { tags: all } = await app.api('GET', '/v1/tags')
      expect(all[1].limitUses[0].used).toBe(String(charge))
      return all
    })
    expect(tags.map(({ slug }: { slug: string }) => slug)).toEqual(['search', 'batch', 'nightly'])
    expect(tags[1]).toMatchObject({
      limits,
      limitUses: [
        { tag: 'batch', used: String(charge), available: String(1_000_000n - charge) },
        { tag: 'batch', used: '1', available: '0', resetsAt: null },
      ],
    })
    expect((await app.api('GET', '/v1/gateway')).limitUses).toEqual(tags[1].limitUses)
    await declare({ slug: 'search' }, { slug: 'batch' }, { slug: 'nightly' })
  })

  test('the configuration document contains the tags, and applying the document declares them', async () => {
    const document = await app.api('GET', `/v1/apps/${app.slug}/configuration`)
    expect(document.gateway.tags.map(({ slug }: { slug: string }) => slug)).toEqual([
      'search',
      'batch',
      'nightly',
    ])
  })
})
