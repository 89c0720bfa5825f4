import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqlDirectory } from '#store/nouns/gateway-lookups.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
  await ready(control)
})
afterEach(() => control.close())

interface Shown {
  readonly problem: { readonly code: string; readonly mend: { readonly path: string } } | null
}
interface Changed {
  readonly action: string
  readonly path: string
}

const source = { provider: 'main', model: 'gpt-x' }
const add = (name: string, ...targets: object[]) =>
  control.call('PUT', `/v1/routers/${name}`, { body: { policy: 'priority', targets } })
const show = async (name: string) => (await control.call('GET', `/v1/routers/${name}`)).body
const configOf = async () => {
  const application = await control.store.read.applications.bySlug('acme')
  return sqlDirectory(control.database, () => control.clock.nowMs).config(application?.id ?? '')
}

describe('a router', () => {
  it('a router shows its targets in order, shows defaults for omitted fields, and is in the compiled configuration', async () => {
    const added = await add('acme/best', { alias: 'acme/smart' }, { ...source, weight: 3 })
    expect(added.status, added.text).toBe(200)
    expect(added.body).toEqual({
      name: 'acme/best',
      policy: 'priority',
      stickyBy: 'end_user',
      targets: [
        { alias: 'acme/smart', weight: 1, maxInFlight: null, when: null, timeouts: {}, problem: null },
        { ...source, weight: 3, maxInFlight: null, when: null, timeouts: {}, problem: null },
      ],
      attempts: {
        withinMs: 120_000,
        attemptsMax: 5,
        retriesPerTarget: 1,
        onContextLength: 'next',
        alsoMovesOn: [],
        neverMovesOn: [],
        timeouts: {},
      },
      serving: true,
      createdAt: added.body.createdAt,
    })
    expect(await show('acme/best')).toEqual(added.body)
    const { targets } = (await configOf())?.routers.get('acme/best') ?? { targets: [] }
    expect(targets.map(({ to }) => to.kind)).toEqual(['alias', 'source'])
  })

  it('a model name cannot get so many sources that a router resolves to more than 64 targets', async () => {
    const sources = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...source, model: `m${at}` }))
    const put = (count: number) =>
      control.call('PUT', '/v1/models/acme/many', { body: { sources: sources(count) } })
    expect((await put(1)).status).toBe(200)
    const direct = Array.from({ length: 60 }, (_, at) => ({ ...source, model: `d${at}` }))
    expect((await add('acme/wide', ...direct, { alias: 'acme/many' })).status).toBe(200)
    expect((await add('acme/outer', { router: 'acme/wide' })).status).toBe(200)
    expect((await put(4)).status).toBe(200)
    const refused = await put(5)
    expect([refused.status, refused.body.error?.param]).toEqual([400, 'sources'])
    expect(refused.body.error.message).toContain('The router acme/wide resolves to 65 accounts')
    expect((await put(3)).status).toBe(200)
    const applied = await control.call('PUT', '/v1/apps/acme/configuration', {
      body: { format: 1, models: [{ name: 'acme/many', sources: sources(5) }] },
    })
    expect([applied.status, applied.body.error?.param]).toEqual([400, 'models'])
    // The routers of the application can still change.
    expect((await add('acme/best', source)).status).toBe(200)
  })

  it('a router is rejected if an attempt with default settings could exceed the time for attempts, and the error states both times', async () => {
    const put = (body: object) =>
      control.call('PUT', '/v1/routers/acme/best', {
        body: { policy: 'priority', targets: [{ alias: 'acme/smart' }, source], ...body },
      })
    const late = await put({ attempts: { withinMs: 60_000, timeouts: { firstByteMs: 60_000 } } })
    expect([late.status, late.body.error.code, late.body.error.param]).toEqual([
      400,
      'invalid_request',
      'attempts.timeouts.firstByteMs',
    ])
    expect(late.body.error.message).toContain('firstByteMs (60000 ms)')
    expect(late.body.error.message).toContain('withinMs (60000 ms)')
    const own = await put({
      targets: [{ ...source, timeouts: { firstByteMs: 200_000 } }, { alias: 'acme/smart' }],
    })
    expect([own.status, own.body.error.param]).toEqual([400, 'targets.0.timeouts.firstByteMs'])
    // A long timeout is accepted if a shorter deadline applies first, no target follows, or no other attempt is
    // allowed.
    for (const body of [
      { attempts: { withinMs: 60_000, timeouts: { firstByteMs: 59_999 } } },
      { attempts: { withinMs: 60_000, timeouts: { firstByteMs: 60_000, firstTokenMs: 20_000 } } },
      { attempts: { withinMs: 60_000, timeouts: { firstByteMs: 60_000, totalMs: 50_000 } } },
      { targets: [{ alias: 'acme/smart' }, { ...source, timeouts: { firstByteMs: 200_000 } }] },
      { targets: [source], attempts: { withinMs: 60_000, timeouts: { firstByteMs: 60_000 } } },
      { attempts: { attemptsMax: 1, timeouts: { firstByteMs: 600_000 } } },
      { attempts: { withinMs: 0, timeouts: { firstByteMs: 600_000 } } },
    ])
      expect([JSON.stringify(body), (await put(body)).status]).toEqual([JSON.stringify(body), 200])
    const rules = { attempts: { withinMs: 1_000, timeouts: { firstByteMs: 5_000 } } }
    await put({})
    expect((await control.call('PUT', '/v1/routers/acme/best', { body: rules })).status).toBe(400)
  })

  it('a router cannot have the name of a model, and a model cannot have the name of a router', async () => {
    const taken = await add('acme/smart', source)
    expect([taken.status, taken.body.error.code, taken.body.error.param]).toEqual([409, 'name_taken', 'name'])
    await add('acme/best', source)
    const model = await control.call('PUT', '/v1/models/acme/best', { body: { sources: [source] } })
    expect([model.status, model.body.error.code]).toEqual([409, 'name_taken'])
    expect(model.body.error.message).toContain('DELETE /v1/routers/acme/best')
  })

  it('a router that contains itself is rejected, and the error shows the path from the router to itself', async () => {
    await add('acme/a', source)
    await add('acme/b', { router: 'acme/a' })
    const circle = await add('acme/a', { router: 'acme/b' })
    expect(circle.status).toBe(400)
    expect(circle.body.error.param).toBe('targets')
    expect(circle.body.error.message).toMatch(/acme\/a -> acme\/b -> acme\/a|acme\/b -> acme\/a -> acme\/b/)
    const self = await add('acme/a', source, { router: 'acme/a' })
    expect(self.body.error.message).toContain('acme/a -> acme/a')
  })

  it('routers can be nested at most four levels deep, regardless of the order in which they are saved', async () => {
    await add('acme/4', source)
    await add('acme/3', { router: 'acme/4' })
    await add('acme/2', { router: 'acme/3' })
    expect((await add('acme/1', { router: 'acme/2' })).status).toBe(200)
    const fifth = await add('acme/0', { router: 'acme/1' })
    expect(fifth.body.error.message).toContain('acme/0 -> acme/1 -> acme/2 -> acme/3 -> acme/4')
    await add('acme/5', source)
    const deeper = await add('acme/4', { router: 'acme/5' })
    expect(deeper.body.error.message).toContain('acme/1 -> acme/2 -> acme/3 -> acme/4 -> acme/5')
  })

  it('a router is rejected if a target is not exactly one existing object, or if a condition or weight is invalid', async () => {
    const faults: [object, string, string][] = [
      [{ alias: 'acme/none' }, 'not_found', 'targets.0.alias'],
      [{ router: 'acme/none' }, 'not_found', 'targets.0.router'],
      [{ provider: 'none', model: 'x' }, 'not_found', 'targets.0.provider'],
      [{ provider: 'main' }, 'invalid_request', 'targets.0.model'],
      [{ model: 'gpt-x' }, 'invalid_request', 'targets.0.provider'],
      [{}, 'invalid_request', 'targets.0'],
      [{ alias: 'acme/smart', router: 'acme/x' }, 'invalid_request', 'targets.0'],
      [{ ...source, when: { bundles: ['free', 'none'] } }, 'not_found', 'targets.0.when.bundles.1'],
      [
        { ...source, when: { inputTokensMin: 2, inputTokensMax: 1 } },
        'invalid_request',
        'targets.0.when.inputTokensMin',
      ],
      [{ ...source, weight: 0 }, 'invalid_request', 'targets.0.weight'],
    ]
    for (const [target, code, param] of faults) {
      const answer = await add('acme/best', target)
      expect([answer.body.error?.code, answer.body.error?.param], JSON.stringify(target)).toEqual([
        code,
        param,
      ])
    }
    const final = await control.call('PUT', '/v1/routers/acme/best', {
      body: { policy: 'priority', targets: [source], attempts: { alsoMovesOn: [413] } },
    })
    expect(final.body.error.param).toBe('attempts.alsoMovesOn')
  })

  it('patterns of bundles match routers, and a router’s price in a bundle is deleted with the router', async () => {
    await add('acme/best', source)
    await control.call('PUT', '/v1/routers/beta/only', { body: { policy: 'fastest', targets: [source] } })
    const allow = (models: string[]) => control.call('POST', '/v1/bundles/free/allow', { body: { models } })
    expect((await allow(['beta/*', 'acme/best'])).status).toBe(200)
    expect((await allow(['gamma/*'])).body.error.code).toBe('unknown_model_pattern')
    const price = { input: '5', output: '6' }
    const sold = await control.call('POST', '/v1/bundles/free/price', { body: { model: 'acme/best', price } })
    expect(sold.body.prices.map(({ model }: { model: string }) => model)).toEqual(['acme/best'])
    expect((await control.call('DELETE', '/v1/routers/acme/best')).status).toBe(200)
    expect((await control.call('GET', '/v1/bundles/free')).body.prices).toEqual([])
  })

  it('a model or account that a router uses as target cannot be deleted', async () => {
    await add('acme/inner', source)
    await add('acme/best', { router: 'acme/inner' }, { alias: 'acme/smart' })
    const removals = [
      ['/v1/routers/acme/inner', 'the routers acme/best'],
      ['/v1/models/acme/smart', 'the routers acme/best'],
      ['/v1/providers/main', 'acme/acme/inner'],
    ]
    for (const [path, users] of removals) {
      const answer = await control.call('DELETE', path ?? '')
      expect([answer.status, answer.body.error.code], path).toEqual([409, 'in_use'])
      expect(answer.body.error.message).toContain(users)
    }
  })

  it('for each unusable target, the router reports the problem and the API request that fixes it', async () => {
    await control.call('PUT', '/v1/models/acme/off', { body: { sources: [source] } })
    await control.call('POST', '/v1/models/acme/off/disable')
    await control.call('PUT', '/v1/models/acme/new', { body: { sources: [{ ...source, model: 'gpt-new' }] } })
    await add('acme/inner', { alias: 'acme/off' })
    await add('acme/best', { alias: 'acme/off' }, { alias: 'acme/new' }, { router: 'acme/inner' })
    const shown = await show('acme/best')
    expect(shown.serving).toBe(false)
    expect(shown.targets.map(({ problem }: Shown) => [problem?.code, problem?.mend.path])).toEqual([
      ['disabled', '/v1/models/acme/off/enable'],
      ['unpriced', '/v1/providers/main/price'],
      ['empty', '/v1/models/acme/off/enable'],
    ])
    const { mend } = shown.targets[0].problem
    await control.call(mend.method, mend.path)
    const mended = await show('acme/best')
    expect(mended.serving).toBe(true)
    expect(mended.targets.map(({ problem }: Shown) => problem?.code ?? null)).toEqual([
      null,
      'unpriced',
      null,
    ])
  })

  it('a router whose targets have no price is served only after a bundle has set a price for the router’s name', async () => {
    await add('acme/best', { ...source, model: 'gpt-new' })
    expect((await show('acme/best')).serving).toBe(false)
    const price = { input: '5', output: '6' }
    await control.call('POST', '/v1/bundles/free/price', { body: { model: 'acme/best', price } })
    expect((await show('acme/best')).serving).toBe(true)
  })

  it('a router is copied with an application’s configuration to another application, and back without changes', async () => {
    await add('acme/inner', { ...source, when: { mode: 'live' }, timeouts: { idleMs: 5 } })
    await add('acme/best', { router: 'acme/inner', weight: 2 }, { alias: 'acme/smart', maxInFlight: 4 })
    await control.call('POST', '/v1/bundles/free/allow', { body: { models: ['acme/best'] } })
    const exported = (await control.call('GET', '/v1/apps/acme/configuration')).body
    expect(exported.routers.map(({ name }: { name: string }) => name)).toEqual(['acme/best', 'acme/inner'])
    await control.call('PUT', '/v1/apps/other', { body: { name: 'Other' } })
    const put = (slug: string, body: object, query = '') =>
      control.call('PUT', `/v1/apps/${slug}/configuration${query}`, { body, app: 'acme' })
    const applied = await put('other', exported)
    expect(applied.status, applied.text).toBe(200)
    const copied = await control.call('GET', '/v1/apps/other/configuration', { app: 'acme' })
    expect(copied.body).toEqual(exported)
    expect((await put('other', exported)).body.changes).toEqual([])
    // A document can delete targets of a router only if it also deletes the router.
    const kept = await put('acme', { format: 1, models: [] }, '?prune=true')
    expect(kept.body.error).toMatchObject({ code: 'in_use', param: 'models' })
    const gone = await put('acme', { format: 1, models: [], routers: [] }, '?prune=true')
    expect(gone.status, gone.text).toBe(200)
    expect(
      gone.body.changes.filter(({ action }: Changed) => action === 'remove').map(({ path }: Changed) => path),
    ).toEqual(['models/acme/smart', 'routers/acme/best', 'routers/acme/inner'])
  })
})
