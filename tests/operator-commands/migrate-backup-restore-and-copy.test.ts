import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { backupStore, restoreStore } from '#app/store-maintenance.ts'
import { findMasterKey } from '#domain/secrets/master-key.ts'
import { foldCallHours } from '#store/call-sums-by-hour.ts'
import { connect, poolOf } from '#store/postgres/connection.ts'
import { PostgresDatabase } from '#store/postgres/database.ts'
import { copyToPostgres } from '#store/copy-to-postgres.ts'
import { migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { migrateSqlite } from '#store/sqlite/migrate.ts'
import { migratePostgres } from '#store/postgres/migrate.ts'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import { restoreSqlite } from '#store/sqlite/backup-and-restore.ts'
import { verifyPostgres } from '#store/postgres/verify.ts'
import { prunePostgres, pruneSqlite } from '#store/prune-uncharged-calls.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { seedPostgres, seedSqlite, sumSqlite } from '../../tools/seed/seed-store.ts'
import { assertSound } from '../store-conformance/engines.ts'
import { bundledCommand } from '../support/bundled-command.ts'
import {
  connectAccount,
  control,
  eventually,
  makeApplication,
  run,
  startServer,
  type Application,
} from '../support/start-product.ts'
import { copyOfFolder } from '../support/cached-folders.ts'
import { startVendor } from '../support/simulated-vendor.ts'
import { hasPostgres, newDatabase, sql, type TestDatabase } from '../support/start-postgres.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-keeping-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const tollgate = async (args: readonly string[], environment = {}) =>
  run(process.execPath, [await bundledCommand(), ...args], environment)

async function used(): Promise<string> {
  const data = join(folder, 'data')
  await copyOfFolder(data, 'used', async (made) => {
    const server = await startServer({ folder: made })
    const app = await makeApplication(server)
    await spend(app)
    await server.close()
    await app.provider.close()
    return null
  })
  return data
}

async function spend(app: Application): Promise<void> {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  for (let i = 0; i < 3; i++) expect((await app.call(user)).status).toBe(200)
  const poor = await app.newUser()
  expect((await app.call(poor)).status).toBe(402)
}

function modeOf(file: string): number {
  return statSync(file).mode & 0o777
}

function countIn(file: string, table: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database.prepare(`SELECT count(*) AS n FROM ${table}`).get()
  database.close()
  return Number(row?.n)
}

const migrations = migrationsFor('sqlite')
const versions = migrations.map(({ name, version }) => `  ${version} ${name}\n`).join('')

describe('migrate', () => {
  test('migrate --check lists the pending migrations and exits with 1, and migrate applies them once', async () => {
    const data = join(folder, 'new')
    const check = await tollgate(['migrate', '--check', '--data', data])
    expect(check).toMatchObject({ code: 1, stdout: `Pending migrations:\n${versions}` })
    expect(existsSync(data)).toBe(false)
    expect(await tollgate(['migrate', '--data', data])).toMatchObject({
      code: 0,
      stdout: `Applied migrations:\n${versions}`,
    })
    const again = await tollgate(['migrate', '--check', '--data', data])
    expect(again).toMatchObject({ code: 0, stdout: 'The store is up to date.\n' })
  })

  test.runIf(hasPostgres)('migrate works the same on PostgreSQL, with DATABASE_URL', async () => {
    const database = await newDatabase()
    const environment = { DATABASE_URL: database.url }
    expect(await tollgate(['migrate', '--check'], environment)).toMatchObject({ code: 1 })
    expect(await tollgate(['migrate'], environment)).toMatchObject({ code: 0 })
    expect(await tollgate(['migrate', '--check'], environment)).toMatchObject({ code: 0 })
    expect(await tollgate(['verify'], environment)).toMatchObject({ code: 0 })
    await sql(
      database.url,
      'UPDATE schema_versions SET version = version + 1 WHERE version = (SELECT max(version) FROM schema_versions)',
    )
    const newer = await tollgate(['migrate'], environment)
    expect(newer).toMatchObject({ code: 2 })
    expect(newer.stderr).toContain('written by a newer Tollgate')
    await database.drop()
  })

  test('a server whose start cannot migrate the store states the reason', async () => {
    const data = join(folder, 'data')
    mkdirSync(data)
    const connection = openConnection(sqlitePath(data), 'write')
    migrateSqlite(connection, migrations.slice(0, 22))
    connection.exec('ALTER TABLE files ADD COLUMN length_state TEXT')
    connection.close()
    const told = await tollgate(['serve', '--port', '0', '--data', data], { TOLLGATE_WARM_UP: 'false' })
    expect(told.code).toBe(1)
    expect(told.stderr).toContain('migrate the store to version 23')
    expect(told.stderr).toContain('duplicate column name')
  })

  test('migrate reports a missing database without its password', async () => {
    const told = await tollgate(['migrate'], { DATABASE_URL: 'postgres://someone:s3cret@127.0.0.1:1/none' })
    expect(told.code).toBe(2)
    expect(told.stderr).toMatch(/^tollgate migrate: .+\n$/)
    expect(told.stderr).not.toContain('s3cret')
  })
})

describe('a wrong folder, file or address', () => {
  const errorOf = async (args: readonly string[], environment = {}): Promise<string> => {
    const { code, stderr, stdout } = await tollgate(args, environment)
    expect([code, stdout]).toEqual([2, ''])
    return stderr
  }

  test('a command for an existing store reports that a folder contains no store, and creates none', async () => {
    const file = join(folder, 'kept.db')
    for (const args of [['verify'], ['backup', file], ['prune', '--requests-older-than', '30d'], ['token']]) {
      // oxlint-disable-next-line no-await-in-loop -- one process after the other
      const told = await errorOf([...args, '--data', folder])
      expect(told).toBe(`tollgate ${args[0]}: the folder ${folder} contains no store\n`)
    }
    expect(readdirSync(folder)).toEqual([])
  })

  test('a file that is not a store is named in the error', async () => {
    const path = join(folder, 'tollgate.db')
    writeFileSync(path, 'hello')
    expect(await errorOf(['verify', '--data', folder])).toBe(
      `tollgate verify: ${path} cannot be opened as a store: file is not a database\n`,
    )
    expect(await errorOf(['restore', folder, '--data', join(folder, 'new')])).toContain(
      `${folder} is not a file`,
    )
  })

  test('a backup to a folder that does not exist names the folder', async () => {
    const data = await used()
    const file = join(folder, 'none', 'kept.db')
    expect(await errorOf(['backup', file, '--data', data])).toBe(
      `tollgate backup: the folder ${join(folder, 'none')} does not exist\n`,
    )
  })

  test('the address of another kind of database, or with an unescaped password, is rejected', async () => {
    for (const url of ['mysql://someone@db/tollgate', 'postgres://someone:p@s#word@db/tollgate']) {
      // oxlint-disable-next-line no-await-in-loop -- one process after the other
      expect(await errorOf(['verify'], { DATABASE_URL: url })).toContain(
        'DATABASE_URL: must be postgres://user:password@host:port/database. Write characters such as @',
      )
    }
  })

  test('an error of the connection names PostgreSQL and the setting', async () => {
    expect(await errorOf(['verify'], { DATABASE_URL: 'postgres://someone@127.0.0.1:1/none' })).toBe(
      'tollgate verify: The connection to PostgreSQL failed (connect ECONNREFUSED 127.0.0.1:1). Check the address of the database (DATABASE_URL), and that the database is running\n',
    )
  })
})

/** The message may be in the error or in its cause. */
const sentence = (part: string) =>
  expect.toSatisfy((cause: Error) => `${cause.message} ${String(cause.cause)}`.includes(part), part)

describe('backup and restore', () => {
  test('a backup is taken while the store is served, and restoring it restores its data', async () => {
    const data = join(folder, 'data')
    const server = await startServer({ folder: data })
    const app = await makeApplication(server)
    await spend(app)
    const file = join(folder, 'kept.db')
    expect((await control(server, 'PUT', '/v1/team/eve@example.com', { role: 'viewer' })).status).toBe(200)
    expect((await control(server, 'POST', '/v1/device-auth', {})).status).toBe(200)
    const done = new AbortController()
    const user = await app.newUser({ balanceMicros: 1_000_000_000n })
    const load = (async () => {
      while (!done.signal.aborted) expect((await app.call(user)).status).toBe(200)
    })()
    const told = await tollgate(['backup', file, '--data', data])
    done.abort()
    await load
    expect(told).toMatchObject({ code: 0, stderr: '' })
    expect(told.stdout).toContain('All checks passed.')
    expect(told.stdout).toContain('does NOT contain the master key')
    expect(readdirSync(folder).toSorted()).toEqual(['data', 'kept.db'])
    expect(countIn(file, 'device_sign_ins')).toBe(1)
    expect(countIn(file, 'members WHERE invite_hash IS NOT NULL')).toBe(1)
    const calls = countIn(file, 'usage_records')
    expect(calls).toBeGreaterThanOrEqual(3)

    const inUse = await tollgate(['restore', file, '--data', data, '--replace'])
    expect(inUse.code).toBe(2)
    expect(inUse.stderr).toContain('Another Tollgate server is using the data folder')
    expect((await app.call(user)).status).toBe(200)
    await server.close()
    await app.provider.close()

    const elsewhere = join(folder, 'elsewhere')
    const keyless = await tollgate(['restore', file, '--data', elsewhere])
    expect(keyless.code).toBe(2)
    expect(keyless.stderr).toContain('cannot be checked without the master key')
    const masterKey = readFileSync(join(data, 'master-key'), 'utf8')
    const restored = await tollgate(['restore', file, '--data', elsewhere], {
      TOLLGATE_MASTER_KEY: masterKey,
    })
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(countIn(join(elsewhere, 'tollgate.db'), 'usage_records')).toBe(calls)
    assertSound(await verifySqlite(sqlitePath(elsewhere)))

    const refused = await tollgate(['restore', file, '--data', data])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('Add --replace')
    const replaced = await tollgate(['restore', file, '--data', data, '--replace'])
    expect(replaced).toMatchObject({ code: 0 })
    expect(countIn(join(data, 'tollgate.db'), 'usage_records')).toBe(calls)
    const [aside] = readdirSync(data).filter((name) => /^tollgate-before-restore-.*\.db$/.test(name))
    expect(countIn(join(data, aside ?? ''), 'usage_records')).toBeGreaterThan(calls)

    // Sessions and invitations from the time of the backup are no longer valid, and the first owner's link is deleted.
    for (const table of [
      'member_sessions',
      'portal_sessions',
      'portal_links',
      'setup_links',
      'device_sign_ins',
    ]) {
      expect([table, countIn(join(data, 'tollgate.db'), table)]).toEqual([table, 0])
    }
    expect(countIn(join(data, 'tollgate.db'), 'members WHERE invite_hash IS NOT NULL')).toBe(0)
    expect(replaced.stdout).toContain('Everyone is signed out')
    const again = await startServer({ folder: data, token: server.token })
    const sameApp = await app.again(again)
    expect(await sameApp.person(user).requests()).toBeDefined()
    await again.close()
  })

  test('a store whose tables were created with other comments can be verified, backed up and restored', async () => {
    const data = join(folder, 'data')
    mkdirSync(data)
    const connection = openConnection(sqlitePath(data), 'write')
    const earlier = migrations.map(({ sql: text, ...rest }) => ({
      ...rest,
      sql: text.replaceAll('-- ', '-- In an earlier version: '),
    }))
    migrateSqlite(connection, earlier)
    connection.close()
    const server = await startServer({ folder: data })
    await server.close()
    const file = join(folder, 'kept.db')
    expect(await tollgate(['backup', file, '--data', data])).toMatchObject({ code: 0, stderr: '' })
    const told = await tollgate(['restore', file, '--data', data, '--replace'])
    expect(told).toMatchObject({ code: 0, stderr: '' })
    assertSound(await verifySqlite(sqlitePath(data)))
  })

  test('only the owner can read the file of a backup, even while it is written', async () => {
    const data = await used()
    const file = join(folder, 'kept.db')
    const done = backupStore(data, file, null)
    while (!existsSync(`${file}.partial`)) {
      // oxlint-disable-next-line no-await-in-loop -- until the backup begins
      await nextTurn()
    }
    expect(modeOf(`${file}.partial`)).toBe(0o600)
    await done
    expect(modeOf(file)).toBe(0o600)
  })

  test('a backup that fails during the copy leaves no file', async () => {
    const data = await used()
    rmSync(`${sqlitePath(data)}-wal`, { force: true })
    writeFileSync(sqlitePath(data), 'not a database '.repeat(1_000))
    const backups = join(folder, 'backups')
    mkdirSync(backups)
    await expect(backupStore(data, join(backups, 'kept.db'), null)).rejects.toThrow('not a database')
    expect(readdirSync(backups)).toEqual([])
  })

  test('a backup never replaces a file, and an invalid file is rejected', async () => {
    const data = await used()
    const file = join(folder, 'kept.db')
    writeFileSync(file, 'mine')
    const told = await tollgate(['backup', file, '--data', data])
    expect(told).toMatchObject({ code: 2 })
    expect(told.stderr).toContain('already exists')
    const refused = await tollgate(['restore', file, '--data', join(folder, 'elsewhere')])
    expect(refused.code).toBe(2)
    expect(existsSync(join(folder, 'elsewhere', 'tollgate.db'))).toBe(false)
  })

  test('an interrupted restore leaves the complete old store, with the commits of its write-ahead log', async () => {
    const data = await used()
    const file = join(folder, 'kept.db')
    await backupStore(data, file, null)
    // A server that was killed leaves a write-ahead log.
    const killed = join(folder, 'killed')
    const writing = new DatabaseSync(join(data, 'tollgate.db'))
    writing.exec(`PRAGMA journal_mode = WAL; UPDATE organizations SET name = 'in the log'`)
    cpSync(data, killed, { recursive: true })
    writing.close()
    expect(existsSync(join(killed, 'tollgate.db-wal'))).toBe(true)
    const ring = findMasterKey(killed, null)
    const options = { file, folder: killed, replaces: true, ring, isTrusted: false }
    const nameOf = (path: string): unknown => {
      const database = new DatabaseSync(join(killed, path))
      const row = database.prepare('SELECT name FROM organizations').get()
      database.close()
      return row?.['name']
    }
    const broken = restoreSqlite({
      ...options,
      nowMs: 0,
      step() {
        throw new Error('interrupted here')
      },
    })
    await expect(broken).rejects.toThrow('interrupted here')
    expect(existsSync(join(killed, 'tollgate.db'))).toBe(true)
    expect(nameOf('tollgate.db')).toBe('in the log')

    const aside = await restoreSqlite({ ...options, nowMs: 1_000 })
    expect(nameOf('tollgate.db')).not.toBe('in the log')
    expect(nameOf(basename(aside ?? ''))).toBe('in the log')
  })

  test('a backup whose balances do not add up is not restored', async () => {
    const data = await used()
    const file = join(folder, 'kept.db')
    expect(await tollgate(['backup', file, '--data', data])).toMatchObject({ code: 0 })
    const database = new DatabaseSync(file)
    database.exec('UPDATE sources SET posted = posted + 1')
    database.close()
    const sealed = await tollgate(['restore', file, '--data', data, '--replace'])
    expect(sealed).toMatchObject({ code: 2 })
    expect(sealed.stderr).toContain('was changed after the backup')
    const refused = await tollgate(['restore', file, '--data', data, '--replace', '--unauthenticated'])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('every balance equals the sum of its ledger entries')
    assertSound(await verifySqlite(sqlitePath(data)))
  })

  test('a changed backup is rejected with the reason, for every kind of change', async () => {
    const data = await used()
    const kept = join(folder, 'kept.db')
    expect(await tollgate(['backup', kept, '--data', data])).toMatchObject({ code: 0 })
    const file = join(folder, 'tried.db')
    const into = join(folder, 'elsewhere')
    const masterKey = readFileSync(join(data, 'master-key'), 'utf8')
    // In production, this runs in a separate process.
    const restore = (folderOf: string, isTrusted: boolean) =>
      restoreStore({ file, folder: folderOf, replaces: folderOf === data, masterKey, isTrusted })
    const cases: readonly (readonly [change: string, unauthenticated: string | null])[] = [
      [
        `CREATE TRIGGER evil AFTER INSERT ON ledger BEGIN UPDATE sources SET posted = posted + 1; END`,
        `the trigger evil does not belong to version ${migrations.length}`,
      ],
      [
        `ALTER TABLE tokens RENAME TO t2; CREATE VIEW tokens AS SELECT * FROM t2`,
        `does not belong to version ${migrations.length}`,
      ],
      ['DROP TRIGGER ledger_no_update', 'the trigger ledger_no_update is missing'],
      ['DROP INDEX ledger_idempotency', 'the index ledger_idempotency is missing'],
      ['PRAGMA user_version = 0', 'no migration was ever applied to it'],
      ['PRAGMA user_version = 99', 'newer Tollgate'],
      ['CREATE TABLE later (id INTEGER) STRICT; PRAGMA user_version = 99', 'newer Tollgate'],
      // Only the seal of the backup detects the changed token hash.
      [`UPDATE tokens SET hash = '${'0'.repeat(64)}'`, null],
    ]
    for (const [change, reason] of cases) {
      cpSync(kept, file)
      const database = new DatabaseSync(file)
      database.exec(change)
      database.close()
      await expect(restore(into, false), change).rejects.toThrow(
        /was changed after the backup|has no seal of tollgate backup/,
      )
      if (reason !== null) await expect(restore(into, true), change).rejects.toThrow(sentence(reason))
      expect(existsSync(join(into, 'tollgate.db'))).toBe(false)
    }
    for (const bytes of ['', '\0', 'SQLite format 3\0', readFileSync(kept).subarray(0, 9_000)]) {
      writeFileSync(file, bytes)
      await expect(restore(data, false)).rejects.toThrow('has no seal of tollgate backup')
      await expect(restore(data, true)).rejects.toThrow(/./)
    }
    assertSound(await verifySqlite(sqlitePath(data)))
    expect(countIn(join(data, 'tollgate.db'), 'usage_records')).toBe(3)
    // An earlier backup can be restored without its seal.
    expect(await tollgate(['restore', kept, '--data', into, '--unauthenticated'])).toMatchObject({ code: 0 })
  })
})

describe('prune', () => {
  const day = 86_400_000
  const size = { calls: 600, people: 20, days: 90, nowMs: Date.now() }
  const args = ['prune', '--requests-older-than', '40d']

  test('prune deletes only requests that are older than the given age and were not charged', async () => {
    const data = join(folder, 'seeded')
    await seedSqlite(data, size)
    const file = join(data, 'tollgate.db')
    const before = countIn(file, 'requests')
    const old = countIn(file, `requests WHERE at_ms < ${Date.now() - 40 * day}`)
    const charged = countIn(file, 'usage_records')
    const told = await tollgate([...args, '--data', data])
    expect(told).toMatchObject({ code: 0, stderr: '' })
    expect(told.stdout).toContain(`Removed ${old} records`)
    expect(countIn(file, 'requests')).toBe(before - old)
    expect(countIn(file, 'usage_records')).toBe(charged)
    expect((await tollgate([...args, '--data', data])).stdout).toContain('Removed 0 records')
    assertSound(await verifySqlite(sqlitePath(data)))
  })

  test.runIf(hasPostgres)(
    'prune on PostgreSQL drops whole months, and deletes only old rows of the last month',
    async () => {
      const database = await newDatabase()
      await seedPostgres(database.url, size)
      const client = new Client({ connectionString: database.url })
      await client.connect()
      const count = async (what: string): Promise<number> =>
        Number((await client.query(`SELECT count(*) AS n FROM ${what}`)).rows[0].n)
      const before = await count('requests')
      const old = await count(`requests WHERE at_ms < ${Date.now() - 40 * day}`)
      const told = await tollgate(args, { DATABASE_URL: database.url })
      expect(told).toMatchObject({ code: 0, stderr: '' })
      expect(told.stdout).toMatch(new RegExp(`Removed ${old} records .*, including [12] complete months?\\.`))
      expect(await count('requests')).toBe(before - old)
      await client.end()
      assertSound(await verifyPostgres(database.url))
      await database.drop()
    },
  )

  describe.runIf(hasPostgres)('prune on PostgreSQL, interrupted while it drops a month', () => {
    let database: TestDatabase
    const beforeMs = Date.now() - 40 * day
    const clients: Client[] = []
    const connected = async (): Promise<Client> => {
      const client = new Client({ connectionString: database.url })
      client.on('error', () => {})
      await client.connect()
      clients.push(client)
      return client
    }
    const tables = `SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^requests_' ORDER BY 1`

    beforeEach(async () => {
      database = await newDatabase()
      await seedPostgres(database.url, size)
    })
    afterEach(async () => {
      for (const client of clients.splice(0)) await client.end()
      await database.drop()
    })

    test('the next prune drops the table if the month was already detached', async () => {
      const broken = prunePostgres(database.url, beforeMs, () => {
        throw new Error('interrupted here')
      })
      await expect(broken).rejects.toThrow('interrupted here')
      const client = await connected()
      // An operator may keep the table of a month that they detached.
      await client.query('CREATE TABLE requests_2020_01 (LIKE requests)')
      const { months } = await prunePostgres(database.url, beforeMs)
      expect(months.length).toBeGreaterThan(0)
      const left = (await client.query(tables)).rows.map(({ relname }) => relname)
      expect(left).toContain('requests_2020_01')
      for (const month of months) expect(left).not.toContain(month)
      assertSound(await verifyPostgres(database.url))
    })

    test('the next prune drops the month if the detachment had only begun', async () => {
      const [reader, watcher] = [await connected(), await connected()]
      // The detachment waits for this transaction.
      await reader.query('BEGIN')
      await reader.query('SELECT count(*) FROM requests')
      const broken = prunePostgres(database.url, beforeMs).catch((error: unknown) => error)
      const pending = `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhdetachpending`
      await eventually(async () => expect((await watcher.query(pending)).rows).toHaveLength(1))
      await watcher.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%DETACH PARTITION%' AND pid <> pg_backend_pid()`)
      expect(await broken).toBeInstanceOf(Error)
      await reader.query('ROLLBACK')
      const [{ name }] = (await watcher.query(pending)).rows
      const { months } = await prunePostgres(database.url, beforeMs)
      expect(months).toContain(name)
      expect((await watcher.query(tables)).rows).not.toContainEqual({ relname: name })
      assertSound(await verifyPostgres(database.url))
    })
  })

  test.each([['verify'], args])(
    '%s rejects a folder without a store, and creates no file',
    async (...words) => {
      const data = join(folder, 'empty')
      mkdirSync(data)
      const told = await tollgate([...words, '--data', data])
      expect(told).toMatchObject({ code: 2, stderr: expect.stringContaining('contains no store') })
      expect(readdirSync(data)).toEqual([])
    },
  )

  test('prune rejects an invalid age', async () => {
    expect(await tollgate(['prune', '--requests-older-than', 'long'])).toMatchObject({ code: 2 })
  })
})

describe.runIf(hasPostgres)('copy', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
  })
  afterAll(() => database.drop())

  test('an interrupted copy leaves no data, a complete copy has all data, and a second copy is rejected', async () => {
    const data = await used()
    const broken = copyToPostgres({
      folder: data,
      url: database.url,
      nowMs: Date.now,
      step(table) {
        if (table === 'usage_records') throw new Error('interrupted here')
      },
    })
    await expect(broken).rejects.toThrow('interrupted here')

    const nowhere = await tollgate(['copy', '--data', data], { DATABASE_URL: '' })
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('set DATABASE_URL') })
    // The command line contains no password, because every user of the machine can read command lines.
    const told = await tollgate(['copy', '--data', data], { DATABASE_URL: database.url })
    expect(told).toMatchObject({ code: 0, stderr: '' })
    expect(told.stdout).toContain('copied usage_records (3 rows)')
    expect(told.stdout).toContain('All counts and amounts are equal in both stores')
    assertSound(await verifyPostgres(database.url))

    const client = new Client({ connectionString: database.url })
    await client.connect()
    // The copied entries keep their sequence numbers, so the next entry must get a higher number.
    const { rows } = await client.query(
      `SELECT nextval('ledger_sequence') > max(sequence) AS is_new FROM ledger`,
    )
    expect(rows).toEqual([{ is_new: true }])
    await client.end()

    const second = await tollgate(['copy', '--to', database.url, '--data', data])
    expect(second.code).toBe(2)
    expect(second.stderr).toContain('The database is not empty')
  })

  test('a copy keeps the hourly sums of failed requests whose records were pruned', async () => {
    const data = join(folder, 'seeded')
    const nowMs = Date.now()
    await seedSqlite(data, { calls: 600, people: 20, days: 90, nowMs })
    await sumSqlite(data, nowMs)
    await pruneSqlite(data, nowMs - 40 * 86_400_000)
    const sums = ['call_hours', 'target_hours', 'run_hours'].map(
      (table) => `SELECT '${table}' AS name, count(*) AS n, coalesce(sum(hour), 0) AS hours FROM ${table}`,
    )
    const failed = `SELECT 'failed' AS name, sum(calls - charged) AS n, sum(calls) AS hours FROM call_hours`
    const asked = `${[...sums, failed].join(' UNION ALL ')} ORDER BY 1`
    const embedded = new DatabaseSync(join(data, 'tollgate.db'))
    const before = embedded.prepare(asked).all()
    embedded.close()
    const target = await newDatabase()
    await copyToPostgres({ folder: data, url: target.url, nowMs: Date.now })
    const pool = poolOf({ url: target.url, access: 'write' }, 1)
    await foldCallHours(new PostgresDatabase(pool, pool), nowMs)
    const after = await pool.query(asked)
    expect(after.rows.map((row) => ({ ...row, n: Number(row.n), hours: Number(row.hours) }))).toEqual(before)
    await pool.end()
    await target.drop()
  })

  test('a rejected copy does not migrate a database that servers of an older version use', async () => {
    const data = await used()
    const target = await newDatabase()
    const client = await connect({ url: target.url, access: 'write' })
    const older = migrationsFor('postgres').slice(0, -1)
    await migratePostgres(client, older)
    await client.query(
      "INSERT INTO organizations (id, code, name, created_at_ms) VALUES ('org', 'o', 'O', 0)",
    )
    const copied = copyToPostgres({ folder: data, url: target.url, nowMs: Date.now })
    await expect(copied).rejects.toThrow('The database is not empty')
    const { rows } = await client.query('SELECT count(*) AS n FROM schema_versions')
    expect(rows).toEqual([{ n: BigInt(older.length) }])
    await client.end()
    await target.drop()
  })

  test('a copy keeps a response that its provider generates in the background, and the new server charges it', async () => {
    const data = join(folder, 'data')
    const first = await startServer({ folder: data })
    const app = await makeApplication(first)
    const vendor = await startVendor()
    await connectAccount(app, 'openai', {
      kind: 'openai',
      baseUrl: vendor.baseUrls.openai,
      apiKey: vendor.apiKey,
      model: 'gpt-5.4',
      price: { input: '1000000', cacheWrite: '1000000', output: '1000000' },
    })
    const user = await app.newUser({ balanceMicros: 10_000_000n })
    const asked = await fetch(`${app.gateway}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/openai', input: '[[tokens=50 delay=20ms]]', background: true }),
    })
    expect(asked.status).toBe(200)
    await first.close()

    const target = await newDatabase()
    await copyToPostgres({ folder: data, url: target.url, nowMs: Date.now })
    const background = { ...gatewayLimits.background, firstMs: 20, maxMs: 50 }
    const options = { folder: data, databaseUrl: target.url, token: first.token, limits: { background } }
    const second = await startServer(options)
    const again = await app.again(second)
    const same = again.person(user)
    const [settled] = await eventually(async () => {
      const requests = await same.requests()
      expect(requests).toMatchObject([{ status: 'settled', errorCode: null }])
      return requests
    })
    const { usage } = await again.api('GET', `/v1/requests/${settled.id}`)
    expect(usage.output).toBe(50)
    const { balanceMicros, reservedMicros } = await same.balance()
    expect([10_000_000n - balanceMicros, reservedMicros]).toEqual([BigInt(usage.input + usage.output), 0n])
    await second.close()
    await app.provider.close()
    await vendor.close()
    await target.drop()
  })

  test('a folder that a server uses is not copied', async () => {
    const data = join(folder, 'data')
    const server = await startServer({ folder: data })
    const told = await tollgate(['copy', '--to', database.url, '--data', data])
    expect(told.code).toBe(2)
    expect(told.stderr).toContain('Another Tollgate server is using the data folder')
    await server.close()
  })
})

describe('scale', () => {
  test('an embedded store cannot be distributed', async () => {
    const told = await tollgate(['scale', 'plan', '--role', 'server'], { DATABASE_URL: '' })
    expect(told).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('set DATABASE_URL to the coordinator'),
    })
  })

  test.each([
    [['--shards', '8'], 'required option'],
    [['--role', 'server', '--shards', '1'], 'The value must be from 2 to 999.'],
  ])('scale plan %j is rejected', async (flags, message) => {
    const told = await tollgate(['scale', 'plan', ...flags])
    expect(told).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })

  test.runIf(hasPostgres)('a database without Citus is rejected and not changed', async () => {
    const database = await newDatabase()
    const environment = { DATABASE_URL: database.url }
    expect(await tollgate(['migrate'], environment)).toMatchObject({ code: 0 })
    for (const verb of ['plan', 'apply', 'rebalance']) {
      const told = await tollgate(['scale', verb, '--role', 'server'], environment)
      expect(told).toMatchObject({ code: 2, stderr: expect.stringContaining('has no extension citus') })
    }
    expect(await tollgate(['verify'], environment)).toMatchObject({ code: 0 })
    await database.drop()
  })
})
