/**
 * Tests provider accounts that resolve to the installation itself: through another process, another installation, or a
 * proxy that drops `CDN-Loop`. Each server runs in a separate process, so that its open files can be counted.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import {
  type Answer,
  type Application,
  command,
  connectAccount,
  control,
  eventually,
  makeApplication,
  spawnServer,
  type SpawnedServer,
  type User,
  verifies,
} from '../support/start-product.ts'
import { hasPostgres, type TestDatabase } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'
import { twoOrganizations } from '../support/create-two-organizations.ts'

const calls = 60
const filesMax = 480
/** Open files of a process that are not connections of the loop, such as database connections. */
const otherFiles = 60

describe.skipIf(!hasPostgres)('two processes on one PostgreSQL database', () => {
  let folder: string
  let database: TestDatabase
  let processes: readonly SpawnedServer[]
  /** Another installation, on the embedded store. */
  let other: SpawnedServer
  /** Each list has one application in each process. */
  let own: readonly Application[]
  let neighbor: readonly Application[]
  let there: Application
  let user: User
  let neighborUser: User
  let theirUser: User

  beforeAll(async () => {
    folder = newDataFolder('loops')
    database = await migratedDatabase()
    const [token = '', neighborToken = ''] = await twoOrganizations(`${folder}/one`, database.url)
    const environment = { DATABASE_URL: database.url, TOLLGATE_DRAIN_SECONDS: '15' }
    const serve = ['serve', '--data', `${folder}/one`, '--port', '0', '--json']
    const limited = `process.execve('/bin/sh', ['sh', '-c', 'ulimit -n ${filesMax} && exec "$0" "$@"', ...process.argv.slice(1)])`
    const start = (): Promise<SpawnedServer> =>
      spawnServer(`${folder}/one`, { environment, token, program: ['-e', limited, command, ...serve] })
    processes = [await start(), await start()]
    other = await spawnServer(`${folder}/other`)
    const [first, second] = processes
    if (first === undefined || second === undefined) throw new Error('two processes were not started')
    const app = await makeApplication(first)
    own = [app, await app.again(second)]
    const beside = await makeApplication({ ...first, token: neighborToken }, { provider: app.provider })
    neighbor = [beside, await beside.again({ ...second, token: neighborToken })]
    there = await makeApplication(other, { provider: app.provider })
    user = await app.newUser({ balanceMicros: 1_000_000_000n })
    neighborUser = await beside.newUser({ balanceMicros: 1_000_000n })
    theirUser = await there.newUser({ balanceMicros: 1_000_000_000n })
  })
  afterAll(async () => {
    for (const { child } of [...processes, other]) child.kill('SIGTERM')
    assert.deepEqual(await Promise.all([...processes, other].map(({ ended }) => ended)), [0, 0, 0])
    await own[0]?.provider.close()
    await verifies(`${folder}/one`, database.url)
    await verifies(`${folder}/other`)
    rmSync(folder, { recursive: true })
    await database.drop()
  })

  const at = (place: number): Application => own[place] ?? expect.fail()
  const processAt = (place: number): SpawnedServer => processes[place] ?? expect.fail()
  const account = { kind: 'openai_compatible', model: 'up', price: { input: '1', output: '1' } }
  const filesOf = ({ child }: SpawnedServer): number => readdirSync(`/proc/${child.pid}/fd`).length

  async function callAll(app: Application, model: string): Promise<Answer[]> {
    const all = Array.from({ length: calls }, async (_, n) => {
      const signal = n % 3 === 0 ? AbortSignal.timeout(20) : undefined
      const body = { model, max_tokens: 5, stream: n % 2 === 0 }
      return app.call(user, body, signal && { signal }).catch(() => null)
    })
    return (await Promise.all(all)).flatMap((answer) => answer ?? [])
  }

  async function endedRequests(of: User, model: string) {
    return eventually(async () => {
      const made = (await of.requests()).filter(({ requestedModel }) => requestedModel === model)
      expect(made.length).toBeGreaterThan(0)
      expect(made.filter(({ status }) => status === 'in_flight')).toEqual([])
      return made
    })
  }

  const attemptsOf = async (app: Application, { id }: { id: string }): Promise<{ status: number }[]> =>
    (await app.api('GET', `/v1/requests/${id}`)).attempts

  test('a request that comes back to another process of the same installation is rejected there', async () => {
    // Only the first process listens on this port, and no process recognizes the host name as its own.
    const baseUrl = `${at(0).gateway.replace('127.0.0.1', 'elsewhere.localhost')}/v1`
    await connectAccount(at(0), 'round', { ...account, apiKey: user.key, baseUrl })
    const answers = await callAll(at(1), 'acme/round')
    expect(answers.length).toBeGreaterThan(0)
    for (const { body, status } of answers) expect([status, body.error.code]).toEqual([502, 'upstream_error'])
    const made = await endedRequests(user, 'acme/round')
    expect(made.length).toBeLessThanOrEqual(calls)
    const answered = made.find(({ httpStatus }) => httpStatus === 502)
    expect(await attemptsOf(at(0), answered)).toMatchObject([{ status: 508 }])
  })

  test.each([0, 1])(
    'a request that comes back from another installation to process %i is rejected there',
    async (place) => {
      const [out, back] = [`out-${place}`, `back-${place}`]
      const outwards = { ...account, model: `acme/${back}`, apiKey: theirUser.key }
      await connectAccount(at(0), out, { ...outwards, baseUrl: `${there.gateway}/v1` })
      const backwards = { ...account, model: `acme/${out}`, apiKey: user.key }
      const baseUrl = `http://${at(0).gatewayHost}:${processAt(place).port}/v1`
      await connectAccount(there, back, { ...backwards, baseUrl })
      const all = [...processes, other]
      const before = all.map(filesOf)
      const most = all.map(() => 0)
      const watching = setInterval(() => {
        for (const [i, server] of all.entries()) most[i] = Math.max(most[i] ?? 0, filesOf(server))
      }, 20)
      const answers = await callAll(at(1), `acme/${out}`)
      for (const { body, status } of answers)
        expect([status, body.error.code]).toEqual([502, 'upstream_error'])
      const made = await endedRequests(user, `acme/${out}`)
      const theirs = await endedRequests(theirUser, `acme/${back}`)
      clearInterval(watching)
      // Each client request becomes at most one request at each installation.
      expect(made.length).toBeLessThanOrEqual(calls)
      expect(theirs.length).toBeLessThanOrEqual(calls)
      const answered = theirs.find(({ httpStatus }) => httpStatus === 502)
      expect(await attemptsOf(there, answered)).toMatchObject([{ status: 508 }])
      for (const [i, files] of most.entries()) {
        expect(files).toBeLessThanOrEqual((before[i] ?? 0) + 2 * calls + otherFiles)
      }
    },
  )

  test('a loop through a proxy that drops CDN-Loop uses at most its organization’s share of the open files', async () => {
    const { port } = processAt(1)
    const agent = new Agent({ keepAlive: true })
    const proxy = createServer((incoming, response) => {
      const { 'cdn-loop': _dropped, ...headers } = incoming.headers
      const onward = request({
        agent,
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: incoming.url,
        headers: { ...headers, host: at(0).gatewayHost },
      })
      onward.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      incoming.pipe(onward)
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/v1`
    await connectAccount(at(0), 'endless', { ...account, apiKey: user.key, model: 'acme/endless', baseUrl })
    const before = filesOf(processAt(1))
    const looping = at(1)
      .call(user, { model: 'acme/endless', max_tokens: 5 })
      .then(({ status }) => status)
    // The loop grows until the organization uses a quarter of the open files for provider connections.
    let last = 0
    let files = filesOf(processAt(1))
    while (files > last || files < before + 100) {
      last = files
      // oxlint-disable-next-line no-await-in-loop -- it has no event on this side
      await delay(1_000)
      files = filesOf(processAt(1))
    }
    expect(files).toBeLessThanOrEqual(before + 2 * (filesMax / 4) + otherFiles)
    for (const app of neighbor) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await app.call(neighborUser, { max_tokens: 5 })).status).toBe(200)
    }
    expect((await control(processAt(1), 'GET', '/health')).status).toBe(200)
    proxy.closeAllConnections()
    proxy.close()
    agent.destroy()
    expect(await looping).toBe(502)
    await endedRequests(user, 'acme/endless')
    expect((await user.balance()).reservedMicros).toBe(0n)
  })
})
