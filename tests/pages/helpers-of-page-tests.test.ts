import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  expectAccessible,
  expectQuiet,
  openPages,
  owner,
  shown,
  type PageWorld,
} from '../support/start-page-tests.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 1, callsPerDay: 2 })
})
afterAll(() => world.close())

it('the test console has a signed-in owner and a month of calls', async () => {
  const { page, ...seen } = await world.openConsole('/')
  const asked = await page.evaluate(async (app) => {
    const session = await fetch('/v1/sessions/current')
    const usage = await fetch('/v1/usage', { headers: { 'x-svc-app': app, 'x-svc-mode': 'test' } })
    return {
      session: (await session.json()) as { member: object },
      usage: (await usage.json()) as { totals: { calls: number } },
    }
  }, world.app)
  expect(asked.session.member).toMatchObject({ email: owner.email, role: 'owner' })
  expect(asked.usage.totals.calls).toBeGreaterThan(0)
  await expectQuiet(page, seen)
})

it('the test portal has a signed-in end user', async () => {
  const { page, ...seen } = await world.openPortal('/', { endUserId: 'grace' })
  const account = await page.evaluate(async () => (await fetch('/v1/portal/account')).json())
  expect(account).toMatchObject({ endUserId: 'grace' })
  await expectQuiet(page, seen)
})

it('the helpers that check pages detect an error, a foreign request, a layout shift, a long task and an inaccessible page', async () => {
  const { page, ...seen } = await world.openConsole('/')
  // Elements that appear while the page loads do not count as a layout shift.
  await shown(page)
  await page.evaluate(() => {
    const late = document.createElement('div')
    late.style.height = '600px'
    document.body.prepend(document.createElement('p'), late)
    document.body.append(document.createElement('img'))
    document.querySelectorAll('p')[0]?.append('a paragraph that moves')
  })
  await shown(page)
  await page.evaluate(() => {
    document.querySelector('div')?.remove()
    setTimeout(() => {
      const end = performance.now() + 120
      while (performance.now() < end);
      throw new Error('thrown')
    })
    void fetch('http://127.0.0.1:9/').catch(() => {})
  })
  await expect.poll(() => seen.faults.join()).toContain('thrown')
  await expect.poll(() => seen.foreignRequests).toEqual(['http://127.0.0.1:9/'])
  await expect.poll(async () => (await seen.measured()).layoutShift).toBeGreaterThan(0.05)
  expect((await seen.measured()).shifted.length).toBeGreaterThan(0)
  await expect(expectQuiet(page, seen)).rejects.toThrow('has no faults')
  await expect(expectAccessible(page)).rejects.toThrow('image-alt')
  await expect.poll(async () => (await seen.measured()).longTasksMs.length).toBeGreaterThan(0)
  expect((await seen.measured()).largestPaintMs).toBeGreaterThan(0)
})
