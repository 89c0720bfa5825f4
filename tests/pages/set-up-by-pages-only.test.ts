/**
 * Sets up a new organization using only pages, from the link of the first start to a settled call by a real client. In
 * live mode, the test uses a provider account, and in test mode the simulator.
 */
import OpenAI from 'openai'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFakeProvider, type FakeProvider } from '../support/fake-provider.ts'
import {
  expectAccessible,
  expectQuiet,
  openPages,
  owner,
  type PageWorld,
} from '../support/start-page-tests.ts'

let world: PageWorld
let provider: FakeProvider

beforeAll(async () => {
  provider = await startFakeProvider()
  world = await openPages({ sampleDays: 0, hasOwner: false })
})
afterAll(async () => {
  await world.close()
  await provider.close()
})

const step = (page: Page, name: string, state: 'done' | 'missing') =>
  page.locator(`[data-step="${name}"][data-state="${state}"]`)

const region = (page: Page, name: string) => page.locator(`[data-step="${name}"]`)

/** The dialog shows the key once. */
async function takeKey(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Key created' })
  await dialog.getByRole('button', { name: 'Show' }).click()
  const key = (await dialog.locator('[data-secret]').textContent()) ?? ''
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  return key
}

/** Uses the address and the model name from the page. */
async function callAsShown(page: Page, apiKey: string) {
  const shown = (await page.getByRole('region', { name: 'Request with curl' }).textContent()) ?? ''
  const [, baseURL = ''] = /curl (\S+)\/chat\/completions/.exec(shown) ?? []
  const [, model = ''] = /"model":"([^"]+)"/.exec(shown) ?? []
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  return client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hello' }] })
}

/** Both receipts must be equal to the micro. */
async function expectReceipt(page: Page, mode: 'live' | 'test'): Promise<void> {
  await page.getByRole('heading', { name: 'Receipt' }).waitFor()
  const receipt = page.locator('[data-receipt]')
  const id = (await receipt.getAttribute('data-receipt')) ?? ''
  const { body } = await world.call('GET', `/v1/requests/${id}`, undefined, {
    'x-svc-app': 'acme',
    'x-svc-mode': mode,
  })
  expect(body.status).toBe('settled')
  expect(BigInt(body.chargeMicros) > 0n).toBe(true)
  expect(await receipt.locator('[data-micros]').getAttribute('data-micros')).toBe(body.chargeMicros)
}

describe('a new organization that uses only pages', () => {
  it('a new organization goes from the first link to a settled call in live mode, then to a call in test mode', async () => {
    const { page, ...seen } = await world.openConsole(`/setup${new URL(world.setupUrl).hash}`, {
      isSignedIn: false,
    })
    await page.getByLabel('Your name').fill(owner.name)
    await page.getByLabel('Email address').fill(owner.email)
    await page.getByLabel('Password', { exact: true }).fill(owner.password)
    await page.getByLabel('Confirm password').fill(owner.password)
    await page.getByRole('button', { name: 'Join' }).click()

    await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor()
    await expectAccessible(page)
    await page.getByLabel('Name').fill('Acme')
    await page.getByRole('button', { name: 'Create application' }).click()
    await page.getByText('The gateway’s host name starts with').waitFor({ state: 'detached' })

    // This code contains the values that the user typed into the form.
    const offered = region(page, 'provider_answered')
    await offered.getByLabel('Provider', { exact: true }).selectOption('other')
    await offered.getByLabel('Label').fill('backup')
    await expect
      .poll(() => offered.textContent())
      .toMatch(/providers connect backup .*--kind openai_compatible/)

    const onboarding = page.url()
    await page.getByRole('link', { name: 'Providers', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Providers' }).waitFor()
    await page.getByRole('button', { name: 'Connect account' }).first().click()
    await page.getByLabel('Provider', { exact: true }).selectOption('other')
    await page.getByLabel('Base URL').fill(provider.baseUrl)
    await page.getByLabel('API key').fill('their-key-1234')
    await page.getByRole('button', { name: 'Connect main' }).click()
    await page.getByRole('heading', { name: 'Probe' }).waitFor()
    expect(await page.getByText('••••1234').first().isVisible()).toBe(true)
    expect(await page.content()).not.toContain('their-key-1234')

    await page.goto(onboarding)
    const first = region(page, 'provider_answered')
    await first.getByLabel('Model to probe').fill('their-model')
    await first.getByRole('button', { name: 'Probe main' }).click()
    await step(page, 'provider_answered', 'done').waitFor()
    expect(provider.calls.at(-1)?.headers.authorization).toBe('Bearer their-key-1234')

    const name = region(page, 'name_served')
    await name.getByLabel('Model', { exact: true }).fill('their-model')
    await name.getByLabel('Input').fill('0.15')
    await name.getByLabel('Output').fill('0.60')
    await name.getByRole('button', { name: 'Add acme/fast' }).click()
    await step(page, 'name_served', 'done').waitFor()

    await region(page, 'bundle_allows').getByRole('button', { name: 'Create bundle free' }).click()
    await step(page, 'bundle_allows', 'done').waitFor()
    await step(page, 'default_bundle', 'done').waitFor()

    await region(page, 'key_minted').getByRole('button', { name: 'Create key and grant $5.00' }).click()
    const key = await takeKey(page)
    expect(key).toMatch(/^ak_/)
    await step(page, 'key_minted', 'done').waitFor()
    await page.getByText('Waiting for the request').waitFor()
    await expectAccessible(page)

    // The page shows why a call failed, and continues to wait for a successful call.
    await expect(callAsShown(page, 'ak_no_such_key')).rejects.toThrow(/401/)
    provider.enqueue({ status: 401 })
    await expect(callAsShown(page, key)).rejects.toThrow(/credential/)
    await page.getByText('but did not settle').waitFor()

    const answer = await callAsShown(page, key)
    expect(answer.choices[0]?.message.content).toBeTruthy()
    expect(provider.calls.at(-1)?.body?.model).toBe('their-model')
    await step(page, 'call_settled', 'done').waitFor()
    await expectReceipt(page, 'live')
    await page.getByRole('button', { name: 'Complete setup' }).click()
    await page.getByText('Setup completed just now').waitFor()

    await inTestMode(page)
    // When a step opens, the steps below it move at every response of the server. The test reads the positions again,
    // because the steps have moved.
    await page.reload()
    await page.getByRole('heading', { name: 'Receipt' }).waitFor()
    await expectAccessible(page)
    await expectQuiet(page, seen)
  })
})

async function inTestMode(page: Page): Promise<void> {
  const before = provider.calls.length
  await page.goto(`${world.console}/onboarding?app=acme&mode=test`)
  const first = region(page, 'provider_answered')
  await first.getByLabel('Label').fill('simulated')
  await first.getByRole('button', { name: 'Connect simulated' }).click()
  await step(page, 'provider_answered', 'done').waitFor()
  // Test mode uses the model name and the bundle of live mode.
  await step(page, 'name_served', 'done').waitFor()
  await region(page, 'key_minted').getByRole('button', { name: 'Create key and grant $5.00' }).click()
  const key = await takeKey(page)
  await step(page, 'key_minted', 'done').waitFor()
  await callAsShown(page, key)
  await step(page, 'call_settled', 'done').waitFor()
  await expectReceipt(page, 'test')
  expect(provider.calls.length).toBe(before)
}
