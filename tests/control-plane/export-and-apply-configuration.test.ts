/**
 * A failure prints its seed. `CONFIGURATION_SEED=<seed>` runs only the case with this seed, and
 * `CONFIGURATION_RUNS=<n>` runs n cases.
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { bundleItemPut } from '#operations/apps/configuration/bundles.ts'
import { modelItemPut } from '#operations/apps/configuration/models.ts'
import { outcomeItemPut } from '#operations/apps/configuration/outcomes.ts'
import { routerItemPut } from '#operations/apps/configuration/routers.ts'
import { teamItemPut } from '#operations/apps/configuration/teams.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import type { Answer } from '../support/start-product.ts'
import { randomFrom, type Random } from '../support/seeded-random.ts'

const seeds = process.env['CONFIGURATION_SEED']
  ? [Number(process.env['CONFIGURATION_SEED'])]
  : Array.from({ length: Number(process.env['CONFIGURATION_RUNS'] ?? 8) }, (_, i) =>
      Math.floor(Math.random() * 2 ** 31 + i),
    )

interface Change {
  readonly action: string
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

let control: Control
const open = async (engine: (typeof testedEngines)[number]) => {
  control = await openControl({ engine })
  await ready(control)
}
const exported = (slug = 'acme', options: object = {}): Promise<Answer> =>
  control.call('GET', `/v1/apps/${slug}/configuration`, options)
const apply = (document: object, query = '', slug = 'acme', options: object = {}): Promise<Answer> =>
  control.call('PUT', `/v1/apps/${slug}/configuration${query}`, {
    body: { format: 1, ...document },
    ...options,
  })
const version = async (slug = 'acme'): Promise<number> =>
  (await control.store.read.applications.bySlug(slug))?.configVersion ?? 0
const effective = ({ body }: Answer): Change[] =>
  body.changes.filter(({ action }: Change) => action !== 'none')
const told = ({ body }: Answer): string[] =>
  body.changes.map(({ action, path }: Change) => `${action} ${path}`)

const source = { provider: 'main', model: 'gpt-x' }
const price = { input: '1000000', output: '4000000' }

describe.each(testedEngines)('a configuration on %s', (engine) => {
  beforeEach(() => open(engine))
  afterEach(async () => {
    await control.verify()
    await control.close()
  })

  it('the document contains every setting in a fixed order, without secrets', async () => {
    const call = (method: string, path: string, body?: object) => control.call(method, path, { body })
    await call('PUT', '/v1/models/acme/fast', { sources: [source], ceilings: { outputTokens: 500 } })
    await call('POST', '/v1/models/acme/fast/disable')
    await call('PUT', '/v1/bundles/a-team', { displayName: 'Team', priceMicros: '9', interval: 'year' })
    await call('POST', '/v1/bundles/a-team/allow', { models: ['*', 'acme/smart'] })
    await call('POST', '/v1/bundles/a-team/deny', { models: ['acme/fast'] })
    const tiered = { ...price, serviceTiers: { priority: '2000', flex: '500' } }
    await call('POST', '/v1/bundles/a-team/price', { model: 'acme/smart', price: tiered, credits: price })
    for (const slug of ['second', 'first']) {
      await call('POST', '/v1/bundles/a-team/include', {
        slug,
        displayName: slug,
        unit: 'credits',
        amount: '7',
      })
    }
    await call('PUT', '/v1/outcomes/report', { displayName: 'Report', ceilingMicros: '5' })
    await call('PUT', '/v1/teams/labs', { displayName: 'Labs', payer: 'user-1' })
    await call('PATCH', '/v1/gateway', { wires: ['messages', 'chat'], models: ['acme/*'] })
    await call('PATCH', '/v1/brand', { primaryColor: '#2563EB', supportUrl: 'https://acme.example/help' })
    const { body, text } = await exported()
    expect(body).toEqual({
      format: 1,
      application: { name: 'acme' },
      brand: {
        productName: null,
        primaryColor: '#2563eb',
        supportEmail: null,
        supportUrl: 'https://acme.example/help',
        topUpUrl: null,
        payUrl: null,
      },
      gateway: {
        wires: ['messages', 'chat'],
        models: ['acme/*'],
        origins: [],
        addresses: null,
        hours: null,
        defaultMaxTokens: null,
        holdWaitMs: null,
        filesMax: null,
        fileBytesMax: null,
        storagePrefixes: [],
        providerTools: 'bounded',
        conversion: 'lenient',
        passTraceparent: false,
        limits: [],
        tags: [],
      },
      providers: [{ label: 'main', kind: 'openai_compatible' }],
      models: [
        { name: 'acme/fast', sources: [source], ceilings: { outputTokens: 500 }, enabled: false },
        { name: 'acme/smart', sources: [source], ceilings: {}, enabled: true },
      ],
      routers: [],
      bundles: [
        {
          slug: 'a-team',
          displayName: 'Team',
          priceMicros: '9',
          interval: 'year',
          spendLimitMicros: null,
          spendLimitPeriod: 'month',
          limits: [],
          terminationPolicy: 'hard_token',
          maxOverdraftMicros: '0',
          debitBasis: 'provider_cost',
          creditCurrency: 'credits',
          onClientLeft: null,
          providerTools: null,
          allow: ['*', 'acme/smart'],
          deny: ['acme/fast'],
          prices: [{ model: 'acme/smart', price: tiered, credits: price }],
          includes: ['second', 'first'].map((slug) => ({
            slug,
            displayName: slug,
            unit: 'credits',
            amount: '7',
            price: null,
            thenOnDemand: true,
            recurring: true,
            memberCap: null,
            rollover: null,
            spilloverTo: '*',
            models: null,
          })),
          default: false,
        },
        expect.objectContaining({ slug: 'free', default: true }),
      ],
      outcomes: [{ slug: 'report', displayName: 'Report', ceilingMicros: '5' }],
      teams: [{ slug: 'labs', displayName: 'Labs', payer: 'user-1', limits: [] }],
    })
    expect(text.indexOf('"flex"')).toBeLessThan(text.indexOf('"priority"'))
    expect(text).not.toMatch(/sk-upstream|pa_|bun_|app_|example\.com/)
    // The order in which the test creates objects must not affect the document.
    await call('POST', '/v1/bundles/a-team/price', {
      model: 'acme/smart',
      price: { serviceTiers: { flex: '500', priority: '2000' }, output: price.output, input: price.input },
    })
    expect((await exported()).text).toBe(text)
  })

  it('if a configuration is applied to its own application, nothing changes, and the version is not raised', async () => {
    const before = await exported()
    const dump = await control.dump()
    expect((await apply(before.body)).body).toEqual({ dryRun: false, changes: [] })
    expect((await apply(before.body, '?prune=true')).body.changes).toEqual([])
    expect(await control.dump()).toBe(dump)
  })

  it('the payer of a team must exist and can pay for only one team, and a document can delete a team', async () => {
    const team = { slug: 'labs', displayName: 'Labs', payer: 'user-1' }
    const unknown = await apply({ teams: [{ ...team, payer: 'nobody' }] })
    expect([unknown.status, unknown.body.error]).toMatchObject([404, { param: 'teams.0.payer' }])
    const twice = await apply({ teams: [team, { ...team, slug: 'works' }] })
    expect([twice.status, twice.body.error]).toMatchObject([400, { param: 'teams.1.payer' }])
    expect(told(await apply({ teams: [team] }))).toEqual(['create teams/labs'])
    const moved = await apply({ teams: [{ ...team, slug: 'works' }] }, '?prune=true')
    expect([moved.status, moved.body.error]).toMatchObject([409, { code: 'in_use', param: 'teams.0.payer' }])
    await control.call('PUT', '/v1/end-users/user-2', { body: {} })
    await control.call('PUT', '/v1/teams/labs/members/user-2', { body: {} })
    expect(told(await apply({ teams: [{ slug: 'labs', displayName: 'Acme Labs' }] }))).toEqual([
      'update teams/labs',
    ])
    expect((await control.call('GET', '/v1/teams/labs')).body).toMatchObject({
      displayName: 'Acme Labs',
      members: 1,
    })
    expect(told(await apply({ teams: [] }, '?prune=true'))).toEqual(['remove teams/labs'])
    expect((await control.call('GET', '/v1/teams/labs')).status).toBe(404)
    expect(told(await apply({ teams: [{ ...team, slug: 'works' }] }))).toEqual(['create teams/works'])
  })

  it('a configuration is applied completely under one version, or not at all', async () => {
    const models = ['acme/one', 'acme/two'].map((name) => ({ name, sources: [source] }))
    const bundles = [{ slug: 'pro', displayName: 'Pro', allow: ['acme/two'], default: true }]
    const before = await version()
    const answer = await apply({ models, bundles })
    expect(told(answer)).toEqual([
      'create models/acme/one',
      'none models/acme/smart',
      'create models/acme/two',
      'update bundles/free',
      'create bundles/pro',
    ])
    expect(await version()).toBe(before + 1)
    expect((await control.call('GET', '/v1/bundles/pro')).body).toMatchObject({
      default: true,
      allow: ['acme/two'],
    })
    const dump = await control.dump()
    const broken = [{ slug: 'last', displayName: 'Last', allow: ['nothing/*'], default: true }]
    const refused = await apply(
      { application: { name: 'Never' }, models: [], bundles: broken },
      '?prune=true',
    )
    expect(refused.body.error).toMatchObject({ code: 'unknown_model_pattern', param: 'bundles.0.allow' })
    expect(await control.dump()).toBe(dump)
  })

  it('omitted fields are kept, and null removes a field or resets it to its default', async () => {
    const whole = {
      models: { name: 'acme/fast', sources: [source], ceilings: { outputTokens: 500 }, enabled: false },
      routers: {
        name: 'acme/best',
        policy: 'sticky',
        stickyBy: 'session',
        targets: [{ ...source, weight: 3 }],
        attempts: { attemptsMax: 3 },
      },
      bundles: {
        slug: 'pro',
        displayName: 'Pro',
        priceMicros: '20000000',
        interval: 'year',
        spendLimitMicros: '5000000',
        spendLimitPeriod: 'day',
        limits: [{ measure: 'requests', window: 'day', most: '100' }],
        terminationPolicy: 'grace',
        maxOverdraftMicros: '300',
        debitBasis: 'sell_price',
        creditCurrency: 'sparks',
        onClientLeft: 'drain',
        providerTools: { webSearch: 'refuse' },
        allow: ['acme/*'],
        deny: ['acme/fast'],
        prices: [{ model: 'acme/smart', price, credits: price }],
        includes: [{ slug: 'base', displayName: 'Base', unit: 'micros', amount: '7' }],
        default: true,
      },
      outcomes: { slug: 'report', displayName: 'Report', ceilingMicros: '5' },
      teams: {
        slug: 'labs',
        displayName: 'Labs',
        payer: 'user-1',
        limits: [{ measure: 'requests', window: 'day', most: '7' }],
      },
    }
    const fields = {
      models: modelItemPut,
      routers: routerItemPut,
      bundles: bundleItemPut,
      outcomes: outcomeItemPut,
      teams: teamItemPut,
    }
    await apply(Object.fromEntries(Object.entries(whole).map(([part, item]) => [part, [item]])))
    await apply({ brand: { productName: 'Acme' }, gateway: { wires: ['chat'] } })
    const before = await exported()
    expect(before.body.bundles.find(({ slug }: { slug: string }) => slug === 'pro')).toMatchObject({
      ...whole.bundles,
      includes: [{ slug: 'base' }],
    })
    const parts = ['models', 'routers', 'bundles', 'outcomes', 'teams'] as const
    for (const part of parts) {
      expect(Object.keys(whole[part])).toEqual(Object.keys(fields[part]))
      const [name = ''] = Object.keys(whole[part])
      const named = { [name]: Reflect.get(whole[part], name) }
      expect([part, effective(await apply({ [part]: [named] }))]).toEqual([part, []])
      for (const [field, { kind, ...rule }] of Object.entries(fields[part])) {
        const omitted = Object.fromEntries(Object.entries(whole[part]).filter(([one]) => one !== field))
        if (field !== name)
          expect([field, effective(await apply({ [part]: [omitted] }))]).toEqual([field, []])
        const answer = await apply({ [part]: [{ ...named, [field]: null }] }, '?dryRun=true')
        if (kind !== 'optional') {
          expect([answer.status, answer.body.error.param]).toEqual([400, `${part}.0.${field}`])
          continue
        }
        // The default bundle remains the default until another bundle is marked.
        if (field === 'default') continue
        const [change] = effective(answer)
        const initial = 'initial' in rule ? rule.initial : null
        const reset = typeof initial === 'bigint' ? String(initial) : initial
        expect([field, change?.after]).toEqual([
          field,
          { ...(change?.before as object), [field]: field === 'attempts' ? expect.anything() : reset },
        ])
      }
    }
    expect(effective(await apply({ brand: {}, gateway: {} }))).toEqual([])
    expect((await exported()).text).toBe(before.text)
    const cleared = await apply({ brand: { productName: null }, gateway: { wires: null } })
    expect(effective(cleared)).toMatchObject([{ path: 'brand' }, { path: 'gateway' }])
  })

  it('an apply deletes objects only with prune, and only in the parts that the document contains', async () => {
    await control.call('PUT', '/v1/outcomes/report', { body: { displayName: 'Report', ceilingMicros: '5' } })
    await apply({ bundles: [{ slug: 'pro', displayName: 'Pro' }] })
    const kept = await apply({ bundles: [], outcomes: [] })
    expect(told(kept)).toEqual(['none bundles/free', 'none bundles/pro', 'none outcomes/report'])
    for (const { after, before } of kept.body.changes) expect(after).toEqual(before)
    expect(told(await apply({ outcomes: [] }, '?prune=true'))).toEqual(['remove outcomes/report'])
    expect((await control.call('GET', '/v1/outcomes/report')).body.archivedAt).not.toBeNull()
    expect((await exported()).body).toMatchObject({ models: [{}], bundles: [{}, {}], outcomes: [] })
    // If the applied document contains an archived outcome, the outcome accepts runs again.
    const outcomes = [{ slug: 'report', displayName: 'Report', ceilingMicros: '6' }]
    expect(told(await apply({ outcomes }))).toEqual(['create outcomes/report'])
    expect((await control.call('GET', '/v1/outcomes/report')).body.archivedAt).toBeNull()
  })

  it('prune deletes no bundle with end users, and no default bundle without a replacement', async () => {
    const pro = { slug: 'pro', displayName: 'Pro' }
    const onIt = await apply({ bundles: [{ ...pro, default: true }] }, '?prune=true')
    expect(onIt.body.error).toMatchObject({ code: 'in_use', details: { count: 1 } })
    await control.call('DELETE', '/v1/end-users/user-1')
    const noDefault = await apply({ bundles: [pro] }, '?prune=true')
    expect(noDefault.body.error.message).toContain('as the default')
    expect(told(await apply({ bundles: [{ ...pro, default: true }] }, '?prune=true'))).toEqual([
      'remove bundles/free',
      'create bundles/pro',
    ])
    expect(told(await apply({ bundles: [] }, '?prune=true'))).toEqual(['remove bundles/pro'])
    expect((await control.store.read.applications.bySlug('acme'))?.defaultBundleId).toBeNull()
  })

  it('in an archived application, the document omits deleted accounts, and a router shows that its target was removed', async () => {
    const put = (path: string, body: object) => control.call('PUT', path, { body })
    await put('/v1/providers/spare', { kind: 'openai', apiKey: 'sk-proj-0123456789abcdef' })
    const spare = { provider: 'spare', model: 'gpt-5-mini' }
    await put('/v1/models/acme%2Fonly', { sources: [spare] })
    await put('/v1/routers/acme%2Fboth', { policy: 'priority', targets: [spare, { alias: 'acme/smart' }] })
    await put('/v1/routers/acme%2Flost', { policy: 'priority', targets: [spare] })
    // The account is in use until the application is archived.
    expect((await control.call('DELETE', '/v1/providers/spare')).body.error.code).toBe('in_use')
    await control.call('DELETE', '/v1/apps/acme')
    const { body: gone } = await control.call('DELETE', '/v1/providers/spare')
    expect(gone).toMatchObject({ label: 'spare' })
    const named = { headers: { 'x-svc-app': 'acme' } }
    const { body: shown } = await control.call('GET', '/v1/routers/acme%2Fboth', named)
    expect(shown.targets).toMatchObject([
      { provider: gone.id, model: 'gpt-5-mini', problem: { code: 'removed' } },
      { alias: 'acme/smart' },
    ])
    expect((await control.call('GET', '/v1/routers', named)).body.data).toHaveLength(2)
    const { body } = await exported()
    expect(body.models).toMatchObject([{ name: 'acme/only', sources: [] }, { name: 'acme/smart' }])
    expect(body.routers).toMatchObject([
      { name: 'acme/both', targets: [{ alias: 'acme/smart' }] },
      { name: 'acme/lost', targets: [] },
    ])
    expect(body.providers).toEqual([{ label: 'main', kind: 'openai_compatible' }])
  })

  it('a document with too many entries in a list of a bundle returns 400', async () => {
    for (const [list, entry] of [
      ['allow', 1],
      ['deny', 1],
      ['prices', {}],
      ['includes', {}],
    ] as const) {
      const answer = await apply({ bundles: [{ slug: 'pro', [list]: Array(49_000).fill(entry) }] })
      expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
        400,
        'invalid_request',
        `bundles.0.${list}`,
      ])
    }
  })

  it('if an apply removes a model name, it reports each bundle that is kept and loses a pattern or a price', async () => {
    await control.call('POST', '/v1/bundles/free/price', { body: { model: 'acme/smart', price } })
    const models = [{ name: 'acme/next', sources: [source] }]
    const answer = await apply({ models, bundles: [] }, '?dryRun=true&prune=true')
    expect(answer.body.error.code).toBe('in_use')
    const onlyModels = await apply({ models }, '?prune=true')
    expect(told(onlyModels)).toEqual([
      'create models/acme/next',
      'remove models/acme/smart',
      'update bundles/free',
    ])
    expect((await exported()).body.bundles[0]).toMatchObject({ prices: [], allow: ['acme/*'] })
  })

  it('the document omits patterns that match no model, and an apply ignores such patterns', async () => {
    await control.call('PUT', '/v1/models/acme/old', { body: { sources: [source] } })
    await control.call('POST', '/v1/bundles/free/allow', { body: { models: ['acme/old'] } })
    await control.call('POST', '/v1/bundles/free/include', {
      body: { slug: 'old', displayName: 'Old', unit: 'micros', amount: '5', models: ['acme/old'] },
    })
    await control.call('DELETE', '/v1/models/acme/old')
    const { body } = await exported()
    expect(body.bundles[0]).toMatchObject({ allow: ['acme/*'], includes: [{ slug: 'old', models: [] }] })
    const dump = await control.dump()
    expect((await apply(body, '?prune=true')).body.changes).toEqual([])
    expect(await control.dump()).toBe(dump)
    await control.call('PUT', '/v1/apps/other', { body: { name: 'Other' } })
    expect((await apply(body, '', 'other')).status).toBe(200)
    expect((await exported('other')).body).toEqual(body)
  })

  it('a configuration has an ETag, and an apply can require this ETag', async () => {
    const { body, headers } = await exported()
    const etag = headers.get('etag') ?? ''
    const demand = { headers: { 'if-match': etag } }
    const application = { name: 'Renamed' }
    const dry = await apply({ application }, '?dryRun=true', 'acme', demand)
    expect([dry.status, dry.headers.get('etag')]).toEqual([200, etag])
    const done = await apply({ application }, '', 'acme', demand)
    expect(done.headers.get('etag')).toBe((await exported()).headers.get('etag'))
    const late = await apply(body, '', 'acme', demand)
    expect([late.status, late.body.error.code]).toEqual([412, 'precondition_failed'])
    expect((await exported()).body.application.name).toBe('Renamed')
  })

  it('an apply writes one row to the audit log, and a dry run writes no row', async () => {
    const count = async () => (await control.call('GET', '/v1/audit?operation=apps.apply')).body.data.length
    const application = { name: 'Logged' }
    await apply({ application }, '?dryRun=true')
    expect(await count()).toBe(0)
    await apply({ application })
    await apply({ application })
    expect(await count()).toBe(1)
    const own = await control.call('GET', '/v1/audit?application=acme&operation=apps.apply')
    expect(own.body.data).toHaveLength(1)
  })

  it('threat 9: an apply accepts no server-generated field in any part of the document', async () => {
    const before = await control.dump()
    const model = { name: 'acme/x', sources: [source] }
    const documents = [
      { orgId: 'org_1' },
      { application: { name: 'x', slug: 'other' } },
      { providers: [{ label: 'main', kind: 'openai_compatible', apiKey: 'sk-1' }] },
      { models: [{ ...model, applicationId: 'app_1' }] },
      { bundles: [{ slug: 'pro', displayName: 'Pro', balanceMicros: '5' }] },
      { outcomes: [{ slug: 'o', displayName: 'O', ceilingMicros: '1', spentMicros: '0' }] },
      { teams: [{ slug: 'o', displayName: 'O', payer: 'user-1', members: ['user-2'] }] },
    ]
    for (const document of documents) {
      const { body, status } = await apply(document)
      expect([status, body.error.code], JSON.stringify(document)).toEqual([400, 'unknown_field'])
    }
    expect((await apply({ format: 2 })).body.error).toMatchObject({
      code: 'invalid_request',
      param: 'format',
    })
    expect(await control.dump()).toBe(before)
  })

  it('threat 8: the configuration of another organization returns 404, and its accounts are unknown', async () => {
    const token = await control.found('Stranger')
    await control.call('PUT', '/v1/apps/theirs', { token, body: { name: 'Theirs' } })
    const before = await control.dump()
    const { body } = await exported()
    for (const query of ['', '?dryRun=true', '?prune=true']) {
      const answer = await apply({ application: { name: 'Mine' } }, query, 'acme', { token })
      expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
    }
    expect((await exported('acme', { token })).status).toBe(404)
    const here = await apply(body, '', 'theirs', { token })
    expect(here.body.error).toMatchObject({ code: 'not_found', param: 'providers.0.label' })
    const { providers: _, ...rest } = body
    const sources = await apply(rest, '', 'theirs', { token })
    expect(sources.body.error).toMatchObject({ code: 'not_found', param: 'models.0.sources.0.provider' })
    expect(await control.dump()).toBe(before)
  })

  for (const seed of engine === 'SQLite' ? seeds : seeds.slice(0, 3)) {
    it(`any sequence of documents gives the documented result (CONFIGURATION_SEED=${seed})`, async () => {
      const random = randomFrom(seed)
      await control.call('DELETE', '/v1/end-users/user-1')
      await addPayers('acme')
      let applied = 0
      for (let round = 0; applied < 5; round++) {
        await disturb(random)
        const document = anyDocument(random)
        const prune = random.chance(0.5)
        const query = (dryRun: boolean) => `?prune=${prune}&dryRun=${dryRun}`
        const dump = await control.dump()
        const dry = await apply(document, query(true))
        expect(await control.dump(), 'a dry run writes nothing').toBe(dump)
        const before = await exported()
        const versionBefore = await version()
        const real = await apply(document, query(false))
        const shown = JSON.stringify(document)
        expect(real.status, shown).toBe(dry.status)
        if (real.status !== 200) {
          expect(real.body.error.code, real.text).not.toBe('internal')
          expect({ ...real.body.error, requestId: '' }).toEqual({ ...dry.body.error, requestId: '' })
          expect(await control.dump()).toBe(dump)
          continue
        }
        applied += 1
        expect(real.body, shown).toEqual({ ...dry.body, dryRun: false })
        const isChanged = effective(real).length > 0
        expect(await version()).toBe(versionBefore + (isChanged ? 1 : 0))
        const after = await exported()
        expectTold(before.body, after.body, effective(real))
        expect(effective(await apply(document, query(false))), 'a second apply').toEqual([])
        expect((await exported()).text).toBe(after.text)
        if (prune) for (const { action } of real.body.changes) expect(action).not.toBe('none')

        const twin = `twin-${round}`
        await control.call('PUT', `/v1/apps/${twin}`, { body: { name: 'Twin' } })
        await addPayers(twin)
        const copied = await apply(after.body, '', twin)
        expect(copied.status, copied.text).toBe(200)
        expect((await exported(twin)).text).toBe(after.text)
        expect((await exported(twin)).headers.get('etag')).toBe(after.headers.get('etag'))
      }
    })
  }
})

interface Items {
  readonly [part: string]: unknown
}

/** The list of changes must equal the complete difference of the two exports. */
function expectTold(before: Items, after: Items, changes: readonly Change[]): void {
  const old = byPath(before)
  const now = byPath(after)
  const paths = [...new Set([...old.keys(), ...now.keys()])].filter(
    (path) => JSON.stringify(old.get(path)) !== JSON.stringify(now.get(path)),
  )
  expect(changes.map(({ path }) => path)).toEqual(expect.arrayContaining(paths))
  for (const { after: next, before: was, path } of changes) {
    expect(next).not.toEqual(was)
    // Only the change of a bundle may be missing from the exports. The exports do not show that a bundle's pattern does
    // not apply to a model name that was added later.
    if (!paths.includes(path)) expect(path).toMatch(/^bundles\//)
  }
  for (const { after: next, path } of changes) expect(next).toEqual(now.get(path) ?? null)
}

function byPath(document: Items): Map<string, unknown> {
  const found = new Map<string, unknown>([
    ['application', document['application']],
    ['brand', document['brand']],
    ['gateway', document['gateway']],
  ])
  for (const part of ['models', 'bundles', 'outcomes', 'teams']) {
    const items = document[part] as readonly { readonly name?: string; readonly slug?: string }[]
    for (const item of items) found.set(`${part}/${item.name ?? item.slug}`, item)
  }
  return found
}

const names = ['acme/a', 'acme/b', 'acme/c', 'x/a', 'x/b', 'plain']
const slugs = ['free', 'pro', 'team', 'max']
const some = <T>(random: Random, from: readonly T[]): T[] => from.filter(() => random.chance(0.5))

/** The end users have no plan, because a plan would prevent the deletion of their bundle. */
async function addPayers(app: string): Promise<void> {
  const { nowMs } = control.clock
  await control.store.transaction(async ({ applications, endUsers }) => {
    const applicationId = (await applications.bySlug(app))?.id
    assert(applicationId)
    for (const slug of ['labs', 'works'])
      // oxlint-disable-next-line no-await-in-loop -- in one transaction
      await endUsers.put({
        id: idOf('eu', control.newId()),
        applicationId,
        externalId: `payer-of-${slug}`,
        email: null,
        bundleId: null,
        subscribedAtMs: nowMs,
        bundleSinceMs: nowMs,
        frozenAtMs: null,
        frozenReason: null,
        removedAtMs: null,
        createdAtMs: nowMs,
        payerId: null,
        payerCapMicros: null,
      })
  })
}

/** The server rejects some of these operations. */
async function disturb(random: Random): Promise<void> {
  const name = random.pick(names)
  const slug = random.pick(slugs)
  const calls: readonly (readonly [string, string, object?])[] = [
    ['DELETE', `/v1/models/${name}`],
    ['POST', `/v1/models/${name}/disable`],
    ['POST', `/v1/bundles/${slug}/allow`, { models: [name] }],
    ['POST', `/v1/bundles/${slug}/price`, { model: name, price }],
    ['POST', `/v1/bundles/${slug}/default`],
    ['DELETE', `/v1/bundles/${slug}`],
    ['PUT', `/v1/bundles/${slug}`, { displayName: 'Put' }],
    ['DELETE', '/v1/teams/labs'],
    ['PUT', '/v1/teams/works', { displayName: 'Put', payer: 'payer-of-works' }],
  ]
  for (const [method, path, body] of some(random, calls)) await control.call(method, path, { body })
}

function anyDocument(random: Random): object {
  const wantedNames = some(random, names)
  const models = wantedNames.map((name) => ({
    name,
    sources: [random.pick([source, { provider: 'spare', model: 'sim' }, { ...source, model: 'unpriced' }])],
    ...(random.chance(0.5) && { ceilings: { outputTokens: random.whole(1, 100) } }),
    ...(random.chance(0.3) && { enabled: random.chance(0.5) }),
  }))
  const isLikely = (pattern: string) =>
    random.chance(0.05) || wantedNames.some((name) => name.startsWith(pattern.replace('*', '')))
  const known = ['*', 'acme/*', 'x/*'].filter(isLikely)
  const patterns = () => some(random, [...wantedNames, ...some(random, known)])
  const wantedSlugs = some(random, slugs)
  const marked = random.chance(0.5) ? null : random.pick([...wantedSlugs, 'free'])
  const bundles = wantedSlugs.map((slug) => {
    const includeSlugs = some(random, ['base', 'bonus', 'extra'])
    return {
      slug,
      displayName: random.pick(['One', 'Two']),
      ...(random.chance(0.5) && { priceMicros: String(random.whole(0, 1_000_000)) }),
      ...(random.chance(0.3) && { spendLimitMicros: '5', spendLimitPeriod: 'day' }),
      ...(random.chance(0.25) && { creditCurrency: random.pick(['sparks', 'stars', null]) }),
      ...(random.chance(0.25) && { onClientLeft: random.pick(['cut', 'drain', null]) }),
      ...(random.chance(0.25) && {
        providerTools: random.pick([
          'drop',
          { webSearch: 'refuse' },
          { webSearch: 'drop', mcp: 'bounded' },
          null,
        ]),
      }),
      allow: patterns(),
      deny: patterns(),
      prices: some(random, random.chance(0.95) ? wantedNames : names).map((model) => ({
        model,
        price,
        ...(random.chance(0.5) && { credits: price }),
      })),
      includes: includeSlugs.map((include) => ({
        slug: include,
        displayName: include,
        unit: random.pick(['micros', 'micros', 'credits']),
        amount: String(random.whole(1, 1000)),
        ...(random.chance(0.5) && {
          spilloverTo: random.pick([
            null,
            '*',
            ...includeSlugs.filter((other) => other !== include || random.chance(0.1)),
          ]),
        }),
        ...(random.chance(0.3) && { models: patterns().slice(0, 3) }),
      })),
      default: slug === marked,
    }
  })
  const outcomes = some(random, ['report', 'summary']).map((slug) => ({
    slug,
    displayName: slug,
    ceilingMicros: String(random.whole(0, 1000)),
  }))
  const teams = some(random, ['labs', 'works']).map((slug) => ({
    slug,
    displayName: random.pick(['One', 'Two']),
    payer: random.chance(0.9) ? `payer-of-${slug}` : 'payer-of-labs',
    ...(random.chance(0.5) && {
      limits: some(random, ['requests', 'micros']).map((measure) => ({ measure, window: 'day', most: '9' })),
    }),
  }))
  return {
    ...(random.chance(0.3) && { application: { name: random.pick(['acme', 'Acme']) } }),
    ...(random.chance(0.3) && {
      gateway: {
        ...(random.chance(0.5) && { wires: [random.pick(['chat', 'messages'])] }),
        ...(random.chance(0.5) && { models: [random.pick(['*', 'acme/*', ...wantedNames])] }),
      },
    }),
    ...(random.chance(0.3) && {
      brand: {
        ...(random.chance(0.5) && { productName: random.pick(['Acme', null]) }),
        ...(random.chance(0.5) && { primaryColor: random.pick(['#ff0000', '#1F2937']) }),
      },
    }),
    ...(random.chance(0.9) && { models }),
    ...(random.chance(0.9) && { bundles }),
    ...(random.chance(0.5) && { outcomes }),
    ...(random.chance(0.5) && { teams }),
  }
}
