/**
 * On PostgreSQL, the tables of record are guarded by triggers, or by the limited rights of the role that servers use.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Client } from 'pg'
import { migrateStoreAt } from '#store/migrate.ts'
import { assertCannotChangeRecords, recordGuards } from '#store/postgres/guard-append-only-tables.ts'
import { hasPostgres, newDatabase, sql, type TestDatabase } from '../support/start-postgres.ts'
import { evenShardGroups } from '../support/equal-shard-groups.ts'

describe.runIf(hasPostgres)('the guards of the tables of record', () => {
  let database: TestDatabase
  let owner: Client
  let server: Client
  const role = `server_${process.pid}`

  beforeEach(async () => {
    database = await newDatabase()
    await migrateStoreAt({ engine: 'postgres', url: database.url })
    await sql(database.url, `CREATE ROLE ${role} LOGIN`, `GRANT SELECT, INSERT ON ledger TO ${role}`)
    const url = new URL(database.url)
    url.username = role
    owner = new Client({ connectionString: database.url })
    server = new Client({ connectionString: url.href })
    await owner.connect()
    await server.connect()
  })
  afterEach(async () => {
    await server.end()
    await sql(database.url, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`)
    await owner.end()
    await database.drop()
  })

  const withoutTrigger = (): Promise<void> => sql(database.url, 'DROP TRIGGER ledger_append_only ON ledger')
  const distributed = (): Promise<void> =>
    sql(
      database.url,
      'DELETE FROM shard_groups',
      ...evenShardGroups(2).map(
        ({ from, key, to }) => `INSERT INTO shard_groups VALUES ('${key}', ${from}, ${to})`,
      ),
    )

  test('if the tables of record have triggers, servers may use any role', async () => {
    await assertCannotChangeRecords(owner)
    await assertCannotChangeRecords(server)
    expect((await recordGuards(owner)).faults).toEqual([])
  })

  test('if a trigger is missing, servers may use only a role that can add records but not change them', async () => {
    await withoutTrigger()
    await assertCannotChangeRecords(server)
    await expect(assertCannotChangeRecords(owner)).rejects.toThrow(/can change records in ledger\b/)
    for (const right of ['UPDATE', 'DELETE', 'TRUNCATE']) {
      await sql(database.url, `GRANT ${right} ON ledger TO ${role}`)
      await expect(assertCannotChangeRecords(server), right).rejects.toThrow(
        `The role ${role} can change records`,
      )
      await sql(database.url, `REVOKE ${right} ON ledger FROM ${role}`)
    }
    await assertCannotChangeRecords(server)
  })

  test('on one node, a missing trigger is a fault, and on several nodes only rights of other roles are a fault', async () => {
    await withoutTrigger()
    expect((await recordGuards(owner)).faults).toEqual([
      'ledger can be changed by every role: its trigger is missing or disabled',
    ])
    await distributed()
    expect((await recordGuards(owner)).faults).toEqual([])
    await sql(database.url, `GRANT DELETE ON ledger TO ${role}`)
    expect((await recordGuards(owner)).faults).toEqual([
      `ledger can be changed by ${role}: its trigger is missing or disabled`,
    ])
    await sql(database.url, `GRANT DELETE ON ledger TO PUBLIC`)
    expect((await recordGuards(owner)).faults).toEqual([
      `ledger can be changed by every role, ${role}: its trigger is missing or disabled`,
    ])
  })
})
