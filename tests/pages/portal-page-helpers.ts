import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { shown, type PageWorld } from '../support/start-page-tests.ts'

/** The receipt is the page of one call. */
export const portalPaths = [
  '/',
  '/usage',
  '/activity',
  '/keys',
  '/ledger',
  '/plan',
  '/limits',
  '/team',
  '/docs',
  '/settings',
  '/more',
] as const

/** Only payers of a team have a team page. */
export async function payForTeam(world: PageWorld, payer: string): Promise<void> {
  const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
  const { status, text } = await world.call(
    'PUT',
    `/v1/teams/of-${payer}`,
    { displayName: 'Own team', payer },
    headers,
  )
  assert.equal(status, 200, text)
}

export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await shown(page)
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
export function asked(page: Page, path: string): Promise<any> {
  return page.evaluate(async (to) => (await fetch(to)).json(), path)
}

/** In document order. */
export function microsIn(page: Page, selector: string): Promise<string[]> {
  return page
    .locator(`${selector} [data-micros]`)
    .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset['micros'] ?? ''))
}

export interface Person {
  readonly externalId: string
  readonly bundle: string
  readonly balanceMicros?: string
}

const inTestMode = (world: PageWorld) => ({ 'x-svc-app': world.app, 'x-svc-mode': 'test' })

export async function addPerson(
  world: PageWorld,
  { balanceMicros, bundle, externalId }: Person,
): Promise<void> {
  const headers = inTestMode(world)
  await done(world.call('PUT', `/v1/end-users/${externalId}`, { bundle }, headers))
  if (balanceMicros === undefined) return
  const grant = { endUsers: [externalId], amountUnits: balanceMicros, reason: 'welcome' }
  await done(world.call('POST', '/v1/grants', grant, headers))
}

/** Creates a test-mode key of the end user. @returns the secret of the key */
export async function keyOf(world: PageWorld, endUserId: string, name = endUserId): Promise<string> {
  const body = { endUserId, name, livemode: false }
  const minted = await done(world.call('POST', '/v1/keys', body, inTestMode(world)))
  return minted.body.key
}

/** Every client can resolve this address. */
export async function gatewayOf(world: PageWorld): Promise<string> {
  const app = await done(world.call('GET', `/v1/apps/${world.app}`, undefined, inTestMode(world)))
  return app.body.localGateway
}

/** @returns the status of the response */
export async function callWith(world: PageWorld, key: string, body: object = {}): Promise<number> {
  const answer = await fetch(`${await gatewayOf(world)}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sample/fast',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hello [[tokens=20]]' }],
      ...body,
    }),
  })
  await answer.text()
  return answer.status
}

export function heard(context: BrowserContext): { readonly texts: () => Promise<string> } {
  const bodies: Promise<string>[] = []
  context.on('response', (response) => {
    if (response.url().includes('/v1/')) bodies.push(response.text().catch(() => ''))
  })
  return { texts: async () => (await Promise.all(bodies)).join('\n') }
}

async function done(answer: ReturnType<PageWorld['call']>): ReturnType<PageWorld['call']> {
  const { status, text } = await answer
  if (status >= 300) throw new Error(`${status} ${text}`)
  return answer
}
