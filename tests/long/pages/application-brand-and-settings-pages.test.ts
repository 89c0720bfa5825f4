import { readFileSync } from 'node:fs'
import { deflateSync, crc32 } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SeenPage } from '../../support/open-browser.ts'
import {
  expectAccessible,
  expectQuiet,
  openPages,
  shown,
  type PageWorld,
} from '../../support/start-page-tests.ts'

let world: PageWorld
let seen: SeenPage
let page: Page
beforeAll(async () => {
  world = await openPages({ sampleDays: 2, callsPerDay: 4 })
  seen = await world.openConsole('/apps')
  page = seen.page
})
afterAll(() => world.close())

const button = (name: string | RegExp) => page.getByRole('button', { name })
const inTest = () => ({ 'x-svc-app': world.app, 'x-svc-mode': 'test' })
const ask = async (path: string, headers: Record<string, string> = inTest()) =>
  (await world.call('GET', path, undefined, headers)).body
const go = (path: string) =>
  page.goto(`${world.console}${path}${path.includes('?') ? '&' : '?'}app=${world.app}&mode=test`)

describe('the pages of applications', () => {
  it('the page of applications shows the addresses and the cost of each application, like the API', async () => {
    await go('/apps')
    const { costUsd, endUsers, gateway, keys } = await ask(`/v1/apps/${world.app}`)
    const row = page.getByRole('row').filter({ hasText: 'Sample month' })
    await row.getByText(gateway).waitFor()
    const micros = BigInt(costUsd.replace('.', '').replace(/^0+(?=\d)/, ''))
    expect(costUsd).toMatch(/^\d+\.\d{6}$/)
    expect(await row.locator('[data-micros]').getAttribute('data-micros')).toBe(String(micros))
    expect(await row.locator('[data-count]').evaluateAll((all) => all.map((one) => one.textContent))).toEqual(
      expect.arrayContaining([String(endUsers), String(keys)]),
    )
  })

  it('the form shows both addresses of a new application while a user types its name, and can be sent by keyboard', async () => {
    await go('/apps?act=new')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Ápp Nº 2 of mine')
    const { gateway, portal } = await ask(`/v1/apps/${world.app}`)
    for (const address of [gateway, portal] as string[]) {
      // oxlint-disable-next-line no-await-in-loop -- two
      await dialog.getByText(address.replace(world.app, 'app-no-2-of-mine'), { exact: true }).waitFor()
    }
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Ápp Nº 2 of mine', exact: true }).waitFor()
    expect((await ask('/v1/apps/app-no-2-of-mine')).name).toBe('Ápp Nº 2 of mine')
    await expectAccessible(page)
    await button('Make active').click()
    await page.getByText('Shown in the console').waitFor()
    expect(new URL(page.url()).searchParams.get('app')).toBe('app-no-2-of-mine')
    // After this, a page address without an application opens the active application.
    await page.goto(`${world.console}/brand`)
    await page.getByRole('heading', { name: 'Brand and portal' }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('app')).toBe('app-no-2-of-mine')
  })

  it('the page of an application exports its configuration, and shows the changes of a document before they are applied', async () => {
    await go(`/apps?open=${world.app}`)
    const saved = page.waitForEvent('download')
    await button('Export document').click()
    const file = await (await saved).path()
    const document = JSON.parse(readFileSync(file, 'utf8'))
    expect(document).toEqual(await ask(`/v1/apps/${world.app}/configuration`))

    await button('Apply document').click()
    const text = page.getByLabel('Document', { exact: true })
    await text.fill('{ "format": 1,')
    await button('Preview changes').click()
    await page.getByText(/not valid JSON/).waitFor()
    const outcomes = [{ slug: 'report', displayName: 'A report', ceilingMicros: '5000' }]
    await text.fill(JSON.stringify({ ...document, application: { name: 'Renamed' }, outcomes }))
    await button('Preview changes').click()
    await page.getByText('1 created, 1 updated', { exact: true }).waitFor()
    await expectAccessible(page)
    expect((await ask(`/v1/apps/${world.app}`)).name).toBe('Sample month')
    await button(`Apply 2 changes to ${world.app}`).click()
    await page.getByText('Applied: 1 created, 1 updated').waitFor()
    expect((await ask(`/v1/apps/${world.app}`)).name).toBe('Renamed')
    expect((await ask('/v1/outcomes')).data.map(({ slug }: { slug: string }) => slug)).toContain('report')
  })

  it('a user must type the name of an application to archive it, and the application is then read-only', async () => {
    await go('/apps?open=app-no-2-of-mine')
    await button('Archive application').click()
    const dialog = page.getByRole('dialog').filter({ hasText: 'The gateway and the portal return 410' })
    const archive = dialog.getByRole('button', { name: 'Archive application' })
    expect(await archive.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('app-no-2-of-mine')
    await archive.click()
    await page.getByText('This application is archived').waitFor()
    expect((await ask('/v1/apps/app-no-2-of-mine')).archivedAt).not.toBeNull()
    // The dialog closes a moment after the user has answered it.
    await expect.poll(() => button('Archive application').count()).toBe(0)
    await expectQuiet(page, seen)
  })
})

describe('the brand page', () => {
  it('the brand page shows a preview of the portal, warns of low contrast, and saves the typed values', async () => {
    await go('/brand')
    await page.getByLabel('Product name').fill('Umbrella <b>Chat</b>')
    await page.getByLabel('Color', { exact: true }).fill('#ffee00')
    await page.getByText(/the contrast is 1\.\d+:1, and text needs 4\.5:1/).waitFor()
    await page.getByText(/Text on this color is black/).waitFor()
    const preview = page.locator('[data-preview]')
    await expect.poll(() => preview.textContent()).toContain('Umbrella <b>Chat</b>')
    await expectAccessible(page)
    await page.getByText('Dark', { exact: true }).last().click()
    await page.locator('[data-preview="dark"]').waitFor()
    await button('Save brand').click()
    await page.getByText('Brand saved').waitFor()
    const brand = await ask('/v1/brand')
    expect(brand).toMatchObject({ productName: 'Umbrella <b>Chat</b>', primaryColor: '#ffee00' })

    const styled = await (await world.newContext()).newPage()
    await styled.goto(`${world.portal}/brand.css`)
    const [, light, dark] = /--brand:light-dark\((#\w+),(#\w+)\)/.exec(await styled.content()) ?? []
    expect(light).toMatch(/^#/)
    const drawn = await preview.evaluate((one) =>
      (one as HTMLElement).style.getPropertyValue('--color-accent'),
    )
    expect(drawn).toBe(dark)
  })

  it('the preview of the brand page shows the same texts as the portal', async () => {
    await go('/brand')
    const preview = page.locator('[data-preview] :is(p, span, bdi):not(:has(p, span, bdi), [data-sample])')
    await preview.first().waitFor()
    const words = (await preview.allTextContents()).filter((text) => /[a-z]/.test(text))
    expect(words.length).toBeGreaterThan(10)
    const portal = await world.openPortal('/', { viewport: { width: 390, height: 844 } })
    await portal.page.locator('[data-pace]').waitFor()
    const texts = [await portal.page.locator('body').innerText()]
    await portal.page.getByRole('link', { name: 'Keys' }).click()
    await portal.page.getByRole('button', { name: 'Create key' }).waitFor()
    texts.push(await portal.page.locator('main').innerText())
    // Replaces numbers, because the preview and the portal show different amounts.
    const plain = (text: string): string =>
      text
        .replaceAll(/\$[\d,.]+|\d+/g, '#')
        .replaceAll(/about # days?|more than a year|less than a day/g, '# days')
        .replaceAll('# used so far today', '# a day, the average of the last # days')
    const shownThere = plain(texts.join('\n'))
    expect(words.map(plain).filter((text) => !shownThere.includes(text))).toEqual([])
  })

  it('if a user saves an older version of the brand, the newer version is not overwritten', async () => {
    await go('/brand')
    await page.getByLabel('Product name').fill('Mine')
    await world.call('PATCH', '/v1/brand', { productName: 'Theirs' }, inTest())
    await button('Save brand').click()
    await page.getByText('Another team member has changed this data since you opened it').waitFor()
    expect((await ask('/v1/brand')).productName).toBe('Theirs')
    expect(await page.getByText(/If-Match|precondition|after you opened it\. Your/).count()).toBe(0)
    await button('Load current version').click()
    await expect.poll(() => page.getByLabel('Product name').inputValue()).toBe('Theirs')
  })

  it('the brand page stores an image as the logo, and rejects other files', async () => {
    await go('/brand')
    const input = page.getByLabel('Logo file')
    await input.setInputFiles({ name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') })
    await page.getByText(/not a PNG, JPEG or WebP image/).waitFor()
    await input.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png(8, 4) })
    await page.getByText('8 x 4 pixels, PNG').waitFor()
    expect((await ask('/v1/brand')).logo).toMatchObject({ widthPx: 8, heightPx: 4 })
    await button('Remove logo').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove logo' }).click()
    await page.getByText('No logo yet').waitFor()
    expect((await ask('/v1/brand')).logo).toBeNull()
  })

  it('the brand page shows whether end users can create keys, and the total limit of these keys', async () => {
    await go('/brand')
    await page.getByLabel('End users can create their own keys').check()
    await page.getByLabel('Spend limit for all keys an end user creates').fill('20')
    await page.getByLabel('Highest spend cap of a key').fill('2.50')
    await page.getByLabel('The limit and the caps reset').selectOption('week')
    await button('Save permissions').click()
    await page.getByText('End users can create keys', { exact: true }).waitFor()
    expect(await ask('/v1/portal-settings')).toEqual({
      endUsersMayMintKeys: true,
      keyCapMicros: '2500000',
      keyCapPeriod: 'week',
      keyCapsTotalMicros: '20000000',
    })
  })
})

describe('the settings page', () => {
  it('the settings page restricts which requests the gateway serves, and removes the restriction', async () => {
    await go('/settings')
    await page.getByLabel(/Generate content/).uncheck()
    await page.getByLabel('Allowed web origins').fill('https://a.example\nhttps://b.example')
    await button('Limit hours').click()
    await page.getByRole('group', { name: 'Hours, line 1' }).getByLabel('Sat').check()
    await expectAccessible(page)
    await button('Save settings').click()
    await page.getByText('Saved. The settings apply to new requests.').waitFor()
    await shown(page)
    expect(await ask('/v1/gateway')).toMatchObject({
      wires: [
        'chat',
        'responses',
        'messages',
        'converse',
        'cohere',
        'embeddings',
        'embed_content',
        'batch_embed_contents',
        'invoke_embeddings',
        'cohere_embed',
        'moderations',
        'completions',
        'rerank',
        'images',
        'image_edits',
        'speech',
        'transcriptions',
        'translations',
        'compact',
      ],
      origins: ['https://a.example', 'https://b.example'],
      hours: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'], from: '08:00', until: '18:00' }],
      models: null,
    })
    await button('Remove line 1').click()
    await page.getByLabel(/Generate content/).check()
    await page.getByLabel('Allowed web origins').fill('')
    await button('Save settings').click()
    await expect.poll(async () => (await ask('/v1/gateway')).hours).toBeNull()
    expect(await ask('/v1/gateway')).toMatchObject({ wires: null, origins: [], hours: null })
  })

  it('the settings page sets a daily limit for all applications together, and shows the usage', async () => {
    await go('/settings?tab=limits')
    await button('Set limits of All applications together').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Requests per day').fill('5')
    await dialog.getByLabel('Cost per day').fill('1.5')
    await dialog.getByRole('button', { name: 'Set limits' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { organization } = await ask('/v1/limits')
    expect(organization).toMatchObject({ callsPerDay: 5, spendPerDayMicros: '1500000' })
    expect(await page.getByRole('meter', { name: 'Requests today' }).getAttribute('aria-valuetext')).toBe(
      `${organization.today.calls} used, ${5 - organization.today.calls} left, of 5`,
    )
    await expectAccessible(page)
  })

  it('the settings page declares tags, limits them, shows their usage, and removes them', async () => {
    await go('/settings?tab=tags')
    await button('Add tag').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Tag').fill('Batch')
    await dialog.getByRole('button', { name: 'Add tag' }).click()
    await dialog.getByText('Enter lowercase letters, digits and hyphens.').waitFor()
    await dialog.getByLabel('Tag').fill('batch')
    await dialog.getByRole('button', { name: 'Add tag' }).click()
    await dialog.waitFor({ state: 'detached' })
    const tag = page.getByRole('region', { name: 'batch' })
    await tag.getByRole('button', { name: 'Set limits' }).click()
    await dialog.getByLabel('Maximum 1').fill('60')
    await dialog.getByRole('button', { name: 'Save limits' }).click()
    await dialog.waitFor({ state: 'detached' })
    const limits = [{ measure: 'requests', window: 'minute', most: '60' }]
    expect((await ask('/v1/tags')).tags).toMatchObject([{ slug: 'batch', limits }])
    expect(await tag.locator('[data-used]').getAttribute('data-used')).toBe('0')
    await expectAccessible(page)
    await tag.getByRole('button', { name: 'Remove tag' }).click()
    await dialog.getByRole('button', { name: 'Remove tag' }).click()
    await page.getByText('No tags yet').waitFor()
    expect(await ask('/v1/tags')).toEqual({ tags: [] })
  })

  it('before the test clock advances, the settings page names the end users whose periods would end', async () => {
    const before = await ask('/v1/test-clock')
    await go('/settings?tab=clock')
    await button('31 days').click()
    const ends = page.getByRole('region', { name: 'Effects of the new time' })
    await ends.getByText(/The period of ada on Pro/).waitFor()
    const { periodEnd, priceMicros } = await ask('/v1/subscription?endUserId=ada')
    expect(Date.parse(periodEnd)).toBeLessThan(Date.parse(before.now) + 32 * 86_400_000)
    const line = ends.getByRole('listitem').filter({ hasText: 'ada' })
    expect(await line.locator('[data-micros]').getAttribute('data-micros')).toBe(priceMicros)
    await expectAccessible(page)
    await button(/^Advance clock by 31 days/).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Advance clock by/ })
      .click()
    await page.getByText(/^The test clock is now .*\./).waitFor()
    const after = await ask('/v1/test-clock')
    expect(Date.parse(after.now) - Date.parse(before.now)).toBeGreaterThan(31 * 86_400_000 - 60_000)
  })

  it('on the settings page, users can change their password, theme and shortcuts', async () => {
    await go('/settings?tab=you')
    await page.getByLabel('Current password').fill('not this one at all')
    await page.getByLabel('New password', { exact: true }).fill('a better few words')
    await page.getByLabel('Confirm new password').fill('a better few words')
    await button('Change password').click()
    await page.getByRole('alert').first().waitFor()
    await page.getByLabel('Current password').fill('correct horse battery')
    await button('Change password').click()
    await page.getByText('Password changed.').waitFor()
    await page.getByRole('radiogroup', { name: 'Theme' }).getByText('Dark').click()
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
    await page.getByRole('switch', { name: 'Keyboard shortcuts' }).click()
    await page.getByRole('heading', { name: 'Settings' }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    expect(new URL(page.url()).pathname).toBe('/settings')
    await page.getByRole('switch', { name: 'Keyboard shortcuts' }).click()
    await page.getByRole('heading', { name: 'Settings' }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
  })
})

describe('the workbench', () => {
  it('the workbench runs a read operation immediately, runs a change after a confirmation, and shows the response unchanged', async () => {
    await go('/workbench?q=grant')
    await page.getByRole('button', { name: 'grants.issue' }).click()
    await button('Run grants.issue').click()
    await page.getByText('This field is required.').first().waitFor()
    await page.getByLabel('endUsers').fill('ada')
    await page.getByLabel('amountUnits').fill('$0.25')
    await page.getByLabel('reason').fill('from the workbench')
    await expectAccessible(page)
    await button('Run grants.issue').click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.textContent()).toContain(`(${world.app})`)
    expect(await dialog.textContent()).toContain('in test mode')
    expect((await ask('/v1/grants')).data[0]?.reason).not.toBe('from the workbench')
    await dialog.getByRole('button', { name: 'Run grants.issue' }).click()
    const answer = page.getByRole('region', { name: 'Response', exact: true })
    await answer.getByText('200', { exact: true }).waitFor()
    const grant = JSON.parse((await page.getByRole('region', { name: /^Response of/ }).textContent()) ?? '')
    const known = (await ask('/v1/grants')).data[0]
    expect(grant).toMatchObject({ id: known.id, amountUnits: '250000', reason: 'from the workbench' })
    expect(await answer.textContent()).toMatch(/req_\w+/)

    await page.getByLabel('Search operations').fill('usage export')
    await page.getByRole('button', { name: 'usage.export' }).click()
    await button('Run usage.export').click()
    await page.getByText('History').waitFor()
    expect(await page.getByRole('listitem').filter({ hasText: 'grants.issue' }).count()).toBeGreaterThan(0)
  })

  it('the workbench shows a stream as it arrives, until the user stops the stream', async () => {
    await go('/workbench?op=requests.tail')
    await button('Run requests.tail').click()
    // A stream that the test stopped before its first event would contain no answer.
    await page.getByText(': requests follow as they end').waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByText(/The output stops here/).waitFor()
    await page
      .getByRole('region', { name: 'Response', exact: true })
      .getByText('200', { exact: true })
      .waitFor()
  })
})

function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const rows = Buffer.alloc(height * (1 + width * 3), 0x40)
  for (let row = 0; row < height; row++) rows[row * (1 + width * 3)] = 0
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
