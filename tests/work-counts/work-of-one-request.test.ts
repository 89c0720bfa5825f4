/** Compares the counts with the limits in docs/reference/call-counts.md. The counts are the same on every machine. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { spawnServer, type SpawnedServer } from '../support/start-product.ts'
import { hasPostgres, newDatabase } from '../support/start-postgres.ts'
import { sampleOfCases } from '../support/reduced-suite.ts'
import type { Counts } from './count-work-of-process.ts'
import { limitsOf } from './read-documented-limits.ts'
import { pagesInLog } from './count-write-ahead-log-pages.ts'
import { kinds, openScenarios, type Kind } from './kinds-of-counted-requests.ts'

/**
 * Before the first count, connections and prepared statements must be in use. The count of bytes needs more requests,
 * because the engine allocates memory for each function until the function has run often.
 */
const warmUpOf = { objects: 30, bytes: 400 } as const
const timeoutMs = 600_000
/** Reading the counts also allocates memory. A longer window makes this memory matter less in the count of bytes. */
const requestsOf = { objects: 20, bytes: 200 } as const
/**
 * Other work of the server, such as sweeps and checkpoints, increases the counts of some windows. The lowest count of
 * all windows is compared with the limit. On a busy machine, a window takes longer and contains more of the server's
 * other work. Further windows are measured while a count is above its limit.
 */
const windowsMin = 2
const windowsMax = 30

type Counted = Counts & { readonly pages: number }

interface Row {
  readonly name: string
  readonly of: (counts: Counted) => number
  /** Selects the counters that count-work-of-process.ts loads into the server. */
  readonly hooks: 'objects' | 'bytes'
  /** If true, the count must equal its limit. A limit above the count would hide a later increase. */
  readonly isExact: boolean
  /** Timers start most background work on PostgreSQL, so only the ledger's statements are counted. */
  readonly stores: readonly string[]
}

const exact = { hooks: 'objects', isExact: true } as const
const onBoth = { ...exact, stores: ['SQLite', 'PostgreSQL'] } as const
const inBytes = { hooks: 'bytes', isExact: false, stores: ['SQLite'] } as const
const rows: readonly Row[] = [
  { name: 'SQL statements', of: ({ statements }) => Math.round(statements), ...onBoth },
  { name: 'Rows changed', of: (counts) => Math.round(counts.rows), ...onBoth },
  { name: 'Commits', of: ({ commits }) => Math.round(commits), ...onBoth },
  {
    name: 'Round trips',
    of: ({ roundTrips }) => Math.round(roundTrips),
    ...exact,
    stores: ['PostgreSQL'],
  },
  { name: 'Promises', of: ({ promises }) => Math.round(promises), ...exact, stores: ['SQLite'] },
  { name: 'Timers', of: ({ timers }) => Math.round(timers), ...exact, stores: ['SQLite'] },
  { name: 'Pages written', of: ({ pages }) => Math.ceil(pages), ...inBytes },
  { name: 'System calls that read or write', of: ({ systemCalls }) => Math.ceil(systemCalls), ...inBytes },
  { name: 'KiB written', of: ({ writtenBytes }) => Math.ceil(writtenBytes / 1024), ...inBytes },
  { name: 'KiB allocated', of: ({ allocatedBytes }) => Math.ceil(allocatedBytes / 1024), ...inBytes },
]

describe('a request does no more work than its limit', () => {
  it.each(sampleOfCases(['objects', 'bytes'] as const, 2))(
    'a request does no more work than its limit on SQLite, counted by %s',
    (hooks) => expectLimits('SQLite', hooks),
    timeoutMs,
  )
  it.skipIf(!hasPostgres)(
    'a request does no more work than its limit on PostgreSQL',
    () => expectLimits('PostgreSQL', 'objects'),
    timeoutMs,
  )
})

async function expectLimits(store: string, hooks: Row['hooks']): Promise<void> {
  const limits = limitsOf(store, kinds)
  const own = rows.filter((row) => row.hooks === hooks && row.stores.includes(store))
  const comparedWith = (kind: Kind, windows: readonly Counted[]) =>
    own.map(({ isExact, name, of }) => {
      const counted = Math.min(...windows.map(of))
      return { name, kind, isExact, counted, limit: limits.get(name)?.[kinds.indexOf(kind)] ?? NaN }
    })
  const isAbove = (kind: Kind, windows: readonly Counted[]): boolean =>
    comparedWith(kind, windows).some(({ counted, limit }) => counted > limit)
  const counts = await countsOf(store, hooks, isAbove)
  const table = kinds.flatMap((kind) => comparedWith(kind, counts.get(kind) ?? []))
  console.info(
    table.map(({ counted, kind, limit, name }) => `${name}, ${kind}: ${counted} of ${limit}`).join('\n'),
  )
  expect(
    table.filter(({ counted, isExact, limit }) => !(isExact ? counted === limit : counted <= limit)),
  ).toEqual([])
}

/** Each entry belongs to one window. */
async function countsOf(
  store: string,
  hooks: Row['hooks'],
  isAbove: (kind: Kind, windows: readonly Counted[]) => boolean,
): Promise<Map<Kind, Counted[]>> {
  const database = store === 'SQLite' ? null : await newDatabase()
  const folder = newDataFolder('cost')
  const socket = join(folder, 'counts.sock')
  const server = await spawnServer(folder, {
    environment: {
      NODE_OPTIONS: `--import ${join(import.meta.dirname, 'count-work-of-process.ts')}`,
      COUNTS_SOCKET: socket,
      COUNTS_OF: hooks,
      ...(database && { DATABASE_URL: database.url }),
    },
  })
  const scenarios = await openScenarios(server)
  const counts = new Map<Kind, Counted[]>()
  for (const kind of kinds) {
    await scenarios.send(kind, warmUpOf[hooks])
    const ofWindows: Counted[] = []
    while (ofWindows.length < windowsMin || (ofWindows.length < windowsMax && isAbove(kind, ofWindows))) {
      const before = await read(socket, server, database === null)
      await scenarios.send(kind, requestsOf[hooks])
      const window = difference(await read(socket, server, database === null), before, requestsOf[hooks])
      // A checkpoint restarts the write-ahead log, so the pages of this window cannot be counted.
      if (window.pages >= 0) ofWindows.push(window)
    }
    counts.set(kind, ofWindows)
  }
  await scenarios.close()
  server.child.kill('SIGTERM')
  await server.ended
  await database?.drop()
  return counts
}

async function read(socket: string, { folder }: SpawnedServer, isSqlite: boolean): Promise<Counted> {
  const connection = connect(socket)
  await once(connection, 'connect')
  const counts = JSON.parse(await text(connection)) as Counts
  return { ...counts, pages: isSqlite ? pagesInLog(folder) : 0 }
}

function difference(after: Counted, before: Counted, requests: number): Counted {
  const ofOne = (name: keyof Counted): number => (after[name] - before[name]) / requests
  return {
    statements: ofOne('statements'),
    rows: ofOne('rows'),
    commits: ofOne('commits'),
    roundTrips: ofOne('roundTrips'),
    promises: ofOne('promises'),
    timers: ofOne('timers'),
    allocatedBytes: ofOne('allocatedBytes'),
    systemCalls: ofOne('systemCalls'),
    writtenBytes: ofOne('writtenBytes'),
    pages: ofOne('pages'),
  }
}
