/** While a member edits a form of the console, another member changes the same data through the API. */
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPages, type PageWorld } from '../../support/start-page-tests.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 2, callsPerDay: 4 })
  await change('PUT', '/v1/bundles/pro', { displayName: 'Pro', priceMicros: '20000000', interval: 'year' })
  await change('PUT', '/v1/teams/labs', { displayName: 'Labs', payer: 'ada' })
  await change('PUT', '/v1/tags', { tags: [{ slug: 'batch' }] })
})
afterAll(() => world.close())

const headers = () => ({ 'x-svc-app': world.app, 'x-svc-mode': 'test' })
async function change(method: string, path: string, body: unknown): Promise<void> {
  const { status, text } = await world.call(method, path, body, headers())
  expect([path, status, text]).toEqual([path, 200, text])
}
const read = async (path: string) => (await world.call('GET', path, undefined, headers())).body
const open = async (path: string): Promise<Page> => {
  const scope = `${path.includes('?') ? '&' : '?'}app=${world.app}&mode=test`
  return (await world.openConsole(path + scope)).page
}
const theirs = { measure: 'tokens', window: 'day', most: '5' }
const mine = { measure: 'requests', window: 'minute', most: '7' }
const conflict = 'Another team member has changed this data since you opened it'

async function typeLimit(page: Page, title: string | RegExp, name = 'Set limits'): Promise<Locator> {
  await page.getByRole('button', { name, exact: true }).click()
  const dialog = page.getByRole('dialog', { name: title })
  await dialog.getByLabel('Maximum 1').fill('7')
  return dialog
}
const save = (dialog: Locator) => dialog.getByRole('button', { name: 'Save limits' }).click()

describe('limits', () => {
  for (const { edit, owner, page: path, limits, title } of [
    {
      owner: 'an application',
      page: '/settings',
      title: 'Limits of Sample month',
      edit: () => change('PATCH', '/v1/gateway', { limits: [theirs] }),
      limits: async () => (await read('/v1/gateway')).limits,
    },
    {
      owner: 'a tag',
      page: '/settings?tab=tags',
      title: 'Limits of batch',
      edit: () => change('PUT', '/v1/tags', { tags: [{ slug: 'batch', limits: [theirs] }] }),
      limits: async () => (await read('/v1/tags')).tags[0].limits,
    },
    {
      owner: 'a bundle',
      page: '/bundles?open=pro',
      title: 'Limits of Pro',
      edit: () => change('PATCH', '/v1/bundles/pro', { limits: [theirs] }),
      limits: async () => (await read('/v1/bundles/pro')).limits,
    },
    {
      owner: 'a team',
      page: '/teams?open=labs',
      title: 'Limits of labs',
      edit: () => change('PUT', '/v1/teams/labs', { limits: [theirs] }),
      limits: async () => (await read('/v1/teams/labs')).limits,
    },
  ]) {
    it(`the dialog with the limits of ${owner} reports a change by another member instead of overwriting it`, async () => {
      const page = await open(path)
      const dialog = await typeLimit(page, title)
      await edit()
      await save(dialog)
      await dialog.getByText(conflict).waitFor()
      expect(await limits()).toMatchObject([theirs])
      await dialog.getByRole('button', { name: 'Load current version' }).click()
      await dialog.waitFor({ state: 'hidden' })
      await page.getByRole('button', { name: 'Change limits', exact: true }).click()
      await dialog.getByLabel('Measure 1').selectOption('requests')
      await dialog.getByLabel('Window 1').selectOption('minute')
      await dialog.getByLabel('Maximum 1').fill('7')
      await save(dialog)
      await dialog.waitFor({ state: 'hidden' })
      expect(await limits()).toMatchObject([mine])
    })

    it(`the dialog with the limits of ${owner} reports a change by another member after the page has reloaded its data`, async () => {
      const page = await open(path)
      await page.clock.install()
      const dialog = await typeLimit(page, title, 'Change limits')
      await edit()
      const reloaded = page.waitForResponse(
        (response) => response.request().method() === 'GET' && response.url().includes('/v1/'),
      )
      // The page loads old data again when its window gets the focus.
      await page.clock.fastForward(20_000)
      await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
      await reloaded
      await page.waitForLoadState('networkidle')
      await save(dialog)
      await dialog.getByText(conflict).waitFor()
      expect(await limits()).toMatchObject([theirs])
    })
  }

  it('after a member saved the limits of an application, the same page saves the other settings of the gateway', async () => {
    await change('PATCH', '/v1/gateway', { limits: [] })
    const page = await open('/settings')
    await page.getByLabel('Accepted models').fill('sample/*')
    const dialog = await typeLimit(page, 'Limits of Sample month')
    await save(dialog)
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Saved. The settings apply to new requests.').waitFor()
    expect(await read('/v1/gateway')).toMatchObject({ models: ['sample/*'], limits: [{ most: '7' }] })
    await change('PATCH', '/v1/gateway', { models: null })
  })
})

it('the dialog that adds a tag reports a tag that another member has added instead of removing this tag', async () => {
  await change('PUT', '/v1/tags', { tags: [{ slug: 'batch' }] })
  const page = await open('/settings?tab=tags')
  await page.getByRole('button', { name: 'Add tag' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add tag' })
  await dialog.getByLabel('Tag').fill('mine')
  await change('PUT', '/v1/tags', { tags: [{ slug: 'batch' }, { slug: 'theirs' }] })
  await dialog.getByRole('button', { name: 'Add tag' }).click()
  await dialog.getByText(conflict).waitFor()
  expect((await read('/v1/tags')).tags).toMatchObject([{ slug: 'batch' }, { slug: 'theirs' }])
  await dialog.getByRole('button', { name: 'Load current version' }).click()
  await page.getByRole('region', { name: 'theirs' }).waitFor()
  await page.getByRole('button', { name: 'Add tag' }).click()
  await dialog.getByLabel('Tag').fill('mine')
  await dialog.getByRole('button', { name: 'Add tag' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect((await read('/v1/tags')).tags.map(({ slug }: { slug: string }) => slug)).toEqual([
    'batch',
    'theirs',
    'mine',
  ])
})

it('the removal of a tag reports a tag that another member has added instead of removing this tag', async () => {
  await change('PUT', '/v1/tags', { tags: [{ slug: 'batch' }] })
  const page = await open('/settings?tab=tags')
  await page.getByRole('button', { name: 'Remove tag' }).click()
  await change('PUT', '/v1/tags', { tags: [{ slug: 'batch' }, { slug: 'theirs' }] })
  const dialog = page.getByRole('dialog', { name: 'Remove batch?' })
  await dialog.getByRole('button', { name: 'Remove tag' }).click()
  await dialog.getByText('Someone else has changed this data').waitFor()
  expect((await read('/v1/tags')).tags).toMatchObject([{ slug: 'batch' }, { slug: 'theirs' }])
})

it('the form that renames an application reports another new name instead of overwriting it', async () => {
  const page = await open(`/apps?open=${world.app}`)
  await page.getByRole('button', { name: 'Rename application' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Mine')
  await change('PUT', `/v1/apps/${world.app}`, { name: 'Theirs' })
  await page.getByRole('button', { name: 'Rename application' }).last().click()
  await page.getByText(conflict).waitFor()
  expect((await read(`/v1/apps/${world.app}`)).name).toBe('Theirs')
  await page.getByRole('button', { name: 'Load current version' }).click()
  await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Theirs')
  await change('PUT', `/v1/apps/${world.app}`, { name: 'Sample month' })
})

it('the dialog that rotates a signing secret reports a change of the emitter by another member', async () => {
  const { body } = await world.call(
    'POST',
    '/v1/emitters',
    { kind: 'webhook', name: 'hook', url: 'https://hooks.example.com/usage' },
    headers(),
  )
  expect(body).toMatchObject({ kind: 'webhook' })
  const page = await open(`/emitters?open=${body.id}&tab=verify`)
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rotate signing secret' })
  await change('PATCH', `/v1/emitters/${body.id}`, { name: 'renamed' })
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  await dialog.getByText(conflict).waitFor()
})

describe('forms for something new', () => {
  it('the form for a new bundle rejects the slug of an existing bundle instead of changing that bundle', async () => {
    const before = await read('/v1/bundles/pro')
    const page = await open('/bundles?act=new')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Pro for one dollar')
    await dialog.getByLabel('Slug').fill('pro')
    await dialog.getByLabel(/^Price/).fill('1')
    await dialog.getByRole('button', { name: 'Create bundle' }).click()
    await dialog.getByText('A bundle with this slug already exists.').waitFor()
    expect(await read('/v1/bundles/pro')).toEqual(before)
  })

  it('the form for a new model rejects the name of an existing model instead of changing its sources', async () => {
    const before = await read('/v1/models/sample%2Ffast')
    const page = await open('/models?act=new')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('sample/fast')
    const account = dialog.getByLabel('Account 1')
    await account.selectOption({ index: 1 })
    await dialog
      .getByLabel(/^Model/)
      .first()
      .fill('another-model')
    await dialog.getByRole('button', { name: 'Add model' }).click()
    await dialog.getByText('A model with this name already exists.').waitFor()
    expect((await read('/v1/models/sample%2Ffast')).sources).toEqual(before.sources)
  })

  it('the form for a new team rejects the slug of an existing team instead of renaming that team', async () => {
    const page = await open('/teams?act=new')
    const dialog = page.getByRole('dialog', { name: 'Create team' })
    await dialog.getByLabel('Slug').fill('labs')
    await dialog.getByLabel('Display name').fill('Other')
    await dialog.getByLabel('Payer').fill('ada')
    await dialog.getByRole('button', { name: 'Create team' }).click()
    await dialog.getByText('A team with this slug already exists.').waitFor()
    expect((await read('/v1/teams/labs')).displayName).toBe('Labs')
  })

  it('the form for a new router rejects the name of an existing router instead of changing its targets', async () => {
    const targets = [{ alias: 'sample/fast' }]
    await change('PUT', '/v1/routers/acme%2Fsmart', { policy: 'priority', targets })
    const before = await read('/v1/routers/acme%2Fsmart')
    const page = await open('/routers?act=new')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('acme/smart')
    await dialog
      .getByLabel(/^Model/)
      .first()
      .fill('sample/fast')
    await dialog.getByRole('button', { name: 'Add router' }).click()
    await dialog.getByText('A router with this name already exists.').waitFor()
    expect(await read('/v1/routers/acme%2Fsmart')).toEqual(before)
  })
})
