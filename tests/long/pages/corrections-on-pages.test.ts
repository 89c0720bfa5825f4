/** The team uses the console, and the end user sees the result in the portal. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectAccessible,
  expectQuiet,
  openPages,
  shown,
  type PageWorld,
} from '../../support/start-page-tests.ts'
import { addPerson, asked, callWith, keyOf, microsIn, settled } from '../../pages/portal-page-helpers.ts'

let world: PageWorld
beforeAll(async () => {
  world = await openPages({ sampleDays: 2, callsPerDay: 6 })
})
afterAll(() => world.close())

const dayMs = 86_400_000
const query = 'app=sample-month&mode=test'
const scope = { 'x-svc-app': 'sample-month', 'x-svc-mode': 'test' }
/** The time fields of forms use the browser's time zone. */
const inUtc = { timezoneId: 'UTC' }

// oxlint-disable-next-line typescript/no-explicit-any -- an answer, of which a test reads what it expects
async function api(method: string, path: string, body?: unknown): Promise<any> {
  const answer = await world.call(method, path, body, scope)
  expect([path, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([path, answer.status, ''])
  return answer.body
}

const dialogOf = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])')
const balanceOf = async (who: string): Promise<string> =>
  (await api('GET', `/v1/end-users/${who}`)).balance.balanceUnits
const testNowMs = async (): Promise<number> => Date.parse((await api('GET', '/v1/test-clock')).now)

async function advanceTo(ms: number): Promise<void> {
  await api('POST', '/v1/test-clock/advance', { to: new Date(ms).toISOString() })
}

/** Newest first: the words of each entry, and its amount and balance in micros. */
async function entriesOf(page: Page): Promise<readonly { words: string; micros: readonly string[] }[]> {
  await settled(page)
  return page
    .getByRole('list', { name: 'Entries' })
    .getByRole('listitem')
    .evaluateAll((rows) =>
      rows.map((row) => ({
        words: row.textContent ?? '',
        micros: [...row.querySelectorAll<HTMLElement>('[data-micros]')].map(
          (one) => one.dataset['micros'] ?? '',
        ),
      })),
    )
}

describe('a correction by the team', () => {
  it('the team refunds a part of a request and then the remaining amount, and the end user sees both refunds', async () => {
    await addPerson(world, { externalId: 'rita', bundle: 'starter', balanceMicros: '5000000' })
    expect(await callWith(world, await keyOf(world, 'rita'))).toBe(200)
    const [request] = (await api('GET', '/v1/requests?endUserId=rita')).data
    const charge = BigInt(request.chargeMicros)
    const paid = await balanceOf('rita')
    expect(BigInt(paid)).toBe(5_000_000n - charge)

    const seen = await world.openConsole(`/requests/${request.id}?${query}`)
    const { page } = seen
    await page.getByRole('button', { name: 'Refund request' }).click()
    await dialogOf(page).getByLabel('Amount').fill('1')
    await dialogOf(page).getByLabel('Reason').fill('The response was empty')
    await dialogOf(page).getByRole('button', { name: 'Refund request' }).click()
    await dialogOf(page).getByText('You can refund up to').last().waitFor()
    await dialogOf(page).getByLabel('Amount').fill('0.000003')
    await expectAccessible(page)
    await dialogOf(page).getByRole('button', { name: 'Refund request' }).click()
    await dialogOf(page).waitFor({ state: 'detached' })
    const corrections = page.getByRole('region', { name: 'Corrections' })
    await corrections.getByText('The response was empty').waitFor()
    await corrections.locator('[data-micros="-3"]').waitFor()
    expect(await balanceOf('rita')).toBe(String(BigInt(paid) + 3n))

    await page.getByRole('button', { name: 'Refund request' }).click()
    await dialogOf(page).getByLabel('Reason').fill('All of it')
    await dialogOf(page).getByRole('button', { name: 'Refund request' }).click()
    await corrections.locator(`[data-micros="${3n - charge}"]`).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Refund request' }).count()).toBe(0)
    expect(await balanceOf('rita')).toBe('5000000')
    await expectQuiet(page, seen)

    const own = await world.openPortal(`/activity/${request.id}`, { endUserId: 'rita' })
    await settled(own.page)
    expect(await microsIn(own.page, '[data-corrections]')).toEqual(['3', String(charge - 3n)])
    await own.page.getByText('The response was empty').waitFor()
    await expectAccessible(own.page)
    await own.page.goto(`${world.portal}/ledger`)
    const entries = await entriesOf(own.page)
    expect(entries.slice(0, 3).map(({ micros }) => micros)).toEqual([
      [String(charge - 3n), '5000000'],
      ['3', String(BigInt(paid) + 3n)],
      [String(-charge), paid],
    ])
    expect(entries[0]?.words).toMatch(/^Refund.*All of it/)
    await expectQuiet(own.page, own)
  })

  it('the team adjusts a balance in both directions, with a reason that the end user reads', async () => {
    await addPerson(world, { externalId: 'adam', bundle: 'starter', balanceMicros: '1000000' })
    const seen = await world.openConsole(`/users/adam?${query}`)
    const { page } = seen
    for (const [amount, after, reason] of [
      ['-0.25', '750000', 'Charged elsewhere'],
      ['0.000001', '750001', 'Rounding'],
    ] as const) {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Adjust balance' }).click()
      await dialogOf(page).getByLabel('Amount').fill(amount)
      await dialogOf(page).getByLabel('Reason').fill(reason)
      await dialogOf(page).locator(`[data-preview] [data-micros="${after}"]`).waitFor()
      await expectAccessible(page)
      await dialogOf(page).getByRole('button', { name: 'Adjust balance' }).click()
      await dialogOf(page).waitFor({ state: 'detached' })
      await page.locator(`[data-balance] [data-micros="${after}"]`).waitFor()
      expect(await balanceOf('adam')).toBe(after)
    }
    // The amount exceeds the balance, so the form shows an error.
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Adjust balance' }).click()
    await dialogOf(page).getByLabel('Amount').fill('-2')
    await dialogOf(page).getByLabel('Reason').fill('Too much')
    await dialogOf(page).getByRole('button', { name: 'Adjust balance' }).click()
    const fault = dialogOf(page).getByText('The balance is $0.750001, and requests in flight hold $0.00.')
    await fault.waitFor()
    expect(await balanceOf('adam')).toBe('750001')

    const own = await world.openPortal('/ledger', { endUserId: 'adam' })
    const entries = await entriesOf(own.page)
    expect(entries.map(({ micros }) => micros)).toEqual([
      ['1', '750001'],
      ['-250000', '750000'],
      ['1000000', '1000000'],
    ])
    expect(entries[1]?.words).toMatch(/^Correction.*Charged elsewhere/)
    await own.page.goto(world.portal)
    await settled(own.page)
    expect(await microsIn(own.page, '[data-balance]')).toEqual(['750001'])
    await expectQuiet(own.page, own)
  })

  it('the team tops up paid credit once per payment reference, and the end user sees a payment', async () => {
    await addPerson(world, { externalId: 'tina', bundle: 'starter' })
    const seen = await world.openConsole(`/users/tina?${query}`)
    const { page } = seen
    const topUp = async (amount: string, reference: string): Promise<void> => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Top up' }).click()
      await dialogOf(page).getByLabel('Amount paid').fill(amount)
      await dialogOf(page).getByLabel('Payment reference').fill(reference)
      await dialogOf(page).getByRole('button', { name: 'Add paid credit' }).click()
    }
    await topUp('2.5', '')
    await dialogOf(page).getByText('Enter the reference of the payment.').waitFor()
    await expectAccessible(page)
    await dialogOf(page).getByLabel('Payment reference').fill('pay-1')
    await dialogOf(page).getByRole('button', { name: 'Add paid credit' }).click()
    await dialogOf(page).waitFor({ state: 'detached' })
    await page.locator('[data-balance] [data-micros="2500000"]').waitFor()
    await topUp('2.5', 'pay-1')
    await dialogOf(page).waitFor({ state: 'detached' })
    expect(await balanceOf('tina')).toBe('2500000')
    // The payment reference was already used with another amount, so the form shows an error.
    await topUp('3', 'pay-1')
    await dialogOf(page).getByRole('alert').first().waitFor()
    expect(await balanceOf('tina')).toBe('2500000')

    const own = await world.openPortal('/ledger', { endUserId: 'tina' })
    const entries = await entriesOf(own.page)
    expect(entries.map(({ micros }) => micros)).toEqual([['2500000', '2500000']])
    expect(entries[0]?.words).toMatch(/^Top-up/)
    await expectQuiet(own.page, own)
  })

  it('the team reverses the unspent part of a grant, and the end user sees the reversal', async () => {
    await addPerson(world, { externalId: 'greta', bundle: 'starter', balanceMicros: '2000000' })
    expect(await callWith(world, await keyOf(world, 'greta'))).toBe(200)
    const left = await balanceOf('greta')
    const [grant] = (await api('GET', '/v1/grants?limit=1')).data
    const seen = await world.openConsole(`/grants?${query}&open=${grant.id}`)
    const { page } = seen
    await page.getByRole('button', { name: 'Reverse grant' }).click()
    const form = page.getByRole('dialog', { name: 'Reverse grant' })
    await form.getByLabel('Reason').fill('Granted by mistake')
    await expectAccessible(page)
    await form.getByRole('button', { name: 'Reverse grant' }).click()
    const sheet = page.getByRole('dialog', { name: 'Grant', exact: true })
    await sheet.locator(`[data-micros="${left}"]`).waitFor()
    expect(await balanceOf('greta')).toBe('0')
    expect((await api('GET', `/v1/grants/${grant.id}`)).reversedUnits).toBe(left)
    await expectQuiet(page, seen)

    const own = await world.openPortal('/ledger', { endUserId: 'greta' })
    const [reversal] = await entriesOf(own.page)
    expect(reversal?.micros).toEqual([`-${left}`, '0'])
    expect(reversal?.words).toMatch(/^Credit reversed.*Granted by mistake/)
    await own.page.goto(world.portal)
    await settled(own.page)
    expect(await microsIn(own.page, '[data-balance]')).toEqual(['0'])
    await expectQuiet(own.page, own)
  })
})

describe('credit that expires', () => {
  it('expiring credit is granted with an expiry, shows the expiry in console and portal, and expires when the time passes', async () => {
    await addPerson(world, { externalId: 'xenia', bundle: 'starter', balanceMicros: '1000000' })
    // The test clock is ahead of the real time, and the form checks the expiry against the test clock.
    await advanceTo((await testNowMs()) + 3 * dayMs)
    const now = await testNowMs()
    const expiresAt = new Date(now + 10 * dayMs).toISOString().slice(0, 16)
    const seen = await world.openConsole(`/users/xenia?${query}`, inUtc)
    const { page } = seen
    await page.getByRole('button', { name: 'Grant credit' }).click()
    await dialogOf(page).getByLabel('Amount').fill('0.5')
    await dialogOf(page).getByLabel('Reason').fill('Trial')
    await dialogOf(page)
      .getByLabel('Expires')
      .fill(new Date(now - dayMs).toISOString().slice(0, 16))
    await dialogOf(page).getByRole('button', { name: 'Grant $0.50 to xenia' }).click()
    await dialogOf(page).getByText('Choose a time in the future.').waitFor()
    await dialogOf(page).getByLabel('Expires').fill(expiresAt)
    await dialogOf(page).locator('[data-preview] [data-micros="1500000"]').waitFor()
    await expectAccessible(page)
    await dialogOf(page).getByRole('button', { name: 'Grant $0.50 to xenia' }).click()
    await dialogOf(page).waitFor({ state: 'detached' })
    await page.locator('[data-balance] [data-micros="1500000"]').waitFor()
    const stated = page.locator('[data-expiring] li')
    await stated.locator('[data-micros="500000"]').waitFor()
    expect(await stated.locator('time').getAttribute('datetime')).toBe(`${expiresAt}:00.000Z`)
    const [grant] = (await api('GET', '/v1/grants?limit=1')).data
    await page.goto(`${world.console}/grants?${query}&open=${grant.id}`)
    const sheet = page.getByRole('dialog', { name: 'Grant', exact: true })
    await sheet.getByText('Expires').waitFor()
    await sheet.locator(`time[datetime="${expiresAt}:00.000Z"]`).waitFor()
    await expectAccessible(page)
    await expectQuiet(page, seen)

    const own = await world.openPortal('/', { endUserId: 'xenia' })
    await settled(own.page)
    expect(await microsIn(own.page, '[data-balance]')).toEqual(['1500000'])
    const day = new Date(now + 10 * dayMs).toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    })
    await own.page.locator('[data-expiring]').getByText(`Included in your balance, expires ${day}`).waitFor()
    expect(await microsIn(own.page, '[data-expiring]')).toEqual(['500000'])
    await expectAccessible(own.page)
    await own.page.goto(`${world.portal}/ledger`)
    await settled(own.page)
    await own.page.getByText('Balance without credit that expires').waitFor()
    expect(await microsIn(own.page, '[data-sum]')).toEqual(['1000000'])
    await own.page.locator('[data-expiring]').getByText(`More credit, expires ${day}`).waitFor()
    expect(await microsIn(own.page, '[data-expiring]')).toEqual(['500000'])
    await expectAccessible(own.page)

    await advanceTo(now + 11 * dayMs)
    await own.page.goto(world.portal)
    await settled(own.page)
    expect(await microsIn(own.page, '[data-balance]')).toEqual(['1000000'])
    expect(await own.page.locator('[data-expiring]').count()).toBe(0)
    await own.page.goto(`${world.portal}/ledger?source=all`)
    const entries = await entriesOf(own.page)
    expect(entries.map(({ micros }) => micros)).toEqual([
      ['-500000', '0'],
      ['500000', '500000'],
      ['1000000', '1000000'],
    ])
    expect(entries[0]?.words).toMatch(/^Credit reversedexpired.*Credit that expires/)
    expect(entries[1]?.words).toMatch(/^Credit addedTrial.*Credit that expires/)
    await page.goto(`${world.console}/users/xenia?${query}`)
    await page.locator('[data-balance] [data-micros="1000000"]').waitFor()
    expect(await page.locator('[data-expiring]').count()).toBe(0)
    await expectQuiet(own.page, own)
  })
})

describe('the rollover of a pool', () => {
  it('the rollover of a pool is set with the bundle, and the portal shows what was carried over', async () => {
    await api('PUT', '/v1/bundles/rolling', { displayName: 'Rolling' })
    await api('POST', '/v1/bundles/rolling/allow', { models: ['sample/*'] })
    const include = { slug: 'monthly', displayName: 'Monthly credit', unit: 'micros', amount: '1000000' }
    await api('POST', '/v1/bundles/rolling/include', include)
    const seen = await world.openConsole(`/bundles?${query}&open=rolling`)
    const { page } = seen
    const sheet = page.getByRole('dialog', { name: 'Rolling' })
    await sheet.getByRole('button', { name: 'Edit Monthly credit' }).click()
    await sheet.getByLabel('Rollover percentage').fill('50')
    await sheet.getByLabel('Rollover months').fill('13')
    await sheet.getByRole('button', { name: 'Save included credit' }).click()
    await sheet.getByText('Enter a whole number from 1 to 12.').waitFor()
    await sheet.getByLabel('Rollover months').fill('2')
    await expectAccessible(page)
    await sheet.getByRole('button', { name: 'Save included credit' }).click()
    await sheet.getByText('50% of the unspent credit is carried over, up to 2 times').waitFor()
    const [kept] = (await api('GET', '/v1/bundles/rolling')).includes
    expect(kept.rollover).toEqual({ percent: 50, periodsMax: 2 })
    await expectQuiet(page, seen)

    await addPerson(world, { externalId: 'rolf', bundle: 'rolling' })
    expect(await callWith(world, await keyOf(world, 'rolf'))).toBe(200)
    const [first] = (await api('GET', '/v1/subscription?endUserId=rolf')).pools
    expect(BigInt(first.consumed) > 0n).toBe(true)
    const carried = (1_000_000n - BigInt(first.consumed)) / 2n
    await advanceTo((await testNowMs()) + 31 * dayMs)

    const own = await world.openPortal('/plan', { endUserId: 'rolf' })
    await settled(own.page)
    const [pool] = (await asked(own.page, '/v1/portal/subscription')).pools
    expect(pool).toMatchObject({ granted: String(1_000_000n + carried), rolledOver: String(carried) })
    const words = own.page.locator('[data-rolled-over]')
    expect(await microsIn(own.page, '[data-rolled-over]')).toEqual([String(carried)])
    expect(await words.textContent()).toMatch(/^Carried over from earlier months: \$0\.4\d+$/)
    await expectAccessible(own.page)
    await own.page.goto(`${world.portal}/ledger?source=all`)
    const entries = await entriesOf(own.page)
    expect(entries.map(({ words: said }) => said).join('\n')).toMatch(/Credit added ?carried over/)
    expect(entries.flatMap(({ micros }) => micros)).toContain(String(carried))
    await expectQuiet(own.page, own)

    await page.goto(`${world.console}/users/rolf?${query}&tab=plan`)
    const pools = page.getByRole('region', { name: 'Included credit' })
    await pools.locator(`[data-rolled-over] [data-micros="${carried}"]`).waitFor()
    await shown(page)
    await expectAccessible(page)
    await expectQuiet(page, seen)
  })
})
