import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectAccessible,
  expectQuiet,
  openPages,
  shown,
  type PageWorld,
} from '../../support/start-page-tests.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 2, callsPerDay: 6 })
})
afterAll(() => world.close())

const query = 'app=sample-month&mode=test'
const scope = { 'x-svc-app': 'sample-month', 'x-svc-mode': 'test' }

// oxlint-disable-next-line typescript/no-explicit-any -- an answer, of which a test reads what it expects
async function api(method: string, path: string, body?: unknown): Promise<any> {
  const answer = await world.call(method, path, body, scope)
  expect([path, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([path, answer.status, ''])
  return answer.body
}

/** A toast is also a dialog, but not a modal one. */
const dialogOf = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])')

async function gatewayCall(key: string, body: object = {}): Promise<number> {
  const { localGateway } = await api('GET', '/v1/apps/sample-month')
  const answer = await fetch(`${localGateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sample/fast',
      max_tokens: 20,
      messages: [{ role: 'user', content: 'Hello' }],
      ...body,
    }),
  })
  await answer.text()
  return answer.status
}

describe('a key', () => {
  it('a key is created, shown once, used, and rejected starting with the next call after it is revoked', async () => {
    await api('PUT', '/v1/end-users/newcomer', {})
    await api('POST', '/v1/grants', { endUsers: ['newcomer'], amountUnits: '1000000', reason: 'welcome' })
    const seen = await world.openConsole(`/keys?${query}`)
    const { page } = seen
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Create key' }).click()
    await dialogOf(page).getByLabel('End user').fill('newcomer')
    await dialogOf(page).getByLabel('Name').fill('laptop')
    await dialogOf(page).getByLabel('Cap').fill('0.5')
    await expectAccessible(page)
    // The test uses the keyboard: Enter in a field sends the form.
    await dialogOf(page).getByLabel('Cap').press('Enter')

    const secret = page.getByRole('dialog', { name: 'New test key' })
    await secret.waitFor()
    expect(await secret.locator('[data-secret]').textContent()).toMatch(/^ak_\w+_test_•+$/)
    // The Escape key closes other dialogs, but not the dialog with a secret that is shown only once.
    await page.keyboard.press('Escape')
    await secret.getByRole('button', { name: 'Show' }).click()
    const key = (await secret.locator('[data-secret]').textContent()) ?? ''
    expect(key).toMatch(/^ak_\w+_test_\w+$/)
    const { localGateway } = await api('GET', '/v1/apps/sample-month')
    for (const client of ['OpenAI', 'Anthropic', 'Gemini', 'Claude Code', '.env']) {
      await secret.getByText(client, { exact: true }).click()
      const label = `Code that calls the gateway with ${client}`
      const text = await secret.getByRole('region', { name: label }).textContent()
      expect(text).not.toContain(key)
      expect(text).toContain(localGateway)
      await secret.getByRole('button', { name: `Copy: ${label}` }).click()
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(key)
    }
    await shown(page)
    await expectAccessible(page)
    await secret.getByRole('button', { name: 'I have saved it' }).click()
    expect(await page.content()).not.toContain(key)
    expect(await gatewayCall(key)).toBe(200)

    await page.reload()
    await page.locator('tbody [data-opens]').first().click()
    // The name of the confirmation contains the name of the key.
    const sheet = page.getByRole('dialog', { name: 'laptop', exact: true })
    const { data } = await api('GET', '/v1/keys?endUserId=newcomer')
    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({ name: 'laptop', capMicros: '500000' })
    await sheet.locator('dd [data-micros]').first().waitFor()
    await shown(page)
    const [spent] = await sheet
      .locator('dd [data-micros]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-micros')))
    expect(BigInt(spent ?? '0') > 0n).toBe(true)
    expect(spent).toBe(data[0].spentMicros)

    await sheet.getByRole('button', { name: 'Revoke key' }).click()
    const confirm = page.getByRole('dialog', { name: 'Revoke laptop?' })
    await confirm.getByText('Requests with this key will fail immediately').waitFor()
    await confirm.getByRole('button', { name: 'Revoke key' }).click()
    await sheet.getByText('Revoked', { exact: true }).first().waitFor()
    expect(await gatewayCall(key)).toBe(401)
    await expectQuiet(page, seen)
  })

  it('after a rotation, the new key works, and the old key works until its grace period ends', async () => {
    const old = await api('POST', '/v1/keys', { endUserId: 'ada', name: 'rotated', livemode: false })
    const { page, ...seen } = await world.openConsole(`/keys?${query}&open=${old.id}`)
    const sheet = page.getByRole('dialog', { name: 'rotated' })
    const rotate = async (grace: string): Promise<string> => {
      await sheet.getByRole('button', { name: 'Rotate key' }).click()
      const form = page.getByRole('dialog', { name: 'Rotate rotated' })
      await form.getByLabel('Old key').selectOption(grace)
      await expectAccessible(page)
      await form.getByRole('button', { name: 'Rotate key' }).click()
      const secret = page.getByRole('dialog', { name: 'New test key' })
      await secret.getByText(`The old key, …`).waitFor()
      await secret.getByRole('button', { name: 'Show' }).click()
      const key = (await secret.locator('[data-secret]').textContent()) ?? ''
      await secret.getByRole('button', { name: 'I have saved it' }).click()
      await sheet.getByText('Replaced by').waitFor()
      expect(await sheet.getByRole('button', { name: 'Rotate key' }).count()).toBe(0)
      return key
    }
    const second = await rotate('Works for one more hour')
    expect([await gatewayCall(old.key), await gatewayCall(second)]).toEqual([200, 200])
    const { replacedBy } = await api('GET', `/v1/keys/${old.id}`)
    await page.goto(`${world.console}/keys?${query}&open=${replacedBy}`)
    const third = await rotate('Stops working immediately')
    expect([await gatewayCall(second), await gatewayCall(third)]).toEqual([401, 200])
    await expectQuiet(page, seen)
  })

  it('the form for a key’s cap explains the effect of the new cap', async () => {
    const { id } = await api('POST', '/v1/keys', { endUserId: 'ada', name: 'capped', capMicros: '1000000' })
    const seen = await world.openConsole(`/keys?${query}&open=${id}`)
    const { page } = seen
    const sheet = page.getByRole('dialog', { name: 'capped' })
    await sheet.getByRole('button', { name: 'Change cap' }).click()
    await sheet.getByRole('textbox', { name: 'Cap' }).fill('2.000001')
    await sheet.getByText('so $2.000001 remains').waitFor()
    await sheet.getByRole('textbox', { name: 'Cap' }).fill('0')
    await sheet.getByText('so new requests will be rejected').waitFor()
    await sheet.getByRole('textbox', { name: 'Cap' }).fill('nothing')
    await sheet.getByRole('button', { name: /^Set cap/ }).click()
    await sheet.getByRole('alert').getByText('Enter dollars').waitFor()
    await sheet.getByRole('textbox', { name: 'Cap' }).fill('2.000001')
    await sheet.getByRole('button', { name: 'Set cap to $2.000001 per month' }).click()
    await sheet.getByText('of $2.000001').waitFor()
    expect(await api('GET', `/v1/keys/${id}`)).toMatchObject({ capMicros: '2000001' })
    await expectQuiet(page, seen)
  })
})

describe('an end user', () => {
  it('an end user is found by a part of the ID, and by the email address', async () => {
    await api('PUT', '/v1/end-users/found-1', { email: 'Needle@haystack.example' })
    const seen = await world.openConsole(`/users?${query}`)
    const { page } = seen
    await page.locator('tbody [data-opens]').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('needle@')
    const row = page.getByRole('button', { name: 'found-1' })
    await row.waitFor()
    await expect.poll(() => page.locator('tbody [data-opens]').count()).toBe(1)
    await expectAccessible(page)
    await row.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'found-1', level: 1 }).waitFor()
    await page.locator('[data-balance]').waitFor()
    await expectAccessible(page)
    await expectQuiet(page, seen)
  })

  it('an end user is granted credit, and the balance on the page equals that of the API', async () => {
    const before = BigInt((await api('GET', '/v1/end-users/grace')).balance.balanceUnits)
    const seen = await world.openConsole(`/users/grace?${query}`)
    const { page } = seen
    await page.getByRole('button', { name: 'Grant credit' }).click()
    await dialogOf(page).getByLabel('Amount').fill('5.000001')
    await dialogOf(page).getByLabel('Reason').fill('for the test')
    const preview = dialogOf(page).locator('[data-preview] [data-micros]')
    await expect.poll(() => preview.getAttribute('data-micros')).toBe(String(before + 5_000_001n))
    await dialogOf(page).getByRole('button', { name: 'Grant $5.000001 to grace' }).click()
    await dialogOf(page).waitFor({ state: 'detached' })
    const after = (await api('GET', '/v1/end-users/grace')).balance.balanceUnits
    expect(after).toBe(String(before + 5_000_001n))
    await page.locator(`[data-balance] [data-micros="${after}"]`).waitFor()
    await page.getByRole('tab', { name: 'Ledger' }).click()
    await page.getByText('for the test').waitFor()
    const sum = page.locator('[data-sum] [data-micros]').last()
    await expect.poll(() => sum.getAttribute('data-micros')).toBe(after)
    await expectQuiet(page, seen)
  })

  it('an end user is frozen and unfrozen, assigned to a plan after a preview, and allowed to use on-demand', async () => {
    const { key } = await api('POST', '/v1/keys', { endUserId: 'alan', name: 'mine' })
    const seen = await world.openConsole(`/users/alan?${query}&tab=plan`)
    const { page } = seen
    await page.getByRole('button', { name: 'Freeze', exact: true }).click()
    await dialogOf(page).getByRole('button', { name: 'Freeze alan' }).click()
    await page.getByText('The end user is frozen, so all requests are rejected').waitFor()
    expect(await gatewayCall(key)).toBe(403)
    await page.getByRole('button', { name: 'Unfreeze', exact: true }).click()
    await dialogOf(page).getByRole('button', { name: 'Unfreeze alan' }).click()
    await dialogOf(page).waitFor({ state: 'detached' })
    await expect.poll(() => gatewayCall(key)).toBe(200)

    await page.getByRole('button', { name: 'Change plan' }).click()
    await dialogOf(page).getByLabel('Bundle').selectOption('starter')
    await dialogOf(page).locator('[data-preview]').getByText('Nothing is invoiced.').waitFor()
    await expectAccessible(page)
    await dialogOf(page).getByRole('button', { name: 'Change plan to Starter' }).click()
    await page.getByRole('heading', { name: 'Starter', exact: true }).waitFor()
    expect((await api('GET', '/v1/end-users/alan')).bundle).toBe('starter')

    await page.getByRole('switch', { name: 'On-demand' }).click()
    await dialogOf(page).getByLabel('Monthly limit').fill('20')
    await dialogOf(page).getByRole('button', { name: 'Turn on, up to $20.00 a month' }).click()
    await page.getByRole('switch', { name: 'On-demand', checked: true }).waitFor()
    expect(await api('GET', '/v1/subscription?endUserId=alan')).toMatchObject({
      onDemandEnabled: true,
      onDemandLimitMicros: '20000000',
    })
    await page.getByRole('button', { name: 'Cancel plan' }).click()
    await dialogOf(page).getByRole('button', { name: 'Cancel plan' }).click()
    await page.getByRole('button', { name: 'Undo cancellation' }).click()
    await page.getByRole('button', { name: 'Cancel plan' }).waitFor()
    expect((await api('GET', '/v1/subscription?endUserId=alan')).endsAt).toBeNull()
    await expectAccessible(page)
    await expectQuiet(page, seen)
  })

  it('an end user gets several limits with their counted usage, and keeps the limits when another limit is added', async () => {
    await api('PUT', '/v1/end-users/linus', {})
    await api('POST', '/v1/grants', { endUsers: ['linus'], amountUnits: '1000000', reason: 'welcome' })
    const { key } = await api('POST', '/v1/keys', { endUserId: 'linus', name: 'mine' })
    const seen = await world.openConsole(`/users/linus?${query}`)
    const { page } = seen
    const openDialog = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Set limits' }).click()
      await dialogOf(page).waitFor()
    }
    await openDialog()
    const dialog = dialogOf(page)
    await dialog.getByLabel('Maximum 1').fill('a few')
    await dialog.getByRole('button', { name: 'Save limits' }).click()
    await dialog.getByRole('alert').getByText('Limit 1: Enter the maximum as a whole number.').waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('Maximum 1').fill('2')
    await dialog.getByLabel('Window 1').selectOption('month')
    await dialog.getByRole('button', { name: 'Add limit' }).click()
    await dialog.getByLabel('Measure 2').selectOption('calls')
    expect(await dialog.getByLabel('Window 2').count()).toBe(0)
    await dialog.getByLabel('Maximum 2').fill('4')
    await dialog.getByRole('button', { name: 'Add limit' }).click()
    await dialog.getByLabel('Measure 3').selectOption('micros')
    await dialog.getByLabel('Window 3').selectOption('hour')
    await dialog.getByLabel('Maximum 3').fill('0.25')
    await dialog.getByLabel('Models 3').fill('sample/*')
    await dialog.getByRole('button', { name: 'Add limit' }).click()
    await dialog.getByRole('button', { name: 'Remove limit 4' }).click()
    await dialog.getByRole('button', { name: 'Save limits' }).click()
    await dialog.waitFor({ state: 'detached' })
    const first = [
      { measure: 'requests', window: 'month', most: '2' },
      { measure: 'calls', most: '4' },
      { measure: 'micros', window: 'hour', most: '250000', models: ['sample/*'] },
    ]
    expect((await api('GET', '/v1/end-users/linus')).limits).toEqual(first)

    expect([await gatewayCall(key), await gatewayCall(key), await gatewayCall(key)]).toEqual([200, 200, 429])
    const meter = page.getByRole('meter', { name: 'Requests per month' })
    await expect.poll(() => meter.getAttribute('aria-valuetext')).toBe('2 used, 0 left, of 2')
    await page.getByRole('meter', { name: 'Spend per hour for sample/*' }).waitFor()
    await expectAccessible(page)

    await openDialog()
    expect(await dialog.getByLabel('Maximum 3').inputValue()).toBe('0.25')
    await dialog.getByRole('button', { name: 'Add limit' }).click()
    await dialog.getByLabel('Measure 4').selectOption('micros')
    await dialog.getByLabel('Window 4').selectOption('day')
    await dialog.getByLabel('Maximum 4').fill('3')
    await dialog.getByLabel('Maximum 4').press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect((await api('GET', '/v1/end-users/linus')).limits).toEqual([
      { measure: 'micros', window: 'day', most: '3000000' },
      ...first,
    ])
    await expectQuiet(page, seen)
  })

  it('an end user has a portal, and each sign-in link works once', async () => {
    const seen = await world.openConsole(`/users/ada?${query}&act=portal`)
    const { page } = seen
    await dialogOf(page).getByRole('button', { name: 'Create portal link' }).click()
    const link = dialogOf(page).getByRole('link', { name: 'Open portal' })
    const [portal] = await Promise.all([page.context().waitForEvent('page'), link.click()])
    await portal.getByRole('heading').first().waitFor()
    expect(new URL(portal.url()).port).not.toBe('')
    const band = portal.getByText('You are viewing')
    await band.waitFor()
    expect(await band.textContent()).toMatch(/^You are viewing ada's portal as \S+@\S+, read-only\.$/)
    await dialogOf(page).getByText('This link has already been used').waitFor()
    await expectQuiet(page, seen)
  })

  it('an end user is deleted only after a user has typed the name', async () => {
    await api('PUT', '/v1/end-users/leaver', {})
    const { page } = await world.openConsole(`/users/leaver?${query}&act=remove`)
    const remove = dialogOf(page).getByRole('button', { name: 'Remove leaver' })
    expect(await remove.isDisabled()).toBe(true)
    await dialogOf(page).getByLabel('Type leaver to confirm').fill('leaver')
    await remove.click()
    await page.getByRole('heading', { name: 'End users', level: 1 }).waitFor()
    expect((await world.call('GET', '/v1/end-users/leaver', undefined, scope)).status).toBe(404)
  })

  it('the name of an end user is always shown as text', async () => {
    const name = `${'x'.repeat(60)}<img src=x onerror="document.title='run'">${'y'.repeat(60)}`
    await api('PUT', `/v1/end-users/${encodeURIComponent(name)}`, {})
    for (const width of [1440, 320]) {
      const seen = await world.openConsole(`/users?${query}&q=${encodeURIComponent('<img')}`, {
        viewport: { width, height: 800 },
      })
      const { page } = seen
      await page.locator('tbody [data-opens]').first().click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      await page.locator('[data-balance]').waitFor()
      expect(await page.title()).not.toBe('run')
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await expectQuiet(page, seen)
      await page.context().close()
    }
  })
})

describe('grants from a file', () => {
  it('grants from a file are previewed and granted exactly, and granting the same file again adds no credit', async () => {
    const balance = async (who: string) =>
      BigInt((await api('GET', `/v1/end-users/${who}`)).balance.balanceUnits)
    const before = { barbara: await balance('barbara'), edsger: await balance('edsger') }
    const seen = await world.openConsole(`/grants?${query}&act=bulk`)
    const { page } = seen
    const lines = page.getByLabel('Lines').first()
    await lines.fill('barbara,0.000001,a\nnobody-here,1,b\nedsger,5.5.5,c')
    await page.getByRole('button', { name: 'Check 3 lines' }).click()
    await page.getByText('No end user has this ID.').waitFor()
    await page.getByText('“5.5.5” is not an amount in dollars').waitFor()
    expect(await page.getByRole('button', { name: /^Grant \$/ }).isDisabled()).toBe(true)

    const text = 'externalId,dollars,reason\nbarbara,0.000001,"a, b"\nedsger,5.000003,c\nbarbara,1,d'
    await page.getByLabel('Or upload a CSV file').setInputFiles({
      name: 'grants.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(text),
    })
    await page.getByRole('button', { name: 'Check 3 lines' }).click()
    await page.locator(`[data-micros="${before.barbara + 1_000_001n}"]`).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Grant $6.000004 in 3 lines' }).click()
    await page.getByText('3 of 3 grants are issued.').waitFor()
    expect(await balance('barbara')).toBe(before.barbara + 1_000_001n)
    expect(await balance('edsger')).toBe(before.edsger + 5_000_003n)

    await page.reload()
    await page.getByLabel('Lines').first().fill(text)
    await page.getByRole('button', { name: 'Check 3 lines' }).click()
    await page.getByRole('button', { name: 'Grant $6.000004 in 3 lines' }).click()
    await page.getByText('3 of 3 grants are issued.').waitFor()
    expect(await balance('barbara')).toBe(before.barbara + 1_000_001n)
    await page.getByRole('button', { name: 'Back to grants' }).click()
    await page.getByRole('heading', { name: 'Grants', level: 1 }).waitFor()
    await expectQuiet(page, seen)
  })

  it('one form grants credit to several end users together', async () => {
    const seen = await world.openConsole(`/grants?${query}&act=new`)
    const { page } = seen
    await dialogOf(page).getByLabel('To', { exact: true }).selectOption('many')
    await dialogOf(page).getByLabel('End users').fill('ada\ngrace\nada\n')
    await dialogOf(page).getByLabel('Amount').fill('1.5')
    await dialogOf(page).getByLabel('Reason').fill('several')
    await dialogOf(page).locator('[data-micros="3000000"]').waitFor()
    await dialogOf(page).getByRole('button', { name: 'Grant $1.50 to 2 end users' }).click()
    await dialogOf(page).waitFor({ state: 'detached' })
    const { data } = await api('GET', '/v1/grants?limit=1')
    expect(data[0]).toMatchObject({ amountUnits: '1500000', reason: 'several', endUsers: 2, done: 2 })
    await page.locator('tbody').getByText('several').waitFor()
    await expectQuiet(page, seen)
  })
})

describe('outcomes and invoices', () => {
  it('an outcome is defined and archived, and its run is first shown as capped and then as finished', async () => {
    const seen = await world.openConsole(`/outcomes?${query}`)
    const { page } = seen
    await page.getByRole('button', { name: 'Define outcome' }).first().click()
    await dialogOf(page).getByLabel('Slug').fill('report')
    await dialogOf(page).getByLabel('Display name').fill('Weekly report')
    await dialogOf(page).getByLabel('Ceiling per run').fill('0.5')
    await dialogOf(page).getByRole('button', { name: 'Define outcome' }).click()
    await page.getByRole('button', { name: 'report' }).waitFor()
    const { key } = await api('POST', '/v1/keys', { endUserId: 'ada', name: 'runs' })
    expect(await gatewayCall(key, { svc: { outcome: 'report', outcome_id: 'run-1' } })).toBe(200)
    await page.getByRole('button', { name: 'report' }).click()
    const sheet = page.getByRole('dialog', { name: 'Weekly report' })
    await sheet.getByRole('button', { name: 'Finish run run-1' }).waitFor()
    const { data } = await api('GET', '/v1/outcomes/report/runs')
    await sheet.locator(`tbody [data-micros="${data[0].spentMicros}"]`).waitFor()
    await expectAccessible(page)
    await sheet.getByRole('button', { name: 'Finish run run-1' }).click()
    const finish = page.getByRole('dialog', { name: 'Finish run run-1' })
    await finish.getByRole('button', { name: 'Finish run as done' }).click()
    await sheet.locator('tbody').getByText('Done').waitFor()
    expect(await gatewayCall(key, { svc: { outcome: 'report', outcome_id: 'run-1' } })).toBe(409)
    await sheet.getByRole('button', { name: 'Archive outcome' }).click()
    await page
      .getByRole('dialog', { name: 'Archive report?' })
      .getByRole('button', { name: /^Archive/ })
      .click()
    await sheet.getByText('Archived: requests are rejected').waitFor()
    await expectQuiet(page, seen)
  })

  it('every invoice equals the sum of its lines, and is marked as paid', async () => {
    const { data } = await api('GET', '/v1/invoices?endUserId=grace')
    const [invoice] = data
    const seen = await world.openConsole(`/invoices?${query}&user=grace&open=${invoice.id}`)
    const { page } = seen
    const sheet = page.getByRole('dialog', { name: `Invoice ${invoice.number}` })
    await sheet.locator('li [data-micros]').first().waitFor()
    await shown(page)
    const amounts = await sheet
      .locator('li [data-micros]')
      .evaluateAll((all) => all.map((one) => BigInt(one.getAttribute('data-micros') ?? '0')).map(String))
    const sum = amounts.slice(0, -1).reduce((total, one) => total + BigInt(one), 0n)
    expect([String(sum), amounts.at(-1)]).toEqual([invoice.amountMicros, invoice.amountMicros])
    await expectAccessible(page)
    await sheet.getByRole('button', { name: 'Mark $20.00 as paid' }).click()
    await page
      .getByRole('dialog', { name: 'Mark invoice of $20.00 as paid?' })
      .getByRole('button', { name: 'Mark as paid' })
      .click()
    await sheet.getByText('Paid').first().waitFor()
    expect((await api('GET', `/v1/invoices/${invoice.id}`)).status).toBe('paid')
    await expectQuiet(page, seen)
  })
})
