/** Tests `serve --workers`, which runs several processes as one server. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { freePort } from '../support/free-port.ts'
import {
  command,
  control,
  eventually,
  makeApplication,
  run,
  spawnServer,
  startServer,
  verifies,
  type SpawnedServer,
} from '../support/start-product.ts'
import { readScrape, valueOf, type Scraped } from '../support/read-prometheus-text.ts'
import { hasPostgres, newDatabase, sql, type TestDatabase } from '../support/start-postgres.ts'

let folder: string
beforeEach(() => {
  folder = newDataFolder('workers')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function environmentOf(url: string): Record<string, string> {
  return { DATABASE_URL: url, TOLLGATE_DRAIN_SECONDS: '20', TOLLGATE_ALLOW_PRIVATE_PROVIDERS: 'true' }
}

test('the embedded store rejects several processes, with a clear error', async () => {
  const told = await run(command, ['serve', '--workers', '2', '--data', folder, '--port', '0'])
  expect(told.code).toBe(1)
  expect(told.stderr).toContain('The embedded store allows one writer process')
})

describe.runIf(hasPostgres)('on PostgreSQL', () => {
  let database: TestDatabase
  let server: SpawnedServer
  beforeEach(async () => {
    database = await newDatabase()
    server = await spawnServer(folder, {
      // The system never assigns this port, so no other program uses it before the first worker starts.
      args: ['--workers', '2', '--port', String(await freePort())],
      environment: environmentOf(database.url),
    })
  })
  afterEach(async () => {
    if (server.child.exitCode === null) server.child.kill('SIGKILL')
    await server.ended
    await database.drop()
  })

  const workers = (): number[] =>
    execFileSync('ps', ['--no-headers', '-o', 'pid', '--ppid', String(server.child.pid)], {
      encoding: 'utf8',
    })
      .trim()
      .split(/\s+/)
      .map(Number)

  test('any worker serves a new application on the application’s own port', async () => {
    expect(workers().length).toBe(2)
    const app = await makeApplication(server)
    const user = await app.newUser({ balanceMicros: 1_000_000_000n })
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => app.call(user, {}, { headers: { connection: 'close' } })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from(answers, () => 200))
    await app.provider.close()
    await verifies(folder, database.url)
  })

  test('a scrape of any process returns the metrics of all processes, and no sum decreases when a process is replaced', async () => {
    const app = await makeApplication(server)
    const user = await app.newUser({ balanceMicros: 1_000_000_000n })
    const settled = { application: app.slug, outcome: 'settled' }
    const calls = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        // oxlint-disable-next-line no-await-in-loop -- each on a connection that any worker may take
        const answer = await app.call(user, {}, { headers: { connection: 'close' } })
        expect(answer.status).toBe(200)
      }
    }
    const scrape = async (): Promise<Scraped> =>
      readScrape((await control(server, 'GET', '/metrics', undefined, { connection: 'close' })).text)
    await calls(12)
    for (let i = 0; i < 6; i++) {
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(valueOf(await scrape(), 'tollgate_calls_total', settled)).toBe(12)
    }
    const { body: readiness } = await control(server, 'GET', '/readyz')
    expect(readiness.checks).toEqual({ server: 'ok', store: 'ok', migrations: 'ok', clock: 'ok' })
    // These metrics describe the store, not a worker.
    expect((await scrape()).samples.filter(({ name }) => name === 'tollgate_holds_open')).toHaveLength(1)
    const before = workers()
    server.child.kill('SIGHUP')
    while (workers().some((pid) => before.includes(pid)) || workers().length !== 2) await delay(20)
    const seen = await scrape()
    expect(valueOf(seen, 'tollgate_calls_total', settled)).toBe(12)
    expect(valueOf(seen, 'tollgate_call_duration_seconds_count', { wire: 'chat' })).toBe(12)
    expect(valueOf(seen, 'tollgate_calls_in_flight')).toBe(0)
    await calls(3)
    expect(valueOf(await scrape(), 'tollgate_calls_total', settled)).toBe(15)
    await app.provider.close()
  })

  test('a worker that dies is replaced, and the server continues', async () => {
    const app = await makeApplication(server)
    const user = await app.newUser({ balanceMicros: 1_000_000_000n })
    const [victim = 0, other] = workers()
    process.kill(victim, 'SIGKILL')
    for (let i = 0; i < 20; i++) {
      const answer = await app.call(user, {}, { headers: { connection: 'close' } }).catch(() => null)
      // The crash interrupts only the calls of the dead worker.
      if (answer !== null) expect(answer.status).toBe(200)
    }
    while (workers().length < 2) await delay(20)
    expect(workers()).toContain(other)
    expect(workers()).not.toContain(victim)
    expect(server.stderr()).toContain('worker exited unexpectedly')
    await app.provider.close()
  })

  test('if a new worker cannot start, no worker is replaced', async () => {
    const app = await makeApplication(server)
    const user = await app.newUser({ balanceMicros: 1_000_000_000n })
    const before = workers()
    // According to the database, a newer program version has written the data.
    await sql(
      database.url,
      'UPDATE schema_versions SET version = version + 1 WHERE version = (SELECT max(version) FROM schema_versions)',
    )
    server.child.kill('SIGHUP')
    while (!server.stderr().includes('written by a newer Tollgate')) await delay(20)
    await eventually(async () => expect(workers()).toEqual(before))
    expect((await app.call(user)).status).toBe(200)
    await sql(
      database.url,
      'UPDATE schema_versions SET version = version - 1 WHERE version = (SELECT max(version) FROM schema_versions)',
    )
    await app.provider.close()
  })

  test('SIGHUP replaces all workers, SIGTERM ends all workers, and neither signal cuts a stream', async () => {
    const app = await makeApplication(server, {
      script: () => ({ chunks: 40, chunkDelayMs: 50 }),
    })
    const user = await app.newUser({ balanceMicros: 1_000_000_000n })
    const before = workers()
    const stream = (): Promise<boolean> =>
      app
        .call(user, { stream: true }, { headers: { connection: 'close' } })
        .then(({ text }) => text.endsWith('data: [DONE]\n\n'))
    const streams = Array.from({ length: 6 }, stream)
    while (app.provider.calls.length < 6) await delay(10)
    server.child.kill('SIGHUP')
    while (workers().some((pid) => before.includes(pid)) || workers().length !== 2) await delay(20)
    expect(await Promise.all(streams)).toEqual(Array.from(streams, () => true))

    const last = Array.from({ length: 4 }, stream)
    while (app.provider.calls.length < 10) await delay(10)
    const ended = once(server.child, 'exit')
    server.child.kill('SIGTERM')
    expect(await Promise.all(last)).toEqual(Array.from(last, () => true))
    expect((await ended)[0]).toBe(0)
    await app.provider.close()
    await verifies(folder, database.url)
  })

  test('if SIGTERM arrives while SIGHUP replaces a worker, no further worker starts', async () => {
    const app = await makeApplication(server, { script: () => ({ hang: 'mid' }) })
    const user = await app.newUser({ balanceMicros: 1_000_000_000n })
    const [first = 0, second = 0] = workers()
    // A stopped process accepts no connection, so the second worker serves the stream.
    process.kill(first, 'SIGSTOP')
    const stream = app.call(user, { stream: true }, { headers: { connection: 'close' } })
    while (app.provider.calls.length < 1) await delay(10)
    process.kill(first, 'SIGCONT')
    server.child.kill('SIGHUP')
    while (workers().length < 3) await delay(10)
    server.child.kill('SIGTERM')
    while (workers().length > 1) await delay(10)
    // The supervisor would start a worker after a tenth of a second.
    await delay(1_000)
    expect(workers()).toEqual([second])
    app.provider.release()
    expect((await stream).text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await server.ended).toBe(0)
    await app.provider.close()
    await verifies(folder, database.url)
  })

  test('a terminal that closes sends SIGHUP to all processes, and no stream is cut', async () => {
    const app = await makeApplication(server, { script: () => ({ chunks: 40, chunkDelayMs: 50 }) })
    const user = await app.newUser({ balanceMicros: 1_000_000_000n })
    const before = workers()
    const streams = Array.from({ length: 6 }, () =>
      app.call(user, { stream: true }, { headers: { connection: 'close' } }).catch(() => null),
    )
    while (app.provider.calls.length < 6) await delay(10)
    for (const pid of [server.child.pid ?? 0, ...before]) process.kill(pid, 'SIGHUP')
    const ends = await Promise.all(streams)
    expect(ends.map((answer) => answer?.text.endsWith('data: [DONE]\n\n'))).toEqual(streams.map(() => true))
    while (workers().some((pid) => before.includes(pid)) || workers().length !== 2) await delay(20)
    await app.provider.close()
  })

  test('workers that start at the same time warm up, each with its own temporary server', async () => {
    server.child.kill('SIGTERM')
    await server.ended
    server = await spawnServer(folder, {
      args: ['--workers', '4', '--port', String(await freePort())],
      environment: { ...environmentOf(database.url), TOLLGATE_WARM_UP: 'true' },
      token: server.token,
    })
    expect(workers()).toHaveLength(4)
    expect(server.stderr()).not.toContain('the warm-up failed')
  })

  test('SIGTERM cuts no stream while further workers start', async () => {
    const app = await makeApplication(server, { script: () => ({ hang: 'mid' }) })
    const user = await app.newUser({ balanceMicros: 1_000_000_000n })
    server.child.kill('SIGTERM')
    await server.ended
    const args = ['serve', '--data', folder, '--workers', '2', '--port', String(server.port)]
    const again = spawn(command, args, {
      env: { ...process.env, ...environmentOf(database.url) },
      stdio: 'ignore',
    })
    const ended = once(again, 'exit')
    const stream = async (): Promise<string> => {
      for (;;) {
        // oxlint-disable-next-line no-await-in-loop -- until the first worker listens
        const answer = await app.call(user, { stream: true }).catch(() => null)
        if (answer !== null) return answer.text
        // oxlint-disable-next-line no-await-in-loop -- as above
        await delay(10)
      }
    }
    const text = stream()
    while (app.provider.calls.length < 1) await delay(10)
    again.kill('SIGTERM')
    await delay(1_000)
    app.provider.release()
    expect((await text).endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await ended).toEqual([0, null])
    await app.provider.close()
    await verifies(folder, database.url)
  })

  test('a process on another port recognizes the host of an application that another process has created', async () => {
    const options = { folder, databaseUrl: database.url, token: server.token }
    const other = await startServer(options)
    const app = await makeApplication(server)
    const user = await app.newUser({ balanceMicros: 1_000_000_000n })
    const asked = await askWithHost(other.port, `${app.gatewayHost}:1`, user.key)
    expect(asked).toBe(200)
    expect(await askWithHost(other.port, 'nobody.gateway.localhost', user.key)).toBe(421)
    await app.provider.close()
    await other.close()
  })
})

async function askWithHost(port: number, host: string, key: string): Promise<number | undefined> {
  const asking = request({
    port,
    host: '127.0.0.1',
    path: '/v1/models',
    headers: { host, authorization: `Bearer ${key}` },
  }).end()
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}
