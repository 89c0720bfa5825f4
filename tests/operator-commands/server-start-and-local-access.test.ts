import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newMasterKey } from '#domain/secrets/encrypt-stored-secrets.ts'
import { makeApplication, spawnServer, startServer } from '../support/start-product.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-start-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

test('threat 112: SIGUSR1 opens no inspector, and the server continues', async () => {
  const server = await spawnServer(folder)
  // Another process may already listen on the debugger port. The tested process must not begin to listen on it.
  const wasOpen = await isOpen(9229)
  server.child.kill('SIGUSR1')
  // The signal is delivered before the server responds.
  for (let i = 0; i < 20; i++) expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200)
  expect(server.stderr()).not.toContain('Debugger listening')
  if (!wasOpen) expect(await isOpen(9229)).toBe(false)
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
})

test('a data folder and a master key that others can read become private, and the log reports the change', async () => {
  const first = await startServer({ folder })
  await first.close()
  chmodSync(folder, 0o777)
  chmodSync(join(folder, 'master-key'), 0o644)
  const again = await startServer({ folder, token: first.token })
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const file of ['master-key', 'server.lock', 'tollgate.db']) {
    expect([file, statSync(join(folder, file)).mode & 0o777]).toEqual([file, 0o600])
  }
  const warnings = again.log.filter(({ level }) => level === 'warn').map(({ message }) => message)
  expect(warnings).toEqual([
    expect.stringContaining('other users could write to the data folder'),
    expect.stringContaining('other users could read the master key'),
  ])
  await again.close()
})

test('a wrong master key is rejected even if master-key.check is missing, and a lost key is replaced only on request', async () => {
  const first = await startServer({ folder })
  const app = await makeApplication(first)
  await first.close()
  await app.provider.close()
  unlinkSync(join(folder, 'master-key.check'))
  writeFileSync(join(folder, 'master-key'), newMasterKey(), { mode: 0o600 })
  const start = (environment = {}) => startServer({ folder, token: first.token, environment })
  await expect(start()).rejects.toThrow('The data was encrypted with another master key')
  unlinkSync(join(folder, 'master-key'))
  await expect(start()).rejects.toThrow('The master key')
  const lost = await start({ TOLLGATE_MASTER_KEY_LOST: 'true' })
  expect(lost.log).toContainEqual(
    expect.objectContaining({ level: 'warn', message: expect.stringContaining('enter them again') }),
  )
  await lost.close()
})
