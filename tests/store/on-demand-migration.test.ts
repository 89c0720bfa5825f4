import { expect, test } from 'vitest'
import { issueAllInvoices } from '#operations/billing/shared/issue-due-invoices.ts'
import { migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { connect } from '#store/postgres/connection.ts'
import { migratePostgres } from '#store/postgres/migrate.ts'
import type { EngineStore } from '#store/sql/engine-store-interface.ts'
import { openConnection, scalar } from '#store/sqlite/connection.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { migrateSqlite } from '#store/sqlite/migrate.ts'
import { schemaDifference } from '#store/sqlite/schema-difference.ts'
import { openOnPostgres, openTemporary } from '../store-conformance/engines.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { hasPostgres, newDatabase, sql } from '../support/start-postgres.ts'

const octoberMs = Date.UTC(2026, 9, 1)
const novemberMs = Date.UTC(2026, 10, 1)
const nowMs = Date.UTC(2026, 11, 15)
const dayMs = 86_400_000

/**
 * The first end user has a plan with an invoice, and the second end user has no plan. Both end users used on-demand in
 * October, and then turned on-demand off.
 */
const rows = `
INSERT INTO organizations (id, code, name, created_at_ms) VALUES ('org', 'acme', 'Acme', 0);
INSERT INTO applications (id, organization_id, slug, code, name, config_version, created_at_ms)
  VALUES ('app', 'org', 'acme', 'acme02', 'Acme', 1, 0);
INSERT INTO end_users (id, application_id, external_id, subscribed_at_ms, created_at_ms)
  VALUES ('eu_paid', 'app', 'paid', 0, 0), ('eu_free', 'app', 'free', 0, 0), ('eu_none', 'app', 'none', 0, 0);
INSERT INTO accounts (end_user_id, mode, on_demand_enabled, invoices, credit_micros)
  VALUES ('eu_paid', 'live', 0, 1, 0), ('eu_free', 'live', 0, NULL, NULL), ('eu_none', 'live', 0, NULL, NULL);
INSERT INTO invoices (id, application_id, end_user_id, mode, number, cause, amount_micros, period_start_ms,
    period_end_ms, created_at_ms, due_at_ms, paid_at_ms)
  VALUES ('inv_1', 'app', 'eu_paid', 'live', 1, 'renewed', 7, 1, 2, 1, 2, 2);
INSERT INTO invoice_lines (invoice_id, position, kind, name, starts_at_ms, ends_at_ms, amount_micros)
  VALUES ('inv_1', 0, 'plan', 'Pro', 1, 2, 9), ('inv_1', 1, 'credit', '', 1, 2, -2);
INSERT INTO sources (end_user_id, mode, id, kind, unit, posted, held, starts_at_ms, ends_at_ms)
  VALUES ('eu_paid', 'live', 'on_demand/2026-10', 'on_demand', 'micros', -50, 0, ${octoberMs}, ${novemberMs}),
    ('eu_free', 'live', 'on_demand/2026-10', 'on_demand', 'micros', -60, 0, ${octoberMs}, ${novemberMs});`

async function expectOwed({ database, ledger }: EngineStore): Promise<void> {
  let ids = 0
  const issue = { store: sqlStore(database), ledger, newId: () => String(++ids).padStart(26, '0') }
  await issueAllInvoices(issue, nowMs)
  await issueAllInvoices(issue, nowMs + dayMs)
  const invoices = await database.read
    .selectFrom('invoices')
    .select(['end_user_id', 'number', 'cause', 'amount_micros', 'created_at_ms', 'due_at_ms'])
    .orderBy('end_user_id')
    .orderBy('number')
    .execute()
  const issued = { cause: 'on_demand', created_at_ms: nowMs, due_at_ms: nowMs + 7 * dayMs }
  expect(invoices).toEqual([
    { ...issued, end_user_id: 'eu_free', number: 1, amount_micros: 60n },
    {
      end_user_id: 'eu_paid',
      number: 1,
      cause: 'renewed',
      amount_micros: 7n,
      created_at_ms: 1,
      due_at_ms: 2,
    },
    { ...issued, end_user_id: 'eu_paid', number: 2, amount_micros: 50n },
  ])
  const lines = await database.read.selectFrom('invoice_lines').selectAll().execute()
  const kept = lines.filter(({ invoice_id: id }) => id === 'inv_1')
  expect(kept.map(({ amount_micros: amount, kind, name }) => [kind, name, amount])).toEqual([
    ['plan', 'Pro', 9n],
    ['credit', '', -2n],
  ])
}

test('on SQLite, a migration keeps invoices, and each earlier on-demand month is then invoiced once', async () => {
  const folder = newDataFolder('before')
  const connection = openConnection(sqlitePath(folder), 'write')
  migrateSqlite(connection, migrationsFor('sqlite').slice(0, 6))
  connection.exec(rows)
  migrateSqlite(connection)
  expect(schemaDifference(connection)).toBeNull()
  expect(connection.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  expect(scalar(connection, `SELECT count(*) FROM accounts WHERE on_demand_closes_at_ms = 0`)).toBe(2)
  connection.close()
  const opened = await openTemporary({ folder, writer: 'inline', nowMs: () => nowMs })
  await expectOwed(opened.store)
  await opened.close()
})

test.runIf(hasPostgres)(
  'on PostgreSQL, a migration keeps invoices, and each earlier on-demand month is then invoiced once',
  async () => {
    const database = await newDatabase()
    const { url } = database
    const client = await connect({ url, access: 'write' })
    await migratePostgres(client, migrationsFor('postgres').slice(0, 6))
    await sql(url, rows)
    await client.end()
    const opened = await openOnPostgres({ url, nowMs: () => nowMs })
    await expectOwed(opened.store)
    await opened.close()
    await database.drop()
  },
)
