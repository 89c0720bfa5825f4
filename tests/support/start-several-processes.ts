/**
 * Starts several processes on a separate PostgreSQL server or Citus cluster, each on its own port, like several
 * machines. Each call selects its process by the port.
 */
import { rmSync } from 'node:fs'
import { Client } from 'pg'
import { hasCitus, startCitus } from './start-citus-cluster.ts'
import { newDataFolder } from './data-folder.ts'
import { startFakeProvider, type FakeProvider, type Script } from './fake-provider.ts'
import {
  makeApplication,
  spawnServer,
  verifies,
  type Answer,
  type Application,
  type SpawnedServer,
  type User,
} from './start-product.ts'
import { postAt } from './send-post-to-process-port.ts'
import { sql, startPostgres, type PostgresServer } from './start-postgres.ts'

export interface Processes {
  readonly nodes: readonly PostgresServer[]
  nodeOf(endUserId: string): Promise<number>
  readonly databaseUrl: string
  readonly provider: FakeProvider
  /** The application through the control plane of the first process, until this process is killed. */
  readonly app: Application
  readonly servers: SpawnedServer[]
  call(
    place: number,
    user: Pick<User, 'key'>,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Answer>
  at(place: number): Promise<Application>
  /** Kills the process with the given position, and starts another process instead. */
  restart(place: number): Promise<void>
  /** Integers are returned as text. */
  rows(text: string): Promise<Record<string, unknown>[]>
  verify(): Promise<void>
  /** Stops all processes normally, and checks that the ledger adds up. */
  close(): Promise<void>
}

interface StartedDatabase extends Pick<Processes, 'nodes' | 'nodeOf'> {
  readonly url: string
  end(): Promise<void>
}

export interface ProcessesOptions {
  readonly count: number
  /** Defaults to PostgreSQL with one server. */
  readonly start?: () => Promise<StartedDatabase>
  readonly script?: Script
  readonly bundle?: object
}

const database = 'tollgate_processes'

async function startOnPostgres(): Promise<StartedDatabase> {
  const postgres = await startPostgres({ isDurable: true })
  await sql(postgres.url('postgres'), `CREATE DATABASE ${database}`)
  return {
    url: postgres.url(database),
    nodes: [postgres],
    nodeOf: () => Promise.resolve(0),
    end: () => postgres.end(),
  }
}

async function startOnCitus(): Promise<StartedDatabase> {
  return startCitus({ isDurable: true })
}

export const processDatabases = [
  { name: 'PostgreSQL', start: startOnPostgres },
  ...(hasCitus ? [{ name: 'Citus', start: startOnCitus }] : []),
]

export async function startProcesses({
  bundle,
  count,
  script,
  start = startOnPostgres,
}: ProcessesOptions): Promise<Processes> {
  const folder = newDataFolder('processes')
  const started = await start()
  const { nodeOf, nodes, url: databaseUrl } = started
  const environment = { DATABASE_URL: databaseUrl, TOLLGATE_DRAIN_SECONDS: '30', TOLLGATE_CONTROL_RATE: '0' }
  const provider = await startFakeProvider(script)
  const first = await spawnServer(folder, { environment })
  const spawnNext = (): Promise<SpawnedServer> => spawnServer(folder, { environment, token: first.token })
  const servers = [first]
  process.once('exit', () => {
    for (const { child } of servers) child.kill('SIGKILL')
  })
  // oxlint-disable-next-line no-await-in-loop -- two cores start them one after the other anyway
  while (servers.length < count) servers.push(await spawnNext())
  const app = await makeApplication(first, { provider, ...(bundle && { bundle }) })
  const serverAt = (place: number): SpawnedServer => {
    const server = servers[place % servers.length]
    if (server === undefined) throw new Error(`no process at place ${place}`)
    return server
  }
  return {
    nodes,
    nodeOf,
    databaseUrl,
    provider,
    app,
    servers,
    call: (place, { key }, body, headers = {}) =>
      postAt(serverAt(place).port, app.bodyOf(body), {
        // The port selects the process, and the host name, which does not resolve, selects the application.
        host: app.gatewayHost,
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...headers,
      }),
    at: (place) => app.again(serverAt(place)),
    async restart(place) {
      const old = serverAt(place)
      old.child.kill('SIGKILL')
      await old.ended
      servers[place % servers.length] = await spawnNext()
    },
    async rows(text) {
      const client = new Client({ connectionString: databaseUrl })
      await client.connect()
      try {
        return (await client.query<Record<string, unknown>>(text)).rows
      } finally {
        await client.end()
      }
    },
    verify: () => verifies(folder, databaseUrl),
    async close() {
      for (const { child } of servers) child.kill('SIGTERM')
      await Promise.all(servers.map(({ ended }) => ended))
      await provider.close()
      await started.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function sizeOf(name: string, usually: number): number {
  const given = process.env[name]
  return given === undefined ? usually : Number(given)
}
