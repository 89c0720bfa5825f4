/**
 * Stored names must never run as scripts. Every name that a user can choose is set to a script, to text that changes
 * the text direction, or to very long text. No script may run, and no page may be wider than its window.
 */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pages } from '#web/console/pages.ts'
import { startFakeProvider, type FakeProvider } from '../../support/fake-provider.ts'
import { watched } from '../../support/open-browser.ts'
import { openPages, postInPage, shown, type PageWorld } from '../../support/start-page-tests.ts'
import { portalPaths } from '../../pages/portal-page-helpers.ts'

/** A script that runs sets a mark, which `ran` finds. */
const hostile = [
  '<img src=x onerror="globalThis.ran=1">',
  '"><script>globalThis.ran=1</script>',
  '\u202Eeman\u202C ${globalThis.ran=1} {{globalThis.ran=1}}',
  'W'.repeat(64),
] as const
const worst = (hostile[1] + hostile[0] + hostile[2] + hostile[3]).slice(0, 128)
const app = 'names'
const account = 'p'.repeat(63)

let world: PageWorld
let provider: FakeProvider
let request = ''

async function asked(method: string, path: string, body?: unknown) {
  const answer = await world.call(method, path, body, { 'x-svc-app': app })
  assert(answer.status < 300, `${method} ${path}: ${answer.text}`)
  return answer.body
}

beforeAll(async () => {
  provider = await startFakeProvider()
  world = await openPages({ sampleDays: 0 })
  await asked('PUT', `/v1/apps/${app}`, { name: worst })
  await asked('PATCH', '/v1/brand', { productName: worst, supportUrl: 'https://example.com/"><script>' })
  await asked('PUT', `/v1/providers/${account}`, {
    kind: 'openai_compatible',
    baseUrl: provider.baseUrl,
    apiKey: 'secret-of-the-test',
  })
  const price = { input: '1000000', output: '2000000' }
  await asked('POST', `/v1/providers/${account}/price`, { model: 'm', price })
  const alias = `a${'/long-name'.repeat(13)}`.slice(0, 128)
  await asked('PUT', `/v1/models/${encodeURIComponent(alias)}`, {
    sources: [{ provider: account, model: 'm' }],
  })
  await asked('PUT', '/v1/bundles/wild', { displayName: worst, priceMicros: '20000000' })
  await asked('POST', '/v1/bundles/wild/allow', { models: ['*'] })
  await asked('PUT', '/v1/outcomes/wild', { displayName: worst, ceilingMicros: '5000000' })
  for (const name of [...hostile, worst]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await person(name, alias)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await asked('POST', '/v1/application-keys', { label: name.slice(0, 64) })
  }
  await asked('PUT', '/v1/teams/wild', { displayName: worst, payer: worst })
  const { inviteUrl } = await asked('PUT', `/v1/team/${'e'.repeat(64)}@example.com`, { role: 'viewer' })
  const context = await world.newContext()
  await postInPage(context, world.console, '/v1/invitations/accept', {
    token: new URL(inviteUrl).hash.slice(1),
    name: worst.slice(0, 128),
    password: 'four plain words together',
  })
  await context.close()
  request = (await asked('GET', '/v1/requests?limit=1')).data[0].id
})
afterAll(async () => {
  await world.close()
  await provider.close()
})

/** The provider answers one call, and rejects the other with a hostile name. */
async function person(name: string, model: string): Promise<void> {
  await asked('PUT', `/v1/end-users/${encodeURIComponent(name)}`, { bundle: 'wild' })
  await asked('POST', '/v1/grants', { endUsers: [name], amountUnits: '123456789012345', reason: name })
  const { key } = await asked('POST', '/v1/keys', { endUserId: name, name })
  const { localGateway } = await asked('GET', `/v1/apps/${app}`)
  const send = () =>
    fetch(`${localGateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    })
  assert.equal((await send()).status, 200)
  provider.enqueue({
    status: 400,
    body: JSON.stringify({ error: { message: worst, type: name, code: name } }),
  })
  assert.equal((await send()).status, 400)
}

/** @returns the errors of the page, and the parts that are wider than its window; empty if the page is correct */
async function faultsAt(page: Page, address: string, width: number): Promise<readonly string[]> {
  await page.setViewportSize({ width, height: 800 })
  await shown(page)
  const told = await page.evaluate(() => {
    const beyond = document.documentElement.scrollWidth - window.innerWidth
    // A part that scrolls on its own does not widen the page.
    const isHeld = (one: Element | null): boolean =>
      one !== null && (getComputedStyle(one).overflowX !== 'visible' || isHeld(one.parentElement))
    const wide = [...document.querySelectorAll('main *')].find(
      (one) => one.getBoundingClientRect().right > window.innerWidth + 1 && !isHeld(one.parentElement),
    )
    return { hasRun: 'ran' in globalThis, beyond, at: wide?.outerHTML.slice(0, 160) ?? '' }
  })
  return [
    ...(told.hasRun ? [`${address}: a name has run`] : []),
    ...(told.beyond > 0 ? [`${address}: at ${width} pixels ${told.beyond} too wide, at ${told.at}`] : []),
  ]
}

async function expectTame(
  page: Page,
  addresses: readonly string[],
  widths: readonly number[],
): Promise<void> {
  const wrong: string[] = []
  for (const address of addresses) {
    // oxlint-disable no-await-in-loop -- one browser
    await page.goto(address)
    for (const width of widths) wrong.push(...(await faultsAt(page, address, width)))
    // oxlint-enable no-await-in-loop
  }
  expect(wrong).toEqual([])
}

const open = (path: string, names: readonly string[]): readonly string[] =>
  names.map((name) => `${path}&open=${encodeURIComponent(name)}`)

it('no page of the console runs a name as a script or is widened by a name, on a desktop and on a phone', async () => {
  const { page, faults } = await world.openConsole('/healthz')
  const addresses = pages.flatMap(({ path }) => {
    const scoped = (id: string): string => `${path.replace('$id', encodeURIComponent(id))}?app=${app}`
    if (path === '/requests/$id') return [scoped(request)]
    if (path === '/users/$id') return [hostile[0], worst].map(scoped)
    if (path === '/apps') return [scoped(''), ...open(scoped(''), [app])]
    if (path === '/settings') return [scoped(''), `${scoped('')}&tab=limits`, `${scoped('')}&tab=clock`]
    return [scoped('')]
  })
  await expectTame(
    page,
    addresses.map((address) => world.console + address),
    [1440, 390],
  )
  expect(faults).toEqual([])
})

it('no page of the portal runs a name as a script or is widened by a name, on a phone', async () => {
  const url = await world.handOff(worst, app)
  const portal = new URL(url).origin
  const context = await world.newContext()
  await postInPage(context, portal, '/v1/portal-sessions/redeem', {
    token: new URL(url).hash.slice('#handoff='.length),
  })
  const { faults, page } = await watched(await context.newPage(), portal)
  await expectTame(
    page,
    portalPaths.map((path) => portal + path),
    [320],
  )
  expect(faults).toEqual([])
})
