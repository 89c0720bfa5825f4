/** For an organization whose only owner has lost their passkeys. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SoftAuthenticator } from '../support/passkey-authenticator.ts'
import {
  command,
  control,
  makeApplication,
  run,
  startServer,
  type LocalServer,
} from '../support/start-product.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'

const email = 'ada@example.com'
const password = 'correct horse battery'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-passkeys-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function ownerWithPasskey(server: LocalServer): Promise<void> {
  const send = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(server.baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const token = new URL(server.setupUrl).hash.slice(1)
  const joined = await send('/v1/invitations/accept', { token, email, name: 'Ada', password })
  const { csrfToken } = (await joined.json()) as { csrfToken: string }
  const session = {
    cookie: joined.headers.get('set-cookie')?.split(';')[0] ?? '',
    'x-csrf-token': csrfToken,
    'sec-fetch-site': 'same-origin',
  }
  const started = await send('/v1/passkeys/challenge', {}, session)
  const { challenge } = (await started.json()) as { challenge: string }
  const { origin } = new URL(server.setupUrl)
  const credential = new SoftAuthenticator().make({ challenge, origin })
  const added = await send('/v1/passkeys', { name: 'Laptop', credential }, session)
  expect(added.status, await added.text()).toBe(200)
}

const signIn = async (server: LocalServer) => {
  const { body, status } = await control(server, 'POST', '/v1/sessions', { email, password })
  return [status, body.error?.code]
}

test('after remove-passkeys, a password is sufficient again, on the embedded store with a running server', async () => {
  const server = await startServer({ folder })
  await ownerWithPasskey(server)
  expect(await signIn(server)).toEqual([403, 'passkey_required'])
  const nobody = await run(command, ['remove-passkeys', 'bob@example.com', '--data', folder])
  expect([nobody.code, nobody.stdout]).toEqual([2, ''])
  expect(nobody.stderr).toContain('bob@example.com is not a member of')
  const told = await run(command, ['remove-passkeys', 'Ada@Example.com', '--data', folder])
  expect([told.code, told.stdout], told.stderr).toEqual([0, 'Removed 1 passkey of Ada@Example.com.\n'])
  expect(await signIn(server)).toEqual([200, undefined])
  await server.close()
})

test.runIf(hasPostgres)('on PostgreSQL, remove-passkeys also requires the master key', async () => {
  const database = await migratedDatabase()
  const server = await startServer({ databaseUrl: database.url, folder })
  // The application has an account with an encrypted credential, so the command requires the master key.
  const app = await makeApplication(server)
  await ownerWithPasskey(server)
  const environment = { DATABASE_URL: database.url }
  const stranger = await run(command, ['remove-passkeys', email], {
    ...environment,
    TOLLGATE_DATA: join(folder, 'none'),
  })
  expect([stranger.code, stranger.stdout]).toEqual([2, ''])
  expect(stranger.stderr).toContain('master key')
  expect(await signIn(server)).toEqual([403, 'passkey_required'])
  const told = await run(command, ['remove-passkeys', email], { ...environment, TOLLGATE_DATA: folder })
  expect(told.code, told.stderr).toBe(0)
  expect(await signIn(server)).toEqual([200, undefined])
  await server.close()
  await app.provider.close()
  await database.drop()
})
