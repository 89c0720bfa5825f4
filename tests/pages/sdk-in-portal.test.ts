/**
 * Tests the SDK in a real browser on a portal's host: the operations of an end user, without a token of the customer.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TollgatePortal } from '#sdk/portal.ts'
import type { Tollgate } from '#sdk/tollgate.ts'
import { buildTypescriptSdk } from '../../tools/package/typescript-sdk.ts'
import { patienceMs, sharedBrowser } from '../support/open-browser.ts'
import { makeApplication, startServer, type Application, type LocalServer } from '../support/start-product.ts'

interface Loaded {
  readonly loaded: {
    readonly Tollgate: typeof Tollgate
    readonly TollgatePortal: typeof TollgatePortal
  }
}

const html = `<!doctype html><script type="module">
import { Tollgate } from './index.js'
import { TollgatePortal } from './portal.js'
globalThis.loaded = { Tollgate, TollgatePortal }
</script>`

let folder: string
let server: LocalServer
let app: Application
let portal: string
let page: Page

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-portal-client-'))
  server = await startServer()
  app = await makeApplication(server)
  ;({ localPortal: portal } = await app.api('GET', `/v1/apps/${app.slug}`))
  await buildTypescriptSdk(folder)
  page = await (await sharedBrowser()).newPage()
  page.setDefaultTimeout(patienceMs)
  // This page contains only the SDK.
  await page.route(`${portal}/sdk/*`, (route) => {
    const name = basename(new URL(route.request().url()).pathname)
    return name.endsWith('.js')
      ? route.fulfill({
          contentType: 'text/javascript',
          body: readFileSync(join(folder, 'dist/esm', name), 'utf8'),
        })
      : route.fulfill({ contentType: 'text/html', body: html })
  })
  await page.goto(`${portal}/sdk/page`)
  await page.waitForFunction(() => 'loaded' in globalThis)
})
afterAll(async () => {
  await page.close()
  await app.provider.close()
  await server.close()
  rmSync(folder, { recursive: true })
})

it('the SDK redeems a link, is authenticated by the browser’s cookie, and makes changes with the session’s token', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  await app.api('PATCH', '/v1/portal-settings', { endUsersMayMintKeys: true, keyCapsTotalMicros: null })
  const link = await app.api('POST', '/v1/portal-sessions', { endUserId: user.externalId })
  const token = new URL(link.url).hash.replace('#handoff=', '')
  const seen = await page.evaluate(async (handoff) => {
    const { loaded } = globalThis as unknown as Loaded
    const client = new loaded.TollgatePortal()
    await client.portal.redeem({ token: handoff })
    const { endUserId, session } = await client.portal.account()
    const without = await client.portal.mintKey({ name: 'laptop' }).catch((error: unknown) => error)
    client.csrfToken = session.csrfToken
    const minted = await client.portal.mintKey({ name: 'laptop' })
    const names: string[] = []
    for await (const key of client.portal.keys({ limit: 1 })) names.push(key.name)
    return { endUserId, names, without: (without as { code: string }).code, key: minted.key }
  }, token)
  expect(seen).toEqual({
    endUserId: user.externalId,
    names: ['laptop', user.externalId],
    without: 'cross_site_request',
    key: expect.stringMatching(/^ak_/),
  })
})

it('neither client of the SDK accepts a token of the customer at a portal', async () => {
  const messages = await page.evaluate(() => {
    const { loaded } = globalThis as unknown as Loaded
    const messageOf = (make: () => unknown): string => {
      try {
        make()
        return ''
      } catch (error) {
        return String(error)
      }
    }
    const token = 'sk_abc123_secret'
    return [() => new loaded.TollgatePortal({ token }), () => new loaded.Tollgate({ token })].map(messageOf)
  })
  for (const message of messages) {
    expect(message).toMatch(/^TollgateError: An sk_ token can create keys/)
    expect(message).not.toContain('abc123')
  }
})
