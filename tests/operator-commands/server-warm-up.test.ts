/** The server warms up before it accepts requests, and the warm-up leaves no data. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { warmingUp } from '#cli/warm-up/compile-hot-path.ts'
import { newDataFolder } from '../support/data-folder.ts'
import {
  command,
  control,
  eventually,
  spawnServer,
  verifies,
  type SpawnedServer,
} from '../support/start-product.ts'
import { hasPostgres, newDatabase } from '../support/start-postgres.ts'
import { isLong } from '../support/reduced-suite.ts'

let folder: string
let temporary: string
let data: string
beforeEach(() => {
  folder = newDataFolder('warm-up')
  temporary = join(folder, 'temporary')
  data = join(folder, 'data')
  mkdirSync(temporary)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const environment = (warmUp: 'true' | 'false', tmpdir = temporary): Record<string, string> => ({
  TOLLGATE_WARM_UP: warmUp,
  TMPDIR: tmpdir,
})

const countsCalls = /^tollgate_(?:attempts|calls?|ledger_commit_operations|tokens)_/

/** A log message may arrive after the response to the next request. */
const messagesOf = (server: SpawnedServer): readonly string[] =>
  server
    .stderr()
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly msg: string }).msg)

async function stopped(server: SpawnedServer): Promise<void> {
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
}

it('the warm-up leaves no record, application, metric or file, and no log line of a request', async () => {
  const seen: { messages: readonly string[]; counts: unknown; files: readonly string[] }[] = []
  for (const warmUp of ['true', 'false'] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one server after the other
    const server = await spawnServer(join(data, warmUp), { environment: environment(warmUp) })
    expect(readdirSync(temporary)).toEqual([])
    // oxlint-disable-next-line no-await-in-loop -- see above
    const [applications, metrics] = await Promise.all(
      ['/v1/apps', '/metrics'].map(async (path) => control(server, 'GET', path)),
    )
    expect(applications).toMatchObject({ status: 200, body: { data: [] } })
    expect(metrics?.status).toBe(200)
    const counts = metrics?.text.split('\n').filter((line) => countsCalls.test(line))
    // oxlint-disable-next-line no-await-in-loop -- see above
    await eventually(async () => expect(messagesOf(server)).toContain('serving'))
    seen.push({ counts, messages: messagesOf(server), files: readdirSync(join(data, warmUp)).toSorted() })
    // oxlint-disable-next-line no-await-in-loop -- see above
    await stopped(server)
    // oxlint-disable-next-line no-await-in-loop -- see above
    await verifies(join(data, warmUp))
  }
  expect(seen[0]).toEqual({ ...seen[1], messages: [warmingUp, ...(seen[1]?.messages ?? [])] })
})

it('a signal during the warm-up ends the process, and the files of the warm-up are deleted', async () => {
  const child = spawn(command, ['serve', '--data', data, '--port', '0', '--json'], {
    env: { ...process.env, ...environment('true') },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  // oxlint-disable-next-line no-await-in-loop -- until its store is open
  while (!readdirSync(temporary, { recursive: true }).some((name) => String(name).endsWith('tollgate.db')))
    await wait(5)
  child.kill('SIGTERM')
  expect((await ended)[0]).toBe(130)
  expect(readdirSync(temporary)).toEqual([])
})

// In `npm test`, tests/store/postgres-batch-warm-up.test.ts covers the rehearsal on PostgreSQL.
it.runIf(hasPostgres && isLong)(
  'with PostgreSQL, the server also rehearses batches, and serves requests',
  async () => {
    const database = await newDatabase()
    const server = await spawnServer(data, {
      environment: { ...environment('true'), DATABASE_URL: database.url },
    })
    expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200)
    await eventually(async () => expect(messagesOf(server)).toEqual([warmingUp, 'serving']))
    await stopped(server)
    await database.drop()
  },
)

it('if the warm-up fails, the server logs the failure and serves requests', async () => {
  const server = await spawnServer(data, { environment: environment('true', join(folder, 'missing')) })
  expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200)
  const failed = 'the warm-up failed; the first requests will take longer'
  await eventually(async () => expect(messagesOf(server)).toEqual([warmingUp, failed, 'serving']))
  await stopped(server)
})
