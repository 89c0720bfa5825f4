import { expect, test } from 'vitest'
import { seedPostgres, seedSqlite } from '../../tools/seed/seed-store.ts'
import { keyId, personId, seededApplication, seededBundle } from '../../tools/seed/sql-that-fills-store.ts'
import { openOnPostgres, openTemporary, type Opened } from '../store-conformance/engines.ts'
import { startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'

const size = { calls: 500, people: 20, days: 20, nowMs: startMs }
const nowMs = (): number => startMs

async function seededSqlite(): Promise<Opened> {
  const folder = newDataFolder('seeded')
  await seedSqlite(folder, size)
  return await openTemporary({ folder, writer: 'inline', nowMs })
}

async function seededPostgres(): Promise<Opened> {
  const database = await migratedDatabase()
  await seedPostgres(database.url, size)
  const opened = await openOnPostgres({ url: database.url, nowMs })
  const close = async (): Promise<void> => {
    await opened.close()
    await database.drop()
  }
  return { ...opened, close }
}

test.each([
  ['SQLite', seededSqlite] as const,
  ...(hasPostgres ? [['PostgreSQL', seededPostgres] as const] : []),
])('a seeded store on %s has no fault after calls, a grant and a top-up', async (_, open) => {
  const opened = await open()
  try {
    await opened.verify()
    const world = new World(opened.store, { nowMs: startMs })
    const owner = { applicationId: seededApplication, bundleId: seededBundle }
    for (const n of [0, 1, 19]) {
      const caller = { endUserId: personId(n), keyId: keyId(n), mode: 'live' as const }
      const call = async (): Promise<void> => {
        const request = world.request(caller, { input: 100, output: 100 }, owner)
        expect(await world.reserve(request)).toMatchObject({ kind: 'reserved' })
        expect(await world.settle(request, { input: 50, output: 50 })).toMatchObject({ chargeMicros: 100n })
      }
      await call()
      await world.credit([caller.endUserId], 30n, owner)
      await call()
      await world.credit([caller.endUserId], 70n, { ...owner, kind: 'topup', paymentReference: `pi_${n}` })
      await call()
    }
    await opened.verify()
  } finally {
    await opened.close()
  }
})
