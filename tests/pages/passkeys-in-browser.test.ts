/** Members add passkeys, sign in with and without a password, and lose passkeys. */
import type { CDPSession, Page } from 'playwright-core'
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

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

/** The authenticator verifies its user. */
async function authenticator(page: Page): Promise<{ cdp: CDPSession; id: string }> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId: id } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, id }
}

async function signOut(page: Page): Promise<void> {
  await page.context().clearCookies()
  await page.goto(`${world.console}/sign-in`)
  await heading(page, 'Sign in').waitFor()
}

async function typePassword(page: Page): Promise<void> {
  await page.getByLabel('Email address').fill(owner.email)
  await page.getByLabel('Password', { exact: true }).fill(owner.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

it('a passkey is added, signs a member in with and without the password, is renamed, and is removed', async () => {
  const { page, ...seen } = await world.openConsole('/settings?tab=you')
  const { cdp, id } = await authenticator(page)
  const part = page.getByRole('table', { name: 'Passkeys' })
  await page.getByRole('button', { name: 'Add passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Laptop')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add passkey' }).click()
  await part.getByText('Laptop').first().waitFor()
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId: id })
  expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }])
  await expectQuiet(page, seen)

  await signOut(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL((url) => url.pathname !== '/sign-in')

  await signOut(page)
  await typePassword(page)
  const use = page.getByRole('button', { name: 'Use passkey' })
  await use.waitFor()
  await expectAccessible(page)
  await use.click()
  await page.waitForURL((url) => url.pathname !== '/sign-in')

  await page.goto(`${world.console}/settings?tab=you`)
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Phone')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename passkey' }).click()
  await part.getByText('Phone').first().waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click()
  await page.getByText('No passkeys yet').waitFor()
})

it('in an organization that requires passkeys, a member registers a passkey at the next sign-in', async () => {
  const { page } = await world.openConsole('/team')
  await authenticator(page)
  await page.getByRole('switch', { name: 'Require a passkey in addition to the password' }).click()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Require passkeys' }).click()
  await page.getByText('Signing in with a password now also requires a passkey.').waitFor()
  await signOut(page)
  await typePassword(page)
  const register = page.getByRole('button', { name: 'Register passkey' })
  await register.waitFor()
  await expectAccessible(page)
  await register.click()
  await page.waitForURL((url) => url.pathname !== '/sign-in')
  const { body } = await world.call('GET', `/v1/passkeys?email=${owner.email}`)
  expect(body.data).toMatchObject([{ name: 'First passkey' }])

  await page.goto(`${world.console}/team`)
  await page.getByRole('button', { name: `Actions for ${owner.email}` }).click()
  await page.getByRole('menuitem', { name: 'Remove passkeys' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove passkeys' }).click()
  await page.getByText(`Removed 1 passkey of ${owner.email}.`).waitFor()
})

it('a browser without a passkey shows an error, and the password form remains', async () => {
  const { page } = await world.openConsole('/sign-in', { isSignedIn: false })
  const { cdp, id } = await authenticator(page)
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false })
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('alert').getByText('No passkey was used').waitFor()
  await page.getByLabel('Email address').waitFor()
})
