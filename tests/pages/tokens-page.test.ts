import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  expectAccessible,
  expectQuiet,
  openPages,
  owner,
  type PageWorld,
} from '../support/start-page-tests.ts'

let world: PageWorld

beforeAll(async () => {
  world = await openPages({ sampleDays: 0 })
})
afterAll(() => world.close())

it('a token is created with an expiry, and its page shows which member created it', async () => {
  const { page, ...seen } = await world.openConsole('/tokens?act=new')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Label').fill('deploy')
  await dialog.getByLabel('Expires').selectOption('In 30 days')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create token deploy' }).click()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  const row = page.getByRole('table', { name: 'Tokens' }).locator('tbody tr').filter({ hasText: 'deploy' })
  await row.getByText(owner.email).waitFor()
  await row.getByText('valid').waitFor()
  const { body } = await world.call('GET', '/v1/application-keys')
  const days = (Date.parse(body.data[0].expiresAt) - Date.now()) / 86_400_000
  expect(Math.round(days)).toBe(30)
  await expectAccessible(page)
  await expectQuiet(page, seen)
})

it('the dialog for removing a member names the tokens that the member created, and revokes them on request', async () => {
  const email = 'bob@example.com'
  const invited = await world.call('PUT', `/v1/team/${email}`, { role: 'admin' })
  const joined = await fetch(`${world.console}/v1/invitations/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      token: new URL(invited.body.inviteUrl).hash.slice(1),
      name: 'Bob',
      password: 'four plain words together',
    }),
  })
  const { csrfToken } = (await joined.json()) as { csrfToken: string }
  const made = await fetch(`${world.console}/v1/application-keys`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      cookie: joined.headers.get('set-cookie')?.split(';')[0] ?? '',
      'x-csrf-token': csrfToken,
      'sec-fetch-site': 'same-origin',
    },
    body: JSON.stringify({ label: 'harmless-ci' }),
  })
  expect(made.status).toBe(200)
  const { page, ...seen } = await world.openConsole('/team')
  await page.getByRole('button', { name: `Actions for ${email}` }).click()
  await page.getByRole('menuitem', { name: 'Change role' }).click()
  await page.getByRole('dialog').getByLabel('Role', { exact: true }).selectOption('viewer')
  await page.getByRole('dialog').getByText('harmless-ci').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: `Actions for ${email}` }).click()
  await page.getByRole('menuitem', { name: 'Remove from team' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('harmless-ci').waitFor()
  await dialog.getByLabel('Revoke these tokens').check()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: `Remove ${email}` }).click()
  await page.getByText(`Removed ${email} from the team.`).waitFor()
  const { body } = await world.call('GET', '/v1/application-keys')
  const [token] = body.data.filter(({ label }: { label: string }) => label === 'harmless-ci')
  expect(token.revokedAt).not.toBeNull()
  await expectQuiet(page, seen)
})
