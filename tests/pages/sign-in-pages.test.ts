import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SeenPage } from '../support/open-browser.ts'
import { startIdentityProvider, type TestProvider } from '../support/openid-provider-and-browser.ts'
import {
  expectAccessible,
  expectQuiet,
  openPages,
  owner,
  type PageWorld,
} from '../support/start-page-tests.ts'

const password = 'four plain words together'
let world: PageWorld
let provider: TestProvider

beforeAll(async () => {
  provider = await startIdentityProvider()
  world = await openPages({
    sampleDays: 0,
    hasOwner: false,
    environment: {
      TOLLGATE_OIDC_ISSUER: provider.issuer,
      TOLLGATE_OIDC_CLIENT_ID: provider.clientId,
      TOLLGATE_OIDC_CLIENT_SECRET: provider.clientSecret,
      TOLLGATE_OIDC_ALLOWED_DOMAINS: 'example.com',
    },
  })
  provider.register(`${world.console}/v1/sessions/oidc/callback`)
})
afterAll(async () => {
  await world.close()
  await provider.close()
})

const newcomer = (path: string): Promise<SeenPage> => world.openConsole(path, { isSignedIn: false })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
/** `npm start` prints this link after its first request, which is in test mode. */
const toSetUp = () => `/setup?mode=test${new URL(world.setupUrl).hash}`

async function joinAs(page: Page, who: { name: string; email?: string; password: string }): Promise<void> {
  await page.getByLabel('Your name').fill(who.name)
  if (who.email !== undefined) await page.getByLabel('Email address').fill(who.email)
  await page.getByLabel('Password', { exact: true }).fill(who.password)
  await page.getByLabel('Confirm password').fill(who.password)
  await page.keyboard.press('Enter')
}

async function signIn(page: Page, email: string, secret: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.keyboard.press('Enter')
}

async function invited(page: Page, email: string, role: string): Promise<string> {
  await page.goto(`${world.console}/team?act=new`)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email address').fill(email)
  await dialog.getByLabel('Role').selectOption(role)
  await dialog.getByRole('button', { name: `Invite ${email}` }).click()
  return (await page.getByRole('region', { name: 'Invitation link' }).textContent()) ?? ''
}

describe('the link of the first start', () => {
  it('the link of the first start creates the first owner, and opens the getting-started page in the mode that has requests', async () => {
    const { page, ...seen } = await newcomer(toSetUp())
    await heading(page, 'Set up Tollgate').waitFor()
    // The page removes the secret from the address as soon as it has read the secret.
    expect(new URL(page.url()).hash).toBe('')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByText('Enter your name.').waitFor()
    expect(await page.getByLabel('Your name').evaluate((one) => one === document.activeElement)).toBe(true)
    await joinAs(page, owner)
    await heading(page, 'Getting started').waitFor()
    const { pathname, searchParams } = new URL(page.url())
    expect([pathname, searchParams.get('mode')]).toEqual(['/onboarding', 'test'])
    await expectQuiet(page, seen)
  })

  it('the link of the first start works once, a second use is reported before any input, and an incomplete link is reported without its secret', async () => {
    const { page } = await newcomer(toSetUp())
    await page.getByRole('alert').getByText('The link is no longer valid').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('tollgate setup-link')
    expect(await page.getByRole('textbox').count()).toBe(0)
    expect(new URL(page.url()).hash).toBe('')
    await expectAccessible(page)
    await page.goto(`${world.console}/sign-in`)
    await page.goto(`${world.console}/setup`)
    await page.getByText('The link is incomplete').waitFor()
  })
})

describe('a password', () => {
  it('a sign-in with a password opens the requested page, and a wrong password shows an error', async () => {
    const { page, faults } = await newcomer('/team?mode=test')
    await heading(page, 'Sign in').waitFor()
    await expectAccessible(page)
    await signIn(page, owner.email, 'not this one at all')
    const alert = page.getByRole('alert').first()
    await alert.waitFor()
    expect(await alert.textContent()).toMatch(/password/i)
    // The browser logs each error response.
    expect(faults.every((fault) => fault.includes('401'))).toBe(true)
    await signIn(page, owner.email, owner.password)
    await heading(page, 'Team').waitFor()
    const { pathname, searchParams } = new URL(page.url())
    expect([pathname, searchParams.get('mode')]).toEqual(['/team', 'test'])

    await page.getByRole('button', { name: /Ada Lovelace/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await heading(page, 'Sign in').waitFor()
    await page.goBack()
    await heading(page, 'Sign in').waitFor()
  })

  it('a sign-in with a password never opens another site, whatever address was requested', async () => {
    const { page } = await newcomer('/sign-in')
    const origin = world.console
    const evil = [
      'https://evil.example/',
      '//evil.example',
      String.raw`/\evil.example`,
      'javascript:alert(1)',
      '/%2f%2fevil.example',
      '/sign-in?returnPath=/sign-in',
    ]
    for (const path of evil) {
      // oxlint-disable-next-line no-await-in-loop -- one browser
      await page.goto(`${origin}/sign-in?returnPath=${encodeURIComponent(path)}`)
      // oxlint-disable-next-line no-await-in-loop -- as above
      const href = await page.getByRole('link', { name: /^Sign in with/ }).getAttribute('href')
      expect([path, new URL(href ?? '', origin).searchParams.get('returnPath')]).toEqual([path, '/'])
    }
    await page.goto(`${origin}/sign-in?returnPath=${encodeURIComponent('//evil.example')}`)
    await signIn(page, owner.email, owner.password)
    await heading(page, 'Overview').waitFor()
    expect(new URL(page.url()).origin + new URL(page.url()).pathname).toBe(`${origin}/`)
  })

  it('a member ends the session of another browser, and the team page shows failed sign-ins', async () => {
    await newcomer('/sign-in').then(({ page }) => signIn(page, owner.email, 'not this one at all'))
    const other = await newcomer('/sign-in')
    await signIn(other.page, owner.email, owner.password)
    await heading(other.page, 'Overview').waitFor()
    await other.page.waitForLoadState('networkidle')
    const { page } = await newcomer('/team')
    await signIn(page, owner.email, owner.password)
    await heading(page, 'Team').waitFor()
    await page.getByRole('heading', { name: 'Failed sign-ins' }).waitFor()
    await page.getByText(/failed sign-ins? since .* from (?:::ffff:)?127\.0\.0\.1/).waitFor()
    await expectAccessible(page)

    await page.getByRole('button', { name: 'End session' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Your password').fill('not this one at all')
    await dialog.getByRole('button', { name: 'End session' }).click()
    await dialog
      .getByText(/password is incorrect/)
      .first()
      .waitFor()
    await dialog.getByLabel('Your password').fill(owner.password)
    await dialog.getByRole('button', { name: 'End session' }).click()
    await page.getByText('Session ended.').waitFor()
    await other.page.getByRole('link', { name: 'Team', exact: true }).click()
    await heading(other.page, 'Sign in').waitFor()
  })

  it('if the session has ended elsewhere, the password is requested again, and the sign-in returns to the same page', async () => {
    const { page } = await newcomer('/sign-in')
    await signIn(page, owner.email, owner.password)
    await heading(page, 'Overview').waitFor()
    await page.goto(`${world.console}/tokens`)
    await heading(page, 'Tokens').waitFor()
    // Wait until no request is pending. A response would otherwise end the session on the page before the click.
    await page.waitForLoadState('networkidle')
    const sessions = (await world.call('GET', '/v1/sessions')).body.data as { id: string }[]
    for (const { id } of sessions) {
      // oxlint-disable-next-line no-await-in-loop -- all of them end
      await world.call('POST', `/v1/sessions/${id}/end`, {})
    }
    await page.getByRole('link', { name: 'Team', exact: true }).click()
    await heading(page, 'Sign in').waitFor()
    await signIn(page, owner.email, owner.password)
    await heading(page, 'Team').waitFor()
  })
})

describe('an invitation', () => {
  it('an admin creates an invitation, which works once for the invited address and role', async () => {
    const admin = await newcomer('/sign-in')
    await signIn(admin.page, owner.email, owner.password)
    await heading(admin.page, 'Overview').waitFor()
    const link = await invited(admin.page, 'vera@example.com', 'viewer')

    const { page } = await newcomer('/sign-in')
    await page.goto(link)
    await heading(page, 'Join the team').waitFor()
    // Opening the invitation does not use it up.
    await page.getByText('with the role viewer. You will sign in as vera@example.com').waitFor()
    await expectAccessible(page)
    await joinAs(page, { name: 'Vera', password })
    await heading(page, 'Overview').waitFor()

    // A control that a viewer may not use is visible and disabled, with the reason.
    for (const [path, button] of [
      ['/team', 'Invite member'],
      ['/apps', 'Create application'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one browser
      await page.goto(world.console + path)
      const disabled = page.getByRole('button', { name: button })
      // oxlint-disable-next-line no-await-in-loop -- as above
      await disabled.first().waitFor()
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect([await disabled.first().isDisabled(), await disabled.first().getAttribute('title')]).toEqual([
        true,
        expect.stringMatching(/admin/i),
      ])
    }
    await page.goto(`${world.console}/audit`)
    await page.getByText('Viewing the audit log requires the admin role.').waitFor()

    const again = await newcomer('/sign-in')
    await again.page.goto(link)
    await again.page.getByRole('alert').getByText('The link is no longer valid').waitFor()
    expect(await again.page.getByRole('textbox').count()).toBe(0)
  })
})

describe('an identity provider', () => {
  it('an identity provider signs in invited people, and other people see an error', async () => {
    await world.call('PUT', '/v1/team/grace@example.com', { role: 'developer' })
    provider.account = {
      sub: 'grace',
      email: 'grace@example.com',
      email_verified: true,
      name: 'Grace Hopper',
    }
    const { page } = await newcomer('/tokens')
    await page.getByRole('link', { name: /^Sign in with/ }).click()
    await heading(page, 'Tokens').waitFor()
    await page.getByRole('button', { name: /Grace Hopper/ }).waitFor()

    provider.account = { sub: 'mallory', email: 'mallory@example.com', email_verified: true, name: 'M' }
    const other = await newcomer('/sign-in')
    await other.page.getByRole('link', { name: /^Sign in with/ }).click()
    await other.page.getByText('You are not a member of this team.').waitFor()
  })
})

describe('a device', () => {
  const start = async (clientName: string) =>
    (await world.call('POST', '/v1/device-auth', { clientName, role: 'developer' })).body
  const poll = async (deviceCode: string) => {
    const { body, status } = await world.call('POST', '/v1/device-auth/token', { deviceCode })
    return [status, body.error?.code ?? body.role] as const
  }

  it('a member compares the code of a device, and approves the device once', async () => {
    const { page, ...seen } = await newcomer('/sign-in')
    await signIn(page, owner.email, owner.password)
    await heading(page, 'Overview').waitFor()
    const asking = await start('tollgate on <b>ada</b>')
    await page.goto(asking.verificationUriComplete)
    await heading(page, 'Sign in a device').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Review request' }).click()
    await heading(page, 'Sign in tollgate on <b>ada</b>?').waitFor()
    await page.getByText(asking.userCode).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Sign in as developer' }).click()
    await heading(page, 'The device is signed in').waitFor()
    expect(await poll(asking.deviceCode)).toEqual([200, 'developer'])
    await expectQuiet(page, seen)

    await page.goto(asking.verificationUriComplete)
    await page.getByRole('button', { name: 'Review request' }).click()
    await page.getByRole('alert').first().waitFor()
    expect(await heading(page, 'Sign in a device').count()).toBe(1)

    const refused = await start('a trap')
    await page.goto(`${world.console}/device`)
    await page.getByLabel('Device code').fill(refused.userCode.toLowerCase())
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Reject sign-in' }).click()
    await heading(page, 'The sign-in was rejected').waitFor()
    expect(await poll(refused.deviceCode)).toEqual([400, 'access_denied'])

    const late = await start('late')
    const database = new DatabaseSync(join(world.server.folder, 'tollgate.db'), { timeout: 60_000 })
    database
      .prepare('UPDATE device_sign_ins SET expires_at_ms = created_at_ms WHERE client_name = ?')
      .run('late')
    database.close()
    await page.goto(late.verificationUriComplete)
    await page.getByRole('button', { name: 'Review request' }).click()
    expect(await page.getByRole('alert').first().textContent()).toMatch(/code/i)
  })

  it('the approval of a device requires a sign-in first', async () => {
    const asking = await start('tollgate')
    const { page } = await newcomer(new URL(asking.verificationUriComplete).pathname)
    await heading(page, 'Sign in').waitFor()
    expect(await poll(asking.deviceCode)).toEqual([400, 'authorization_pending'])
  })
})
