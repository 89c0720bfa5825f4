/** Keys that were rotated before key lines were stored get their key line when the store is migrated. */
import { expect, test } from 'vitest'
import { migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import { connect } from '#store/postgres/connection.ts'
import { migratePostgres } from '#store/postgres/migrate.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { migrateSqlite } from '#store/sqlite/migrate.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { hasPostgres, newDatabase } from '../support/start-postgres.ts'
import path from 'node:path'

/** The last schema version without key lines. */
const before = 6

/** ID, creator, and ID of the successor. */
const keys = [
  ['key_alone', 'token', null],
  ['key_a1', 'end_user', 'key_a2'],
  ['key_a2', 'token', 'key_a3'],
  ['key_a3', 'end_user', null],
  ['key_b2', 'end_user', null],
  ['key_b1', 'token', 'key_b2'],
] as const

const insert = keys.map(
  ([id, actor, next]) =>
    `INSERT INTO keys (id, application_id, end_user_id, mode, name, hash, prefix, last_four, cap_micros, cap_period,
       actor_type, created_at_ms, replaced_by)
     VALUES ('${id}', 'app', 'eu', 'live', 'n', '${id}', 'p', 'l', 5, 'day', '${actor}', 1, ${next === null ? 'NULL' : `'${next}'`})`,
)

const lines = [
  { id: 'key_a1', line_id: null, line_actor_type: null },
  { id: 'key_a2', line_id: 'key_a1', line_actor_type: 'end_user' },
  { id: 'key_a3', line_id: 'key_a1', line_actor_type: 'end_user' },
  { id: 'key_alone', line_id: null, line_actor_type: null },
  { id: 'key_b1', line_id: null, line_actor_type: null },
  { id: 'key_b2', line_id: 'key_b1', line_actor_type: 'token' },
]
const read = 'SELECT id, line_id, line_actor_type FROM keys ORDER BY id'

test('in a SQLite store, each successor gets the key line of the first key', () => {
  const connection = openConnection(path.join(newDataFolder('key-lines'), 'old.db'), 'write')
  const all = migrationsFor('sqlite')
  migrateSqlite(connection, all.slice(0, before))
  connection.exec('PRAGMA foreign_keys = OFF')
  for (const row of insert) connection.exec(row)
  migrateSqlite(connection, all)
  expect(
    connection
      .prepare(read)
      .all()
      .map((row) => ({ ...row })),
  ).toEqual(lines)
  connection.close()
})

test.skipIf(!hasPostgres)(
  'in a PostgreSQL store, each successor gets the key line of the first key',
  async () => {
    const database = await newDatabase()
    const client = await connect({ url: database.url, access: 'write' })
    const all = migrationsFor('postgres')
    await migratePostgres(client, all.slice(0, before))
    await client.query('SET session_replication_role = replica')
    for (const row of insert) {
      // oxlint-disable-next-line no-await-in-loop -- one connection
      await client.query(row)
    }
    await migratePostgres(client, all)
    expect((await client.query(read)).rows).toEqual(lines)
    await client.end()
    await database.drop()
  },
)
