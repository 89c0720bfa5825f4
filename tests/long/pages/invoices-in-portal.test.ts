import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectAccessible, expectQuiet, openPages, type PageWorld } from '../../support/start-page-tests.ts'
import { settled } from '../../pages/portal-page-helpers.ts'

const payUrl = 'https://acme.example/pay'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 1, callsPerDay: 2 })
})
afterAll(() => world.close())

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
async function api(method: string, path: string, body?: object): Promise<any> {
  const answer = await world.call(method, path, body, { 'x-svc-app': world.app, 'x-svc-mode': 'test' })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

it('an owed invoice has a link to the page for payments, and prints as a document', async () => {
  await api('PUT', '/v1/bundles/paid-plan', { displayName: 'Paid plan', priceMicros: '20000000' })
  await api('PUT', '/v1/end-users/payer', { bundle: 'paid-plan', email: 'payer@example.com' })
  const [invoice] = (await api('GET', '/v1/invoices?endUserId=payer')).data
  expect(invoice.amountMicros).toBe('20000000')
  const { page, ...seen } = await world.openPortal(`/plan/${invoice.id}`, {
    endUserId: 'payer',
  })
  await settled(page)
  const pay = page.getByRole('link', { name: 'Pay invoice' })
  // Without a payment address, the portal shows no link.
  expect(await pay.count()).toBe(0)
  await api('PATCH', '/v1/brand', { payUrl })
  await page.reload()
  await pay.waitFor()
  expect(await pay.getAttribute('href')).toBe(payUrl)
  await expectAccessible(page)

  const document = page.locator(`[data-invoice="${invoice.id}"]`)
  const print = page.getByRole('button', { name: 'Print or save as PDF' })
  const navigation = page.getByRole('navigation')
  await print.waitFor()
  await page.emulateMedia({ media: 'print' })
  expect([await print.isVisible(), await pay.isVisible()]).toEqual([false, false])
  for (const one of await navigation.all()) expect(await one.isVisible()).toBe(false)
  for (const text of [invoice.number, 'payer@example.com', '$20.00']) {
    await document.getByText(text).first().waitFor()
  }
  await page.emulateMedia({ media: 'screen' })

  await api('POST', `/v1/invoices/${invoice.id}/pay`)
  await page.reload()
  await settled(page)
  expect(await pay.count()).toBe(0)
  await expectQuiet(page, seen)
})
