import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { dayWithRoom } from '../support/wait-past-midnight.ts'
import { control, eventually, startServer } from '../support/start-product.ts'

test('a server that starts again after months issues the bill of each missed month once', async () => {
  await dayWithRoom()
  const folder = newDataFolder('e2e')
  const first = await startServer({ folder })
  await first.close()
  const now = new Date()
  const foundedAtMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 3, 15)
  const database = new DatabaseSync(join(folder, 'tollgate.db'))
  database.prepare('UPDATE organizations SET created_at_ms = ?').run(foundedAtMs)
  database.close()

  const again = await startServer({ folder, token: first.token })
  // On the first day of a month, the previous month may still receive calls.
  const months = now.getUTCDate() === 1 ? 2 : 3
  const past = await eventually(async () => {
    const { body } = await control(again, 'GET', '/v1/bill')
    expect(body.past).toHaveLength(months)
    return body.past
  })
  expect(past.at(-1).period).toBe(new Date(foundedAtMs).toISOString().slice(0, 7))
  const { body: issued } = await control(again, 'GET', `/v1/bill?period=${past[0].period}`)
  expect(issued).toMatchObject({ status: 'issued', totalMicros: '0', settledCalls: 0 })
  await again.close()

  const third = await startServer({ folder, token: first.token })
  const { body } = await control(third, 'GET', `/v1/bill?period=${past[0].period}`)
  expect(body).toEqual(issued)
  await third.close()
  rmSync(folder, { recursive: true })
})
