/** Tests `serve --workers` with any free port. tests/long/workers-on-postgres.test.ts tests the failures of workers. */
import { rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { control, makeApplication, spawnServer, type SpawnedServer } from '../support/start-product.ts'
import { hasPostgres, newDatabase, type TestDatabase } from '../support/start-postgres.ts'

let folder: string
let database: TestDatabase
let server: SpawnedServer | null = null
beforeEach(async () => {
  folder = newDataFolder('workers')
  if (hasPostgres) database = await newDatabase()
})
afterEach(async () => {
  if (server !== null) {
    server.child.kill('SIGTERM')
    await server.ended
    await database.drop()
  }
  rmSync(folder, { recursive: true, force: true })
})

test.runIf(hasPostgres)('two workers with port 0 listen on the same port, and serve a request', async () => {
  server = await spawnServer(folder, {
    args: ['--workers', '2'],
    environment: { DATABASE_URL: database.url },
  })
  // Each request opens a new connection, which either worker may accept.
  for (let i = 0; i < 8; i++) {
    // oxlint-disable-next-line no-await-in-loop -- one connection after the other
    expect((await control(server, 'GET', '/health', undefined, { connection: 'close' })).status).toBe(200)
  }
  const app = await makeApplication(server)
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  expect((await app.call(user, {})).status).toBe(200)
  expect(await user.requests()).toMatchObject([{ status: 'settled' }])
  await app.provider.close()
})
