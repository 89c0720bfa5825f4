import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  command,
  control,
  eventually,
  makeApplication,
  startServer,
  verifies,
} from '../support/start-product.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-full-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** No file of the server can grow beyond this size. The size limit has the same effect as a full disk. */
const fileKiB = 400

test('if the disk is full, the server is not ready and logs the reason', async () => {
  const first = await startServer({ folder })
  const app = await makeApplication(first)
  const user = await app.newUser({ balanceMicros: 1_000_000_000n })
  await first.close()
  const child = spawn(
    'bash',
    ['-c', `ulimit -f ${fileKiB}; exec ${command} serve --json --port 0 --data ${folder}`],
    {
      env: { ...process.env, TOLLGATE_ALLOW_PRIVATE_PROVIDERS: 'true', TOLLGATE_WRITER: 'inline' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let stderr = ''
  child.stderr.on('data', (piece) => (stderr += String(piece)))
  const [line] = await once(createInterface(child.stdout), 'line')
  const { baseUrl } = JSON.parse(String(line))
  const port = new URL(baseUrl).port
  const server = { ...first, baseUrl: `http://127.0.0.1:${port}`, port: Number(port) }
  const again = await app.again(server)
  const ready = () => control(server, 'GET', '/readyz')
  expect((await ready()).status).toBe(200)

  // If the full disk rejects the settlement of a call, the call waits for space. The test does not wait for such a
  // call.
  const stopped = new AbortController()
  const load = Array.from({ length: 8 }, async () => {
    while (!stopped.signal.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await again.call(user, {}, { signal: stopped.signal }).catch(() => null)
      if (answer !== null) expect([200, 503], answer.text).toContain(answer.status)
    }
  })
  await eventually(async () => expect((await ready()).status).toBe(503), 60_000)
  stopped.abort()
  await Promise.all(load)
  const reached = app.provider.calls.length
  const refused = await again.call(user)
  expect([refused.status, refused.body.error.code]).toEqual([503, 'store_unavailable'])
  expect(app.provider.calls).toHaveLength(reached)
  const told = await ready()
  expect([told.status, told.body.status]).toEqual([503, 'not_ready'])
  expect((await control(server, 'GET', '/health')).status).toBe(200)
  expect(told.body.checks.store).toContain('it accepts no writes')
  const lines = stderr.split('\n').filter((text) => text.includes('the store accepts no writes'))
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 50 })

  child.kill('SIGKILL')
  await once(child, 'exit')
  const last = await startServer({ folder, token: first.token })
  const same = await app.again(last)
  expect((await same.call(user)).status).toBe(200)
  await last.close()
  await app.provider.close()
  await verifies(folder)
})
