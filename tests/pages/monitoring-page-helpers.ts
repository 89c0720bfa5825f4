/** Helpers that tests of the monitoring pages share. */
import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import { shown, type PageWorld } from '../support/start-page-tests.ts'
import type { SeenPage } from '../support/open-browser.ts'

export const where = 'app=sample-month&mode=test'

/** Returns the response of the API in the application and mode of the pages. */
export async function ask<T>(world: PageWorld, path: string): Promise<T> {
  const answer = await world.call('GET', path, undefined, { 'x-svc-app': world.app, 'x-svc-mode': 'test' })
  expect([path, answer.status]).toEqual([path, 200])
  return answer.body
}

interface Opened extends SeenPage {
  /**
   * Returns the last query that was sent for the operation. If `part` is set, the returned query contains this text.
   */
  readonly last: (operation: string, part?: string) => string
}

/** Opens a page, and records the queries that the page sends for an operation. */
export async function opened(
  world: PageWorld,
  path: string,
  options: Parameters<PageWorld['openConsole']>[1] = {},
): Promise<Opened> {
  const seen = await world.openConsole('/healthz', options)
  const asked: string[] = []
  seen.page.on('request', (request) => asked.push(request.url().slice(world.console.length)))
  await seen.page.goto(world.console + path)
  await shown(seen.page)
  const last = (operation: string, part = ''): string =>
    asked.findLast((one) => one.startsWith(`/v1/${operation}?`) && one.includes(part)) ?? ''
  return { ...seen, last }
}

export const microsOf = async (cell: Locator): Promise<bigint> =>
  BigInt((await cell.locator('[data-micros]').first().getAttribute('data-micros')) ?? '')
export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n)

/** Returns the amounts of a column, starting with the first row of the body. */
export async function column(table: Locator, at: number): Promise<readonly bigint[]> {
  const cells = await table.locator(`tbody tr > :nth-child(${at})`).all()
  return Promise.all(cells.map(microsOf))
}
