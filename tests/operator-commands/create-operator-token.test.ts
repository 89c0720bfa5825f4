import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { command, control, makeApplication, run, startServer } from '../support/start-product.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-token-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('tollgate token prints a token of the embedded store, which a running server accepts immediately', async () => {
  const server = await startServer({ folder })
  const told = await run(command, ['token', '--data', folder, '--label', 'found again'])
  expect([told.code, told.stdout], told.stderr).toEqual([0, expect.stringMatching(/^sk_\S+\n$/)])
  expect(told.stderr).toContain(server.organizationId)
  const token = told.stdout.trim()
  const who = await control({ ...server, token }, 'GET', '/v1/whoami')
  expect(who.status).toBe(200)
  const { body } = await control({ ...server, token }, 'GET', '/v1/application-keys')
  expect(body.data.map(({ label }: { label: string }) => label)).toContain('found again')
  const other = await run(command, ['token', '--data', folder, '--organization', 'org_none'])
  expect([other.code, other.stdout]).toEqual([2, ''])
  expect(other.stderr).toContain(server.organizationId)
  await server.close()
})

test('tollgate token creates no store if no store exists', async () => {
  const told = await run(command, ['token', '--data', join(folder, 'none')])
  expect([told.code, told.stdout]).toEqual([2, ''])
  expect(told.stderr).toContain('contains no store')
})

test.runIf(hasPostgres)('on PostgreSQL, tollgate token also requires the master key', async () => {
  const database = await migratedDatabase()
  const server = await startServer({ databaseUrl: database.url, folder })
  const app = await makeApplication(server)
  const environment = { DATABASE_URL: database.url }
  const stranger = await run(command, ['token'], { ...environment, TOLLGATE_DATA: join(folder, 'none') })
  expect([stranger.code, stranger.stdout]).toEqual([2, ''])
  expect(stranger.stderr).toContain('master key')
  const guessed = {
    ...environment,
    TOLLGATE_DATA: join(folder, 'none'),
    TOLLGATE_MASTER_KEY: Buffer.alloc(32).toString('base64'),
  }
  expect((await run(command, ['token'], guessed)).code).toBe(2)
  const told = await run(command, ['token'], { ...environment, TOLLGATE_DATA: folder })
  expect(told.code).toBe(0)
  const who = await control({ ...server, token: told.stdout.trim() }, 'GET', '/v1/whoami')
  expect(who.status).toBe(200)
  const link = await run(command, ['setup-link'], { ...environment, TOLLGATE_DATA: folder })
  expect([link.code, link.stdout]).toEqual([0, expect.stringMatching(/\/setup#[\w-]{43}\n$/)])
  const body = {
    token: link.stdout.trim().split('#')[1],
    email: 'ada@example.com',
    name: 'Ada',
    password: 'plum-orbit-ticket-91',
  }
  const joined = await control(server, 'POST', '/v1/invitations/accept', body)
  expect(joined.body.member).toMatchObject({ email: 'ada@example.com', role: 'owner' })
  const more = await run(command, ['setup-link'], { ...environment, TOLLGATE_DATA: folder })
  expect([more.code, more.stdout]).toEqual([2, ''])
  await server.close()
  await app.provider.close()
  await database.drop()
})
