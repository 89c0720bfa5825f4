/** Tests a server that did not run while a month of on-demand usage ended and its invoice became past due. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { control, makeApplication, startServer } from '../support/start-product.ts'
import { migratedDatabase } from '../support/reused-databases.ts'
import { testedEngines } from '../support/reduced-suite.ts'

const octoberMs = Date.UTC(2026, 9, 20, 12)

function invoicesIn(folder: string): number {
  const connection = new DatabaseSync(join(folder, 'tollgate.db'), { readOnly: true })
  try {
    return connection.prepare('SELECT id FROM invoices').all().length
  } finally {
    connection.close()
  }
}

describe.each(testedEngines)('a server that starts late on %s', (store) => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: octoberMs }))
  afterEach(() => void vi.useRealTimers())

  it.each([
    [
      'a server that starts late blocks on-demand usage if the invoice of October is past due',
      Date.UTC(2026, 10, 8),
      402,
    ],
    [
      'a server that starts late serves on-demand usage if the invoice of October is not due yet',
      Date.UTC(2026, 10, 7),
      200,
    ],
  ])('%s', async (_, startedAgainMs, status) => {
    const folder = newDataFolder('late-invoices')
    const database = store === 'SQLite' ? null : await migratedDatabase()
    const place = { folder, ...(database === null ? {} : { databaseUrl: database.url }) }
    const first = await startServer(place)
    const acme = await makeApplication(first)
    const ada = await acme.newUser()
    await acme.api('POST', '/v1/subscription/on-demand', { endUserId: ada.externalId, enabled: true })
    expect((await acme.call(ada)).status).toBe(200)
    await first.close()

    vi.setSystemTime(startedAgainMs)
    const second = await startServer({ ...place, token: first.token })
    // The test reads the invoice immediately, because the server issues it before the first request instead of in the
    // hourly job.
    if (database === null) expect(invoicesIn(folder)).toBe(status === 402 ? 1 : 0)
    try {
      const again = await acme.again(second)
      const answer = await again.call(ada)
      expect(answer.status, answer.text).toBe(status)
      if (status === 200) return
      expect(answer.body.error).toMatchObject({
        limitSource: 'unpaid_invoice',
        invoiceId: expect.any(String),
      })
      const headers = { 'x-svc-app': acme.slug }
      const { body } = await control(second, 'GET', '/v1/invoices?status=past_due', undefined, headers)
      expect(body.data).toMatchObject([
        { id: answer.body.error.invoiceId, dueAt: '2026-11-08T00:00:00.000Z' },
      ])
    } finally {
      await acme.provider.close()
      await second.close()
      await database?.drop()
      rmSync(folder, { recursive: true })
    }
  })
})
