import { afterAll, beforeAll, expect, it } from 'vitest'
import { startFakeProvider, type FakeProvider } from '../../support/fake-provider.ts'
import { expectQuiet, openPages, type PageWorld } from '../../support/start-page-tests.ts'
import { asked, byText, microsIn, rowOf, seed } from '../../pages/product-page-data.ts'

let world: PageWorld
let provider: FakeProvider
let scope: string

beforeAll(async () => {
  provider = await startFakeProvider()
  world = await openPages({ sampleDays: 4, callsPerDay: 6 })
  await seed(world, provider)
  scope = `app=${world.app}&mode=test`
})
afterAll(async () => {
  await world.close()
  await provider.close()
})

it('a user builds a router and reorders its targets with buttons, and the page shows the same plan for a call as the API', async () => {
  const { page, ...seen } = await world.openConsole(`/routers?${scope}&act=new`)
  await page.getByLabel('Name', { exact: true }).fill('acme/picked')
  await page.getByLabel('Model', { exact: true }).fill('acme/fine')
  await page.getByRole('button', { name: 'Add target' }).click()
  await page.getByLabel('Type of target 2').selectOption('account')
  await page.getByRole('combobox', { name: 'Account', exact: true }).selectOption('main')
  await page.getByLabel('Model', { exact: true }).nth(1).fill('small')
  await page.getByRole('button', { name: 'Move target 2 up' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add router' }).click()
  await page.getByRole('button', { name: 'Edit router' }).waitFor()
  const built = await asked(world, 'GET', '/v1/routers/acme%2Fpicked')
  expect(built.targets.map(({ alias, model }: { alias?: string; model?: string }) => alias ?? model)).toEqual(
    ['small', 'acme/fine'],
  )

  await page.goto(`${world.console}/routers?${scope}&plan=acme%2Fsmart`)
  await page.getByLabel('Bundle').selectOption('wild')
  await page.getByRole('dialog').getByRole('button', { name: 'Plan request' }).click()
  await page.locator('[data-plan]').waitFor()
  const plan = await asked(world, 'POST', '/v1/routers/acme%2Fsmart/plan', {
    request: { messages: [{ role: 'user', content: 'Hello' }] },
    bundle: 'wild',
  })
  type Planned = {
    expectedMicros: string | null
    worstMicros: string | null
    skip: { reason: string } | null
  }
  const targets = plan.targets as Planned[]
  expect(await page.locator('[data-target]').count()).toBe(targets.length)
  const costs = targets.flatMap(({ expectedMicros, worstMicros }) => [expectedMicros, worstMicros])
  expect((await microsIn(page, '[data-plan]')).map(String).toSorted(byText)).toEqual(
    costs.filter((micros) => micros !== null).toSorted(byText),
  )
  for (const { skip } of targets) {
    if (skip) expect(await page.getByText(skip.reason, { exact: true }).count()).toBeGreaterThan(0)
  }
  expect(await page.getByText('Selected', { exact: true }).count()).toBe(1)
  await expectQuiet(page, seen)
})

it('published prices on the page equal the prices of the catalog', async () => {
  const { page, ...seen } = await world.openConsole(`/providers?${scope}&view=catalogue&of=anthropic`)
  const { data } = await asked(world, 'GET', '/v1/catalog/models?provider=anthropic&limit=100')
  expect(data.length).toBeGreaterThan(0)
  const [first] = data
  await rowOf(page, first.model).first().waitFor()
  const rates = data.flatMap(({ price }: { price: { input?: string; output?: string } }) =>
    [price.input, price.output].filter((rate) => rate !== undefined),
  )
  expect(await microsIn(page, 'table')).toEqual(rates)
  await page.getByRole('button', { name: first.model }).first().click()
  const sheet = page.getByRole('dialog', { name: first.name })
  await sheet.getByText(first.source).waitFor()
  await expectQuiet(page, seen)
})

it('the form for a bundle does not overwrite changes by another user', async () => {
  const { page } = await world.openConsole(`/bundles?${scope}&open=pro&act=edit`)
  await page.getByLabel('Spend limit per end user').fill('7')
  await asked(world, 'PATCH', '/v1/bundles/pro', { displayName: 'Pro, changed' })
  await page.getByRole('button', { name: 'Save bundle' }).click()
  await page.getByText('Another team member has changed this data').waitFor()
  expect((await asked(world, 'GET', '/v1/bundles/pro')).spendLimitMicros).toBe(null)
  await page.getByRole('button', { name: 'Load current version' }).click()
  await page.getByRole('heading', { name: 'Pro, changed' }).waitFor()
})

it('the health of an account and its models is the same on every page', async () => {
  provider.script({ status: 500 })
  const live = `app=${world.app}`
  const key = { endUserId: 'patient', bundle: 'wild', livemode: true }
  const { key: secret } = await asked(world, 'POST', '/v1/keys', key, 'live')
  const grant = { endUsers: ['patient'], amountUnits: '1000000', reason: 'test' }
  await asked(world, 'POST', '/v1/grants', grant, 'live')
  const { gateway, localGateway } = await asked(world, 'GET', '/v1/gateway')
  for (let n = 0; n < 6; n++) {
    // oxlint-disable-next-line no-await-in-loop -- the circuit counts failures in a row
    await fetch(`${localGateway ?? gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({
        model: 'acme/fine',
        max_tokens: 5,
        messages: [{ role: 'user', content: 'a' }],
      }),
    })
  }
  provider.script({})
  const { accounts, names } = await asked(world, 'GET', '/v1/health', undefined, 'live')
  const stateOf = (name: string): string => names.find((one: { name: string }) => one.name === name).state
  const main = accounts.find((one: { provider: string }) => one.provider === 'main')
  expect([main.state, stateOf('acme/fine')]).toEqual(['unavailable', 'unavailable'])
  const { page } = await world.openConsole(`/providers?${live}`)
  await rowOf(page, 'main').getByText('Unavailable', { exact: true }).waitFor()
  await page.goto(`${world.console}/providers?${live}&open=main`)
  await page.getByRole('dialog').getByText(main.why).waitFor()
  await page.goto(`${world.console}/models?${live}`)
  await rowOf(page, 'acme/fine').getByText('Unavailable', { exact: true }).waitFor()
  await page.goto(`${world.console}/routers?${live}`)
  const words = { unavailable: 'Unavailable', degraded: 'Degraded' }[stateOf('acme/smart')] ?? 'unexpected'
  await rowOf(page, 'acme/smart').getByText(words, { exact: true }).waitFor()
  await page.goto(`${world.console}/doctor?${live}`)
  await page.locator('[data-finding="account_failing"]').getByText('main is unavailable').waitFor()
  await page.goto(`${world.console}/?${live}`)
  await page.getByText('Requests are not routed to big at main').waitFor()
})
