import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SeenPage } from '../../support/open-browser.ts'
import type { Emitter } from '#sdk/generated/types.ts'
import { verifyWebhook } from '#sdk/webhook.ts'
import {
  expectAccessible,
  expectQuiet,
  openPages,
  shown,
  type PageWorld,
} from '../../support/start-page-tests.ts'
import {
  receiverConnector,
  startUsageReceiver,
  type UsageReceiver,
} from '../../support/receiver-of-usage-events.ts'

const where = 'app=sample-month&mode=test'
let receiver: UsageReceiver
let world: PageWorld

beforeAll(async () => {
  receiver = await startUsageReceiver()
  world = await openPages({
    sampleDays: 3,
    outbound: { connector: receiverConnector(receiver.port) },
  })
})
afterAll(async () => {
  await world.close()
  await receiver.close()
})

async function ask<T>(path: string): Promise<T> {
  const answer = await world.call('GET', path, undefined, { 'x-svc-app': world.app, 'x-svc-mode': 'test' })
  expect([path, answer.status]).toEqual([path, 200])
  return answer.body
}

async function opened(
  path: string,
  options: Parameters<PageWorld['openConsole']>[1] = {},
): Promise<SeenPage> {
  const seen = await world.openConsole(path, options)
  await shown(seen.page)
  return seen
}

describe('the page of emitters', () => {
  it('the page adds a webhook, shows its secret once, and the secret signs its deliveries', async () => {
    const { page, ...seen } = await opened(`/emitters?${where}`)
    await page.getByRole('button', { name: 'Add emitter' }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('URL').fill('http://hooks.receiver.test/watch')
    await page.getByRole('button', { name: 'Add webhook' }).click()
    await page.getByText('Enter an https URL, like').waitFor()
    await page.getByLabel('URL').fill('https://hooks.receiver.test/watch')
    await page.getByLabel('Name (optional)').fill('Billing <img src=x onerror=alert(1)>')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Signing secret' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Show', exact: true }).click()
    const secret = await dialog.locator('[data-secret]').innerText()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/)
    receiver.secrets.set('/watch', secret)
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
    await page.waitForURL(/open=emt_/)
    expect(await page.content()).not.toContain(secret)

    await page.getByRole('tab', { name: 'Sample' }).click()
    await page.getByRole('button', { name: 'Send sample' }).click()
    await page.getByText('Accepted', { exact: true }).first().waitFor()
    const sent = receiver.received.findLast(({ path }) => path === '/watch')
    expect(sent?.isSigned).toBe(true)
    const batch = await verifyWebhook(sent?.body ?? '', String(sent?.headers['svc-signature']), secret)
    await page
      .getByText(batch.events[0]?.idempotencyKey ?? '')
      .first()
      .waitFor()
    await page.getByRole('tab', { name: 'Verify' }).click()
    await page.getByText('verifyWebhook').first().waitFor()
    await page.getByRole('tab', { name: 'Deliveries' }).click()
    const row = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr').first()
    await row.getByText('Sample').waitFor()
    expect(await row.innerText()).toContain('200')
    await expectAccessible(page)
    await expectQuiet(page, seen)
  })

  it('the page rotates the signing secret and shows the new secret once, and both secrets sign until the old secret expires', async () => {
    const { data } = await ask<{ data: Emitter[] }>('/v1/emitters')
    const { id = '' } = data.find(({ destination }) => destination.endsWith('/watch')) ?? {}
    const former = receiver.secrets.get('/watch') ?? ''
    const { page, ...seen } = await opened(`/emitters?${where}&open=${id}&tab=verify`)
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    const form = page.getByRole('dialog', { name: 'Rotate signing secret' })
    await form.getByLabel('Previous secret').waitFor()
    await expectAccessible(page)
    await form.getByRole('button', { name: 'Rotate secret' }).click()
    const dialog = page.getByRole('dialog', { name: 'New signing secret' })
    await dialog.getByRole('button', { name: 'Show', exact: true }).click()
    const secret = await dialog.locator('[data-secret]').innerText()
    expect(secret).not.toBe(former)
    await dialog.getByText(/previous secret until \d+ \w+ \d{4}, \d\d:/).waitFor()
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByText('Deliveries are signed with two secrets').waitFor()
    await expectAccessible(page)
    await page.getByRole('tab', { name: 'Sample' }).click()
    await page.getByRole('button', { name: 'Send sample' }).click()
    await page.getByText('Accepted', { exact: true }).first().waitFor()
    const sent = receiver.received.findLast(({ path }) => path === '/watch')
    for (const each of [secret, former]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const batch = await verifyWebhook(sent?.body ?? '', String(sent?.headers['svc-signature']), each)
      expect(batch.type).toBe('usage.recorded')
    }
    await expectQuiet(page, seen)
  })

  it('if a form opens while the page saves a change, the form contains the saved values', async () => {
    const { data } = await ask<{ data: Emitter[] }>('/v1/emitters')
    const id = data[0]?.id ?? ''
    await world.call('PATCH', `/v1/emitters/${id}`, { enabled: false })
    const { page } = await opened(`/emitters?${where}&open=${id}`)
    // The server makes the change, but its response is lost.
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: saved, resolve: isSaved } = Promise.withResolvers<void>()
    await page.route(`**/v1/emitters/${id}`, async (route) => {
      if (route.request().method() === 'GET') return route.fallback()
      const response = await route.fetch()
      isSaved()
      await released
      return route.fulfill({ response })
    })
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('switch', { name: 'Turn on emitter' }).click()
    await saved
    await sheet.getByRole('button', { name: 'Edit emitter' }).click()
    await page.waitForURL(/act=edit/)
    expect(await sheet.getByLabel('Name').count()).toBe(0)
    release()
    await sheet.getByLabel('Name').fill('Renamed at once')
    await sheet.getByRole('button', { name: 'Save emitter' }).click()
    await page.getByText('Saved Renamed at once').waitFor()
    expect(await ask<Emitter>(`/v1/emitters/${id}`)).toMatchObject({ name: 'Renamed at once', enabled: true })
  })

  it('the page of emitters shows the reason why a sample is not accepted', async () => {
    const { data } = await ask<{ data: Emitter[] }>('/v1/emitters')
    receiver.answer = (_, response) => void response.writeHead(400).end('no such customer')
    const { page } = await opened(`/emitters?${where}&open=${data[0]?.id}&tab=test`)
    await page.getByRole('button', { name: 'Send sample' }).click()
    await page.getByText('Not accepted', { exact: true }).first().waitFor()
    const shownText = await page.getByRole('dialog').innerText()
    expect(shownText).toMatch(/Status\s+400/)
    await page.getByRole('tab', { name: 'Deliveries' }).click()
    await page.getByRole('button', { name: 'Show bodies' }).first().click()
    const bodies = page.getByRole('region', { name: 'Failed delivery' })
    await bodies.getByText('no such customer').waitFor()
    await bodies.getByText('usage.recorded').first().waitFor()
    await expectAccessible(page)
    await bodies.getByRole('button', { name: 'Close' }).click()
    await bodies.waitFor({ state: 'detached' })
    receiver.answer = (_, response) => void response.writeHead(200).end()
  })

  it('the page replays recorded usage, stops at the first event that is not accepted, and later continues with this event', async () => {
    const { data } = await ask<{ data: Emitter[] }>('/v1/emitters')
    const id = data[0]?.id ?? ''
    receiver.answer = (_, response) => void response.writeHead(400).end('not now')
    const { page } = await opened(`/emitters?${where}&open=${id}&tab=replay`)
    await page.getByRole('button', { name: 'Replay events' }).click()
    await page.getByText('Stopped', { exact: true }).waitFor()
    await page.getByText('Error:').waitFor()
    receiver.answer = (_, response) => void response.writeHead(200).end()
    await page.getByRole('button', { name: 'Resume replay' }).click()
    await page.getByText('Done', { exact: true }).waitFor()
    const after = await ask<Emitter>(`/v1/emitters/${id}`)
    expect(after.replay?.state).toBe('done')
    expect(after.replay?.events).toBeGreaterThan(20)
    const said = (await page.getByRole('region', { name: 'Last replay' }).innerText()).replaceAll(
      '\u2009',
      '',
    )
    expect(said).toContain(`${after.replay?.events} events accepted`)
    await page.goto(`${world.console}/emitters?${where}`)
    const cells = page.getByRole('table', { name: 'Emitters' }).locator('tbody tr').first()
    await cells.getByText('Delivering').waitFor()
    const { data: list } = await ask<{ data: Emitter[] }>('/v1/emitters')
    const counts = await cells.locator('[data-count]').all()
    expect(await Promise.all(counts.map((one) => one.getAttribute('data-count')))).toEqual(
      [list[0]?.delivered, list[0]?.notDelivered, list[0]?.dropped].map(String),
    )
  })

  it('the page of emitters never shows a vendor’s credential, and reports a change by another member instead of overwriting the change', async () => {
    const { page } = await opened(`/emitters?${where}&act=new`)
    await page.getByLabel('Kind').selectOption('stripe')
    await page.getByLabel('API key').fill('sk_stripe_1234567890')
    await page.getByLabel('Meter event name').fill('tokens used')
    await page.getByRole('button', { name: 'Add Stripe' }).click()
    await page.getByText('without spaces, like').waitFor()
    await page.getByLabel('Meter event name').fill('tokens_used')
    await page.getByRole('button', { name: 'Add Stripe' }).click()
    await page.waitForURL(/open=emt_/)
    await page.getByText('••••7890').waitFor()
    expect(await page.content()).not.toContain('sk_stripe_1234567890')
    const id = new URL(page.url()).searchParams.get('open') ?? ''
    await page.getByRole('button', { name: 'Edit emitter' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Meter of ours')
    const answer = await world.call('PATCH', `/v1/emitters/${id}`, { name: 'Theirs' })
    expect(answer.status).toBe(200)
    await page.getByRole('button', { name: 'Save emitter' }).click()
    await page.getByText('Another team member has changed this data').waitFor()
    await page.getByRole('button', { name: 'Load current version' }).click()
    await page.getByRole('heading', { name: 'Theirs' }).waitFor()
    // The page requires the emitter's name for a deletion, because a deletion cannot be undone.
    await page.getByRole('switch').click()
    await page.getByRole('button', { name: 'Turn off emitter' }).click()
    await page.getByRole('switch', { name: 'Turn on emitter' }).waitFor()
    await page.getByRole('button', { name: 'Delete emitter' }).click()
    const confirm = page.getByRole('dialog', { name: /^Delete/ })
    const remove = confirm.getByRole('button', { name: 'Delete emitter' })
    expect(await remove.isDisabled()).toBe(true)
    await confirm.getByRole('textbox').fill('Theirs')
    await remove.click()
    await page.waitForURL((url) => !url.searchParams.has('open'))
    expect((await ask<{ data: Emitter[] }>('/v1/emitters')).data.map((one) => one.id)).not.toContain(id)
  })
})

it.each([
  ['light', 1440],
  ['dark', 320],
] as const)(
  'the page of emitters is accessible and free of errors in the %s theme, %d pixels wide',
  async (colorScheme, width) => {
    const { data } = await ask<{ data: Emitter[] }>('/v1/emitters')
    const { page, ...seen } = await world.openConsole('/healthz', {
      colorScheme,
      viewport: { width, height: 800 },
    })
    for (const rest of ['', '&act=new', `&open=${data[0]?.id}`, `&open=${data[0]?.id}&tab=replay`]) {
      /* oxlint-disable no-await-in-loop -- one page after the other */
      await page.goto(`${world.console}/emitters?${where}${rest}`)
      await shown(page)
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect([rest, over]).toEqual([rest, 0])
      await expectAccessible(page)
      await expectQuiet(page, seen)
      /* oxlint-enable no-await-in-loop */
    }
  },
)
