import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  expectAccessible,
  expectQuiet,
  expectReadable,
  openPages,
  shown,
  type PageWorld,
} from '../support/start-page-tests.ts'
import { testCaller, testHeaders } from '../support/send-calls-in-test-mode.ts'
import { api, at, expectRows, listed, rows } from './requests-page-helpers.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 6, callsPerDay: 12 })
})
afterAll(() => world.close())

it('the requests page shows the same calls of a time range as the API, and the number of calls over time', async () => {
  const { page, ...seen } = await world.openConsole(at('/requests'))
  await shown(page)
  const wanted = await listed(world)
  expect(wanted.length).toBeGreaterThan(40)
  expect(wanted.length).toBeLessThan(100)
  await expectRows(page, wanted)
  const picture = page.getByRole('region', { name: 'Requests over time' })
  await picture.getByText(`${wanted.length}`, { exact: true }).first().waitFor()
  await expectAccessible(page)
  await expectReadable(page, 'dark')
  await expectQuiet(page, seen)
})

it('the requests page can be filtered with only the keyboard, and its link shows the same rows', async () => {
  const { page, ...seen } = await world.openConsole(at('/requests'))
  await shown(page)
  await page.keyboard.press('/')
  await page.keyboard.type('answ')
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: '4xx rejected' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.type('4xx')
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).searchParams.get('answer')).toBe('4xx')
  const refused = await listed(world, '&statusClass=4xx')
  expect(refused.length).toBeGreaterThan(0)
  await shown(page)
  await expectRows(page, refused)
  await page.reload()
  await shown(page)
  await expectRows(page, refused)
  await page.getByRole('button', { name: /^Response 4xx/ }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.press('Backspace')
  await expect.poll(() => new URL(page.url()).searchParams.get('answer')).toBe(null)
  await page.keyboard.type('cost')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.type('0.005')
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).searchParams.get('cost')).toBe('5000')
  await shown(page)
  await expectRows(page, await listed(world, '&minCostMicros=5000'))
  await expectQuiet(page, seen)
})

it('the requests page opens a row next to the table, moves to other rows with j and k, and opens the page with Enter', async () => {
  const { page, ...seen } = await world.openConsole(at('/requests'))
  await shown(page)
  const [first, second] = await listed(world)
  await rows(page).first().getByRole('button').focus()
  await page.keyboard.press('Enter')
  const sheet = page.getByRole('dialog', { name: 'Request' })
  await sheet.getByText(first?.id ?? '').waitFor()
  await sheet.locator('[data-sentence]').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('j')
  await sheet.getByText(second?.id ?? '').waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('open')).toBe(second?.id)
  await page.keyboard.press('k')
  await sheet.getByText(first?.id ?? '').waitFor()
  await shown(page)
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/requests/${first?.id}`)
  await page.goBack()
  await sheet.getByText(first?.id ?? '').waitFor()
  await shown(page)
  await page.keyboard.press('Escape')
  await expect.poll(() => new URL(page.url()).searchParams.get('open')).toBe(null)
  await expectQuiet(page, seen)
})

it('the page of a request explains the charge of a call, and the parts of the charge add up', async () => {
  const settled = (await listed(world, '&status=settled'))[0]
  const told = await api(world, `/v1/requests/${settled?.id}`)
  const { page, ...seen } = await world.openConsole(at(`/requests/${settled?.id}`))
  await shown(page)
  const money = (micros: string): string =>
    `$${(BigInt(micros) / 1_000_000n).toString()}.${(BigInt(micros) % 1_000_000n)
      .toString()
      .padStart(6, '0')
      .replace(/0{1,4}$/, '')}`
  await page
    .locator('[data-sentence]')
    .getByText(`Charged ${money(told.chargeMicros)} of ${money(told.reserve.worstMicros)} held`)
    .waitFor()
  const facts = page.locator('section', { has: page.getByRole('heading', { name: 'Money' }) })
  const amounts = await facts
    .locator('[data-micros]')
    .evaluateAll((found) => found.map((one) => one.getAttribute('data-micros')))
  const { settle } = told
  expect(amounts).toEqual([
    told.reserve.worstMicros,
    settle.chargeMicros,
    settle.releasedMicros,
    told.paidFromGiftMicros,
    settle.billedMicros,
    settle.costMicros,
    settle.revenueMicros,
    settle.marginMicros,
  ])
  expect(BigInt(settle.chargeMicros) + BigInt(settle.releasedMicros)).toBe(BigInt(told.reserve.worstMicros))
  const receipt = page.getByRole('table', { name: /^Receipt/ }).first()
  const sum = (await receipt.locator('tfoot tr').last().locator('td').last().textContent()) ?? ''
  expect(sum.trim().replace(/0*$/, '')).toBe(money(settle.chargeMicros).replace(/0*$/, ''))
  await page.getByRole('button', { name: 'Copy: request' }).waitFor()
  await expectAccessible(page)
  await expectReadable(page, 'dark')
  await page.setViewportSize({ width: 390, height: 844 })
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await expectQuiet(page, seen)
})

it('the page of a request shows the limit that rejected a call, with its amounts and the fix', async () => {
  const id = await (await testCaller(world, 'somebody-without-credit')).send()
  const refused = (await listed(world, '&errorCode=insufficient_credit')).find((row) => row.id === id)
  const { refusal } = await api(world, `/v1/requests/${refused?.id}`)
  const { page, ...seen } = await world.openConsole(at(`/requests/${refused?.id}`))
  await shown(page)
  const why = page.locator('section', { has: page.getByRole('heading', { name: 'Reason for rejection' }) })
  const amounts = await why
    .locator('[data-micros]')
    .evaluateAll((found) => found.map((one) => one.getAttribute('data-micros')))
  expect(amounts).toEqual([refusal.limit, refusal.used, refusal.held, refusal.available, refusal.requested])
  await why.getByText('How to fix this rejection').waitFor()
  await why.getByRole('link', { name: 'Open end user' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/users/${refused?.endUserId}`)
  await page.goBack()
  await shown(page)
  await expectAccessible(page)
  // The sentence about a cap uses dollars and plain words, without the API's names.
  const cap = { endUserId: 'somebody-with-a-cap', livemode: false, capMicros: '15', capPeriod: 'month' }
  const { key } = (await world.call('POST', '/v1/keys', cap, testHeaders(world))).body
  const capped = await (await testCaller(world, 'somebody-with-a-cap', key)).send()
  await page.goto(world.console + at(`/requests/${capped}`))
  const sentence = page.locator('[data-sentence]')
  await sentence.waitFor()
  expect(await sentence.textContent()).toMatch(
    /This key's cap of \$0\.000015 has \$0\.000015 left and resets on \w+ 1\. This request needs up to \$0\.\d+\./,
  )
  expect(await sentence.textContent()).not.toMatch(/micros|_|T\d\d:/)
  await expectQuiet(page, seen)
})
