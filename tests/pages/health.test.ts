/** Health has one state on every page: an account that fails is shown as failing wherever it is shown. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectAccessible, expectQuiet, openPages, shown, type PageWorld } from '../support/pages.ts'
import { addPerson, callWith, keyOf } from './portal-world.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 1, callsPerDay: 2 })
})
afterAll(() => world.close())

it('providers, models, routers, the overview and the doctor show the same state, with the same reason', async () => {
  const headers = { 'x-svc-app': world.app, 'x-svc-mode': 'test' }
  const api = async (method: string, path: string, body?: object) => {
    const answer = await world.call(method, path, body, headers)
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body
  }
  const targets = [{ alias: 'sample/fast' }]
  await api('PUT', '/v1/routers/sample%2Frouted', { policy: 'priority', targets })
  const { bundle } = await api('GET', '/v1/end-users/ada')
  await addPerson(world, { externalId: 'unlucky', bundle, balanceMicros: '1000000000' })
  const key = await keyOf(world, 'unlucky')
  const failing = { messages: [{ role: 'user', content: '[[fail=500]]' }] }
  for (let call = 0; call < 25; call++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await callWith(world, key, { ...failing, model: call < 5 ? 'sample/routed' : 'sample/fast' })
  }
  // Five failures in a row have opened the circuit of the only target.
  const why = '5 failures in a row'
  const { page, ...seen } = await world.openConsole(`/providers?app=${world.app}&mode=test`)
  const open = async (path: string): Promise<void> => {
    await page.goto(`${world.console}${path}?app=${world.app}&mode=test`)
    await shown(page)
  }
  for (const [path, name] of [
    ['/providers', 'simulator'],
    ['/models', 'sample/fast'],
    ['/routers', 'sample/routed'],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    await open(path)
    const row = page.getByRole('row').filter({ hasText: name }).first()
    // oxlint-disable-next-line no-await-in-loop -- as above
    await row.getByText('Unavailable').waitFor()
  }
  await open('/')
  await page.getByText('Requests are not routed to sim-1 at simulator').waitFor()
  await page.getByText(why).first().waitFor()
  await open('/doctor')
  await page.getByText('No request is sent to simulator now.').first().waitFor()
  await page.getByText(why).first().waitFor()
  await expectAccessible(page)
  await expectQuiet(page, seen)
})
