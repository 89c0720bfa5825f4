import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { sampleApp, type PageWorld } from '../support/start-page-tests.ts'
import { testHeaders } from '../support/send-calls-in-test-mode.ts'

interface Row {
  readonly id: string
  readonly status: string
  readonly httpStatus: number
  readonly chargeMicros: string
  readonly costMicros: string
  readonly endUserId: string
  readonly createdAt: string
}

export const at = (path: string, query = ''): string => `${path}?app=${sampleApp}&mode=test${query}`
export const api = async (world: PageWorld, path: string) =>
  (await world.call('GET', path, undefined, testHeaders(world))).body
export const rows = (page: Page): Locator => page.locator('tbody tr:not([aria-hidden])')

export async function listed(world: PageWorld, query = ''): Promise<readonly Row[]> {
  return (await api(world, `/v1/requests?limit=200${query}`)).data
}

export async function expectRows(page: Page, wanted: readonly Row[]): Promise<void> {
  const shownNow = () =>
    rows(page).evaluateAll((found) =>
      found.map((row) => [
        row.querySelector('time')?.getAttribute('datetime'),
        ...[...row.querySelectorAll('[data-micros]')].map((one) => one.getAttribute('data-micros')),
      ]),
    )
  const isCharged = ({ status }: Row): boolean => status === 'settled' || status === 'recovered'
  await expect
    .poll(shownNow)
    .toEqual(
      wanted.map((row) => [
        row.createdAt,
        ...(isCharged(row) ? [row.chargeMicros] : []),
        ...(isCharged(row) || row.costMicros !== '0' ? [row.costMicros] : []),
      ]),
    )
}
