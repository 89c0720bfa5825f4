/**
 * Kills servers with -9 one after another, on each engine. After a kill, the next start (SQLite) or another process
 * (PostgreSQL, Citus) continues the work. A simulated vendor outside of the killed processes generates the answers.
 */
import { rmSync } from 'node:fs'
import { hasCitus, startCitus } from './start-citus-cluster.ts'
import { newDataFolder } from './data-folder.ts'
import {
  connectAccount,
  makeApplication,
  spawnServer,
  verifies,
  type Application,
  type SpawnedServer,
  type User,
} from './start-product.ts'
import { hasPostgres, type TestDatabase } from './start-postgres.ts'
import { migratedDatabase } from './reused-databases.ts'
import { startVendor, type Vendor, type VendorHooks, type VendorKind } from './simulated-vendor.ts'

/** End users call the model as `acme/<kind>`. Every token costs one micro. */
export interface KilledWith {
  readonly kind: Exclude<VendorKind, 'google'>
  readonly model: string
  readonly credit: bigint
  /** In micros. Omit for models that run no code. */
  readonly codeSession?: bigint
  readonly vendor?: VendorHooks
}

const price = { input: '1000000', cacheWrite: '1000000', cacheWriteLong: '1000000', output: '1000000' }

export interface KilledServers {
  readonly vendor: Vendor
  readonly user: User
  app: Application
  server: SpawnedServer
  /** Null for SQLite. */
  readonly databaseUrl: string | null
  /** Kills the server that received the last requests, and lets another server continue. */
  readonly kill: () => Promise<void>
  readonly end: () => Promise<void>
}

const children: SpawnedServer['child'][] = []

async function spawned(...options: Parameters<typeof spawnServer>): Promise<SpawnedServer> {
  const server = await spawnServer(...options)
  children.push(server.child)
  return server
}

/** Call this after each test, because a failed test would leave its processes running. */
export function killAll(): void {
  for (const child of children.splice(0)) child.kill('SIGKILL')
}

async function begin(
  first: SpawnedServer,
  folder: string,
  { codeSession, credit, kind, model, vendor: hooks }: KilledWith,
) {
  const vendor = await startVendor(hooks)
  const app = await makeApplication(first)
  const account = {
    kind,
    baseUrl: vendor.baseUrls[kind],
    apiKey: vendor.apiKey,
    price: { ...price, ...(codeSession !== undefined && { codeSession: String(codeSession) }) },
  }
  await connectAccount(app, kind, { ...account, model })
  const user = await app.newUser({ balanceMicros: credit })
  const close = async (databaseUrl?: string): Promise<void> => {
    await app.provider.close()
    await vendor.close()
    await verifies(folder, databaseUrl)
    rmSync(folder, { recursive: true })
  }
  return { vendor, app, user, close }
}

async function onSqlite(made: KilledWith): Promise<KilledServers> {
  const folder = newDataFolder('killed')
  const first = await spawned(folder)
  const { close, ...begun } = await begin(first, folder, made)
  const servers: KilledServers = {
    ...begun,
    server: first,
    databaseUrl: null,
    async kill() {
      servers.server.child.kill('SIGKILL')
      await servers.server.ended
      servers.server = await spawned(folder, { token: first.token })
      servers.app = await begun.app.again(servers.server)
    },
    async end() {
      servers.server.child.kill('SIGTERM')
      await servers.server.ended
      await close()
    },
  }
  return servers
}

async function onPostgres(made: KilledWith, database: TestDatabase): Promise<KilledServers> {
  const folder = newDataFolder('killed')
  const environment = { DATABASE_URL: database.url }
  const first = await spawned(folder, { environment })
  const { close, ...begun } = await begin(first, folder, made)
  const next = (): Promise<SpawnedServer> => spawned(folder, { environment, token: first.token })
  let standby = await next()
  const servers: KilledServers = {
    ...begun,
    server: first,
    databaseUrl: database.url,
    async kill() {
      servers.server.child.kill('SIGKILL')
      await servers.server.ended
      servers.server = standby
      servers.app = await begun.app.again(standby)
      standby = await next()
    },
    async end() {
      for (const { child, ended } of [servers.server, standby]) {
        child.kill('SIGTERM')
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await ended
      }
      await close(database.url)
      await database.drop()
    },
  }
  return servers
}

async function onCitus(): Promise<TestDatabase> {
  const citus = await startCitus()
  return { url: citus.url, drop: () => citus.end() }
}

export const killedEngines = [
  { name: 'SQLite', start: onSqlite },
  ...(hasPostgres
    ? [{ name: 'PostgreSQL', start: async (made: KilledWith) => onPostgres(made, await migratedDatabase()) }]
    : []),
  ...(hasCitus
    ? [{ name: 'Citus', start: async (made: KilledWith) => onPostgres(made, await onCitus()) }]
    : []),
]
