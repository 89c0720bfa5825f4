import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFakeProvider, type FakeProvider } from '../../support/fake-provider.ts'
import { expectQuiet, openPages, shown, type PageWorld } from '../../support/start-page-tests.ts'
import { asked, byText, microsIn, rowOf, said, seed } from '../../pages/product-page-data.ts'

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

describe('models', () => {
  it('the page of models has the rates, margins and states of the API', async () => {
    const { page, ...seen } = await world.openConsole(`/models?${scope}&bundle=starter`)
    await rowOf(page, 'sample/fast').waitFor()
    await shown(page)
    const bundle = await asked(world, 'GET', '/v1/bundles/starter')
    const { data: models } = await asked(world, 'GET', '/v1/models')
    const { data: margins } = await asked(world, 'GET', '/v1/margin?by=model')
    for (const { name } of models) {
      const row = rowOf(page, name)
      const sold = bundle.prices.find((one: { model: string }) => one.model === name)?.price
      const rates = await row
        .locator('[data-micros]')
        .evaluateAll((all) => all.map((one) => one.dataset.micros))
      const margin = margins.find((one: { requestedModel: string }) => one.requestedModel === name)
      // Without revenue, the page shows the margin as an amount instead of a percentage.
      const amounts = margin?.marginPercent === null ? [margin.marginMicros] : []
      if (sold) expect([name, ...rates]).toEqual([name, sold.input, sold.output, ...amounts])
      const percent = row.locator('[data-percent]')
      expect([name, (await percent.count()) > 0 ? await percent.getAttribute('data-percent') : null]).toEqual(
        [name, margin?.marginPercent ?? null],
      )
    }
    expect(await rowOf(page, 'acme/stopped').getByText('Disabled').count()).toBe(1)
    await page.getByLabel('Show prices of bundle').selectOption('wild')
    await rowOf(page, 'acme/fine').getByText('$12.50').waitFor()
    const fine = rowOf(page, 'acme/fine').locator('[data-micros]')
    expect(await fine.evaluateAll((all) => all.map((one) => one.dataset.micros))).toEqual([
      '2500000',
      '1250000',
      '12500000',
      '10000000',
    ])
    await expectQuiet(page, seen)
  })

  it('the page of models shows the total of the last seven days at another price, exact to the micro', async () => {
    const { page, ...seen } = await world.openConsole(
      `/models?${scope}&bundle=starter&open=sample%2Ffast&act=price`,
    )
    await page.getByLabel('Input', { exact: true }).fill('0.301')
    await page.getByLabel('Output', { exact: true }).fill('1.2')
    await page.getByRole('button', { name: 'Preview last 7 days' }).click()
    const told = page.locator('[data-preview] [role="status"]')
    await told.waitFor()
    const { from } = await asked(world, 'GET', '/v1/test-clock').then(({ now }: { now: string }) => ({
      from: new Date(Date.parse(now) - 7 * 86_400_000).toISOString(),
    }))
    const lines = await world.call('GET', `/v1/usage/export?from=${from}`, undefined, {
      'x-svc-app': world.app,
      'x-svc-mode': 'test',
    })
    const rows = lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((row) => row.kind === 'usage')
      .filter((row) => row.requestedModel === 'sample/fast' && row.bundle === 'starter')
      .filter((row) => row.overHoldMicros === '0')
    let before = 0n
    let after = 0n
    for (const { billedMicros, inputTokens, outputTokens } of rows) {
      before += BigInt(billedMicros)
      const exact = BigInt(inputTokens) * 301_000n + BigInt(outputTokens) * 1_200_000n
      after += (exact + 999_999n) / 1_000_000n
    }
    expect(rows.length).toBeGreaterThan(0)
    expect(await told.locator('[data-count]').first().getAttribute('data-count')).toBe(String(rows.length))
    expect(await microsIn(page, '[data-preview] [role="status"]')).toEqual([String(before), String(after)])
    await expectQuiet(page, seen)
  })

  it('a user adds a model, reorders its sources by keyboard, disables the model and deletes it', async () => {
    const { page, ...seen } = await world.openConsole(`/models?${scope}`)
    await page.getByRole('button', { name: 'Add model' }).press('Enter')
    await page.getByLabel('Name', { exact: true }).fill('acme/new')
    await page.getByLabel('Account 1').selectOption('main')
    await page.getByLabel('Model 1').fill('big')
    await page.getByRole('button', { name: 'Add source' }).press('Enter')
    await page.getByLabel('Account 2').selectOption('main')
    await page.getByLabel('Model 2').fill('small')
    await page.getByRole('button', { name: 'Move source 2 up' }).press('Enter')
    await page.getByRole('button', { name: 'Add model' }).press('Enter')
    await page.getByRole('button', { name: 'Edit sources' }).waitFor()
    const made = await asked(world, 'GET', '/v1/models/acme%2Fnew')
    expect(made.sources.map(({ model }: { model: string }) => model)).toEqual(['small', 'big'])

    await page.getByRole('button', { name: 'Disable model' }).click()
    await page
      .getByRole('dialog', { name: 'Disable acme/new' })
      .getByRole('button', { name: 'Disable' })
      .click()
    await page.getByRole('button', { name: 'Enable model' }).click()
    await page.getByRole('button', { name: 'Disable model' }).waitFor()
    await page.getByRole('button', { name: 'Delete model' }).click()
    await page
      .getByRole('dialog', { name: 'Delete acme/new' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await rowOf(page, 'acme/new').waitFor({ state: 'detached' })
    await expectQuiet(page, seen)
  })
})

describe('providers', () => {
  it('the page of providers never stores a key, and shows a provider’s words as plain text', async () => {
    const { page, ...seen } = await world.openConsole(`/providers?app=${world.app}&act=new`)
    await page.getByLabel('Provider', { exact: true }).selectOption('other')
    await page.getByLabel('Label').fill('second')
    await page.getByLabel('Base URL').fill(provider.baseUrl)
    const key = page.getByLabel('API key')
    await key.fill('typed-and-never-kept')
    expect(await key.getAttribute('type')).toBe('password')
    const kept = await page.evaluate(() =>
      JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]),
    )
    expect(kept).not.toContain('typed-and-never-kept')
    await page.getByRole('button', { name: 'Connect second' }).click()
    await page.getByText('••••kept').first().waitFor()

    provider.enqueue({ status: 401, body: said })
    await page.getByLabel('Model to probe').fill('any')
    await page.getByRole('button', { name: 'Probe second' }).click()
    const words = page.getByRole('region', { name: 'Provider response' })
    expect(await words.textContent()).toContain('<b onmouseover=alert(1)>No such key</b>')
    expect(await page.locator('[onmouseover]').count()).toBe(0)

    await page.getByRole('button', { name: 'Rotate API key' }).first().click()
    await page.getByLabel('New API key').fill('another-key-4321')
    await page.getByRole('button', { name: 'Replace API key of second' }).click()
    await page.getByText('••••4321').first().waitFor()
    await page.getByRole('button', { name: 'Disconnect account' }).click()
    const dialog = page.getByRole('dialog', { name: 'Disconnect second?' })
    expect(await dialog.getByRole('button', { name: 'Disconnect' }).isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('second')
    await dialog.getByRole('button', { name: 'Disconnect' }).click()
    await rowOf(page, 'second').waitFor({ state: 'detached' })
    await expectQuiet(page, seen)
  })
})

describe('bundles', () => {
  it('a user creates a bundle with the models, the price and the credit that they entered in the forms', async () => {
    const { page, ...seen } = await world.openConsole(`/bundles?${scope}&act=new`)
    await page.getByLabel('Name', { exact: true }).fill('Team')
    await page.getByLabel('Slug').fill('team')
    await page.getByLabel('Price').fill('49.5')
    await page.getByRole('button', { name: 'Create bundle' }).click()
    await page.getByLabel('Name or pattern').fill('acme/*')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByRole('button', { name: 'Deny acme/*' }).waitFor()
    await page.getByRole('button', { name: 'Add included credit' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Credit')
    await page.getByLabel('Slug').fill('credit')
    await page.getByLabel('Amount').fill('12.345678')
    await page.getByRole('button', { name: 'Add included credit' }).click()
    await page.locator('[data-amount="12345678"]').waitFor()
    await page.getByRole('button', { name: 'Set price', exact: true }).click()
    await page.getByLabel('Model', { exact: true }).fill('acme/fine')
    await page.getByLabel('Input', { exact: true }).fill('2')
    await page.getByLabel('Output', { exact: true }).fill('9.999999')
    await page.getByRole('button', { name: 'Set price' }).click()
    await page.waitForURL((url) => !url.searchParams.has('act'))
    await page.locator('[data-micros="9999999"]').waitFor()
    expect(await asked(world, 'GET', '/v1/bundles/team')).toMatchObject({
      priceMicros: '49500000',
      debitBasis: 'sell_price',
      warnings: [],
      allow: ['acme/*'],
      includes: [{ slug: 'credit', amount: '12345678', unit: 'micros', recurring: true, spilloverTo: '*' }],
      prices: [{ model: 'acme/fine', price: { input: '2000000', output: '9999999' } }],
    })
    await expectQuiet(page, seen)
  })
})

describe('a viewer', () => {
  it('a viewer sees the prices, and each disabled button names the role that the change requires', async () => {
    const invited = await asked(world, 'PUT', '/v1/team/eve@example.com', { role: 'viewer' })
    const { page, ...seen } = await world.openConsole(`/invite${new URL(invited.inviteUrl).hash}`, {
      isSignedIn: false,
    })
    await page.getByLabel('Your name').fill('Eve')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByLabel('Confirm password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Join' }).click()
    await page.waitForURL((url) => !url.pathname.startsWith('/invite'))
    // The link opens the page instead of the form, because a viewer cannot edit.
    await page.goto(`${world.console}/bundles?${scope}&open=wild&act=edit`)
    await page.getByRole('dialog').getByRole('button', { name: 'Edit bundle' }).waitFor()
    expect(new URL(page.url()).searchParams.has('act')).toBe(false)
    const roles: [string, string, string][] = [
      [`/models?${scope}&open=acme%2Ffine`, 'Edit sources', 'requires the developer role'],
      [`/routers?${scope}&open=acme%2Fsmart`, 'Edit router', 'requires the developer role'],
      [`/bundles?${scope}&open=wild`, 'Edit bundle', 'requires the developer role'],
      [`/providers?${scope}&open=main`, 'Rotate API key', 'requires the admin role'],
    ]
    for (const [place, action, reason] of roles) {
      // oxlint-disable-next-line no-await-in-loop
      await page.goto(world.console + place)
      const button = page.getByRole('dialog').getByRole('button', { name: action }).first()
      // oxlint-disable-next-line no-await-in-loop
      await button.waitFor()
      // oxlint-disable-next-line no-await-in-loop
      expect([place, await button.isDisabled()]).toEqual([place, true])
      // oxlint-disable-next-line no-await-in-loop
      expect([place, await page.getByText(reason).count()]).toEqual([place, 1])
    }
    await expectQuiet(page, seen)
    await asked(world, 'PATCH', '/v1/team/eve@example.com', { role: 'developer' })
    await page.goto(`${world.console}/bundles?${scope}&open=wild&act=edit`)
    await page.getByRole('dialog').getByRole('button', { name: 'Save bundle' }).waitFor()
    await page.goto(`${world.console}/providers?${scope}&act=new`)
    await page.getByRole('button', { name: 'Connect account' }).waitFor()
    expect(new URL(page.url()).searchParams.has('act')).toBe(false)
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})

describe('the doctor', () => {
  it('the page of the doctor shows every finding and check of the API, and shows a fix as a command before the page sends the fix', async () => {
    const { page, ...seen } = await world.openConsole(`/doctor?${scope}`)
    await page.getByRole('heading', { name: 'Checks' }).waitFor()
    await shown(page)
    const { checks, findings } = await asked(world, 'GET', '/v1/diagnose')
    const codes = await page
      .locator('[data-finding]')
      .evaluateAll((all) => all.map((one) => one.dataset.finding))
    const found = findings.map(({ code }: { code: string }) => code)
    expect(codes.map(String).toSorted(byText)).toEqual(found.toSorted(byText))
    expect(await page.getByRole('table', { name: 'Checks' }).getByRole('row').count()).toBe(checks.length + 1)

    const stopped = page.locator('[data-finding="name_disabled"]')
    await stopped.getByRole('button', { name: 'Enable model' }).click()
    const dialog = page.getByRole('dialog', { name: 'Enable model?' })
    await dialog.getByText('models enable acme/stopped').waitFor()
    await dialog.getByRole('button', { name: 'Enable model' }).click()
    await stopped.waitFor({ state: 'detached' })
    expect((await asked(world, 'GET', '/v1/models/acme%2Fstopped')).status).toBe('serving')
    await expectQuiet(page, seen)
  })
})
