import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import { shown, type PageWorld } from '../support/start-page-tests.ts'
import type { SeenPage } from '../support/open-browser.ts'

export const where = 'app=sample-month&mode=test'

export async function ask<T>(world: PageWorld, path: string): Promise<T> {
  const answer = await world.call('GET', path, undefined, { 'x-svc-app': world.app, 'x-svc-mode': 'test' })
  expect([path, answer.status]).toEqual([path, 200])
  return answer.body
}

interface Opened extends SeenPage {
  /** If `part` is set, returns the last query that contains this text. */
  readonly last: (operation: string, part?: string) => string
}

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

export async function column(table: Locator, at: number): Promise<readonly bigint[]> {
  const cells = await table.locator(`tbody tr > :nth-child(${at})`).all()
  return Promise.all(cells.map(microsOf))
}
