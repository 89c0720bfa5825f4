/** Pages of an application with many keys, bundles and end users show all of them, or state how many are missing. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectAccessible, openPages, shown, type PageWorld } from '../../support/start-page-tests.ts'
import { addPerson, callWith, keyOf, settled } from '../../pages/portal-page-helpers.ts'

const phone = { viewport: { width: 320, height: 800 } }
const keysCount = 300

let world: PageWorld
let firstKey: string
beforeAll(async () => {
  world = await openPages({ sampleDays: 2, callsPerDay: 6 })
  await addPerson(world, { externalId: 'many', bundle: 'starter', balanceMicros: '5000000' })
  firstKey = await keyOf(world, 'many', 'oldest key')
  await each(keysCount, async (at) => {
    const body = {
      endUserId: 'many',
      name: `key ${at}`,
      livemode: false,
      capMicros: String(1_000_000 + at),
      limits: [{ measure: 'requests', window: 'minute', most: '60' }],
    }
    await done('POST', '/v1/keys', body)
  })
  await each(205, (at) => done('PUT', `/v1/bundles/plan-${at}`, { displayName: `Plan ${at}` }))
})
afterAll(() => world.close())

const scope = () => `app=${world.app}&mode=test`

async function done(method: string, path: string, body: object): Promise<void> {
  const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
  const { status, text } = await world.call(method, path, body, headers)
  expect([status < 300, text]).toEqual([true, text])
}

async function each(count: number, make: (at: number) => Promise<void>): Promise<void> {
  const left = Array.from({ length: count }, (_, at) => at).values()
  const worker = async (): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- few requests at a time
    for (const at of left) await make(at)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

it('a plan can be chosen among more than 200 bundles', async () => {
  const { page } = await world.openConsole(`/users?${scope()}`)
  await expect.poll(() => page.getByLabel('Bundle').locator('option').count()).toBeGreaterThan(205)
  await page.getByLabel('Bundle').selectOption('Plan 0')
  await page.waitForURL((url) => url.searchParams.get('bundle') === 'plan-0')
  await page.goto(`${world.console}/users/many?${scope()}&tab=plan`)
  await page.getByRole('button', { name: 'Change plan' }).click()
  const bundles = page.getByRole('dialog').getByLabel('Bundle')
  await expect.poll(() => bundles.locator('option').count()).toBeGreaterThan(205)
})
