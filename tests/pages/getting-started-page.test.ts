import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectAccessible, openPages, type PageWorld } from '../support/start-page-tests.ts'

let world: PageWorld

beforeAll(async () => {
  world = await openPages({ sampleDays: 0 })
})
afterAll(() => world.close())

it('the getting-started page reports that the credit of the first key could not be granted', async () => {
  const headers = { 'x-svc-app': 'acme', 'x-svc-mode': 'test' }
  for (const [path, body] of [
    ['/v1/apps/acme', { name: 'Acme' }],
    ['/v1/bundles/free', { displayName: 'Free' }],
    ['/v1/end-users/user-1', { bundle: 'free' }],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- each request needs the result of the request before
    const { status, text } = await world.call('PUT', path, body, headers)
    expect(status, text).toBeLessThan(300)
  }
  const { page } = await world.openConsole('/onboarding?app=acme&mode=test&step=key_minted')
  await page.route('**/v1/grants', (route) => route.abort())
  const step = page.locator('[data-step="key_minted"]')
  await step.getByRole('button', { name: 'Create key and grant $5.00' }).click()
  const dialog = page.getByRole('dialog', { name: 'Key created' })
  await dialog.waitFor()
  await page.locator('[data-step="key_minted"][data-state="done"]').waitFor()
  await page.getByText('The key was created, but the grant was rejected.').waitFor()
  await page.getByText("The server can't be reached.").waitFor()
  await expectAccessible(page)
})
