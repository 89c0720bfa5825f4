import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SeenPage } from '../../support/open-browser.ts'
import {
  expectAccessible,
  expectQuiet,
  openPages,
  phone,
  type PageWorld,
} from '../../support/start-page-tests.ts'
import { callWith, keyOf, microsIn } from '../../pages/portal-page-helpers.ts'

const onPhone = { viewport: { width: 390, height: 844 } }

let world: PageWorld
let seen: SeenPage
let page: Page
beforeAll(async () => {
  world = await openPages({ sampleDays: 1, callsPerDay: 2 })
  for (const id of ['acme-labs', 'lin']) {
    // oxlint-disable-next-line no-await-in-loop -- two
    await ask('PUT', `/v1/end-users/${id}`, {})
  }
  await ask('POST', '/v1/grants', { endUsers: ['acme-labs'], amountUnits: '25000000', reason: 'topup' })
  seen = await world.openConsole(`/teams?app=${world.app}&mode=test`)
  page = seen.page
})
afterAll(() => world.close())

async function ask(method: string, path: string, body?: object) {
  const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
  const answer = await world.call(method, path, body, headers)
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text })
const button = (name: string) => page.getByRole('button', { name, exact: true })

it('a team is created with its payer, and the list of teams shows the balance of the payer', async () => {
  await page.getByText('No teams yet').waitFor()
  await expectAccessible(page)
  await button('Create team').first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create team' }).click()
  await dialog.getByText('Enter a display name.').waitFor()
  await expectAccessible(page)
  await dialog.getByLabel('Slug').fill('labs')
  await dialog.getByLabel('Display name').fill('Acme Labs')
  await dialog.getByLabel('Payer').fill('acme-labs')
  await dialog.getByRole('button', { name: 'Create team' }).click()
  await rowOf('labs').getByText('$25.00').waitFor()
  expect(await ask('GET', '/v1/teams/labs')).toMatchObject({ displayName: 'Acme Labs', payer: 'acme-labs' })
  await expectQuiet(page, seen)
})

it('a member is added with a cap, and the cap can be changed later', async () => {
  await rowOf('labs').click()
  const sheet = page.getByRole('dialog', { name: 'Acme Labs' })
  await sheet.getByRole('button', { name: 'Add member' }).click()
  const form = page.getByRole('dialog', { name: 'Add member' })
  await form.getByLabel('End user').fill('lin')
  await form.getByLabel('Cap per month').fill('20')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Add member' }).click()
  await sheet.getByRole('row').filter({ hasText: 'lin' }).getByText('$20.00').waitFor()
  await sheet.getByRole('button', { name: 'Change cap of lin' }).click()
  const cap = page.getByRole('dialog', { name: 'Cap of lin' })
  expect(await cap.getByLabel('Cap per month').inputValue()).toBe('20')
  await cap.getByLabel('Cap per month').fill('')
  await cap.getByRole('button', { name: 'Change cap' }).click()
  await sheet.getByRole('row').filter({ hasText: 'lin' }).getByText('No cap').waitFor()
  const { data } = await ask('GET', '/v1/teams/labs/members')
  expect(data).toMatchObject([{ endUserId: 'lin', capMicros: null, spentMicros: '0' }])
  await expectAccessible(page)
})

it('an end user who is in another team cannot be added, and the dialog shows the reason', async () => {
  const sheet = page.getByRole('dialog', { name: 'Acme Labs' })
  await sheet.getByRole('button', { name: 'Add member' }).click()
  const form = page.getByRole('dialog', { name: 'Add member' })
  await form.getByLabel('End user').fill('acme-labs')
  await form.getByRole('button', { name: 'Add member' }).click()
  await form.getByText('the team labs, as its payer', { exact: false }).waitFor()
  await form.getByRole('button', { name: 'Cancel' }).click()
})

it('the spending of a member is shown in the team, in its reports, and in the limits of the member', async () => {
  expect(await callWith(world, await keyOf(world, 'lin'))).toBe(200)
  const [{ spentMicros }] = (await ask('GET', '/v1/teams/labs/members')).data
  expect(spentMicros).not.toBe('0')
  await page.reload()
  const sheet = page.getByRole('dialog', { name: 'Acme Labs' })
  const row = sheet.getByRole('row').filter({ hasText: 'lin' })
  await row.locator(`[data-micros="${spentMicros}"]`).waitFor()
  await sheet.locator(`dl [data-micros="${spentMicros}"]`).waitFor()

  const { page: margin, ...heard } = await world.openConsole(`/margin?app=${world.app}&mode=test&by=team`)
  const link = margin.getByRole('row').filter({ hasText: 'labs' }).getByRole('link', { name: 'labs' })
  await expectAccessible(margin)
  await link.click()
  await margin.getByRole('row').filter({ hasText: 'lin' }).waitFor()
  expect(new URL(margin.url()).searchParams.get('team')).toBe('labs')
  await margin.goto(margin.url().replace('/requests', '/explore'))
  await margin.getByRole('button', { name: 'Remove filter: Team labs' }).waitFor()
  await expectQuiet(margin, heard)

  const { page: user } = await world.openConsole(`/users/lin?app=${world.app}&mode=test`)
  const { balanceUnits } = await ask('GET', '/v1/teams/labs')
  const words = await user.locator('[data-binding]').innerText()
  expect(words).toContain("This is the remaining amount in the team's wallet and the wallet.")
  const limits = await ask('GET', '/v1/end-users/lin/limits')
  expect(limits.pace.availableMicros).toBe(balanceUnits)
})

it('the payer sees in the portal how much each member spent, and other end users have no team page', async () => {
  const { spentMicros } = await ask('GET', '/v1/teams/labs')
  const { data } = await ask('GET', '/v1/teams/labs/members')
  const { page: portal, ...heard } = await world.openPortal('/more', { endUserId: 'acme-labs', ...onPhone })
  await portal.getByRole('link', { name: 'Team Members who spend from your wallet' }).click()
  await portal.getByRole('heading', { name: 'Acme Labs' }).waitFor()
  const members = portal.getByRole('list', { name: 'Members' })
  await members.getByText('lin', { exact: true }).waitFor()
  expect(data).toMatchObject([{ endUserId: 'lin', spentMicros }])
  expect(await microsIn(portal, '[aria-label="Members"]')).toEqual([spentMicros])
  expect((await microsIn(portal, 'dl'))[0]).toBe(spentMicros)
  await expectAccessible(portal)
  await expectQuiet(portal, heard)

  const { page: other } = await world.openPortal('/more', { endUserId: 'lin', ...onPhone })
  await other.getByRole('link', { name: 'Settings', exact: false }).waitFor()
  expect(await other.getByRole('link', { name: 'Team Members' }).count()).toBe(0)
  await other.goto(other.url().replace('/more', '/team'))
  await other.getByText("You don't pay for a team.", { exact: false }).waitFor()
})

it('if another member of the organization changes the team while a form is open, the form is not saved, and the user can load the current version', async () => {
  const sheet = page.getByRole('dialog', { name: 'Acme Labs' })
  await sheet.getByRole('button', { name: 'Rename team' }).click()
  await sheet.getByLabel('Display name').fill('Acme Works')
  await ask('PUT', '/v1/teams/labs', { displayName: 'Acme Group' })
  await sheet.getByRole('button', { name: 'Rename team' }).click()
  await page.getByText('Your changes were not saved.', { exact: false }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Load current version' }).click()
  const changed = page.getByRole('dialog', { name: 'Acme Group' })
  await changed.getByRole('button', { name: 'Rename team' }).click()
  await changed.getByLabel('Display name').fill('Acme Labs')
  await changed.getByRole('button', { name: 'Rename team' }).click()
  await page.getByRole('dialog', { name: 'Acme Labs' }).getByText('Spent by members this month').waitFor()
  expect((await ask('GET', '/v1/teams/labs')).displayName).toBe('Acme Labs')
})

it('the team’s sheet fits a phone', async () => {
  await page.setViewportSize(phone)
  await page.getByRole('dialog', { name: 'Acme Labs' }).getByText('Spent by members this month').waitFor()
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBeLessThanOrEqual(phone.width)
  await expectAccessible(page)
  await page.setViewportSize({ width: 1440, height: 900 })
})

it('a member is removed and the team is deleted after a confirmation', async () => {
  const sheet = page.getByRole('dialog', { name: 'Acme Labs' })
  await sheet.getByRole('button', { name: 'Remove lin' }).click()
  await page.getByRole('button', { name: 'Remove member' }).click()
  await sheet.getByText('No members yet.', { exact: false }).waitFor()
  expect((await ask('GET', '/v1/teams/labs/members')).data).toEqual([])
  await sheet.getByRole('button', { name: 'Delete team' }).click()
  await page
    .getByRole('dialog', { name: 'Delete Acme Labs?' })
    .getByRole('button', { name: 'Delete team' })
    .click()
  await page.getByText('No teams yet').waitFor()
  expect((await ask('GET', '/v1/teams')).data).toEqual([])
  // The browser logs each rejected request.
  const faults = seen.faults.filter((fault) => !/409 \(Conflict\)|412 \(Precondition Failed\)/.test(fault))
  await expectQuiet(page, { ...seen, faults })
})

it('at 320 pixels, the sheet of a team whose payer has a long ID and a large balance does not scroll sideways', async () => {
  const payer = `payer-${'x'.repeat(180)}`
  await ask('PUT', `/v1/end-users/${payer}`, {})
  await ask('POST', '/v1/grants', { endUsers: [payer], amountUnits: '999999999999', reason: 'topup' })
  await ask('PUT', '/v1/teams/of-payer', { displayName: 'Long', payer })
  const path = `/teams?app=${world.app}&mode=test&open=of-payer`
  const { page: narrow } = await world.openConsole(path, { viewport: { width: 320, height: 640 } })
  const sheet = narrow.getByRole('dialog', { name: 'Long' })
  await sheet.getByTitle(payer).waitFor()
  expect(await sheet.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
})
