import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Database } from '#store/sql/database-interface.ts'

type DumpedEngine = 'SQLite' | 'PostgreSQL'

const tables = [
  'organizations',
  'applications',
  'provider_accounts',
  'account_prices',
  'aliases',
  'routers',
  'probes',
  'bundles',
  'bundle_prices',
  'bundle_includes',
  'past_includes',
  'grant_reversals',
  'call_corrections',
  'late_usage',
  'on_demand_months',
  'outcomes',
  'gateway_settings',
  'daily_limits',
  'end_users',
  'keys',
  'accounts',
  'sources',
  'ledger',
  'grants',
  'invoices',
  'invoice_lines',
  'outcome_runs',
  'rate_uses',
  'line_rate_uses',
  'shared_limit_uses',
  'tag_limit_uses',
  'idempotency_keys',
  'members',
  'setup_links',
  'device_sign_ins',
  'passkeys',
  'passkey_challenges',
  'passkey_policies',
  'failed_sign_ins',
  'portal_links',
  'portal_settings',
  'on_demand_ceilings',
  'files',
  'batches',
  'brands',
  'brand_logos',
  'tier_changes',
  'bills',
  'onboarding_stages',
  'tokens',
  'member_sessions',
  'portal_sessions',
] as const

/**
 * Columns that change without a request: the last use of a token or a session, and the lane that has cached an end user
 * (store/postgres/rows-known-to-lane.ts).
 */
const ignored: Readonly<Record<string, string>> = {
  tokens: 'last_used_at_ms',
  member_sessions: 'last_used_at_ms',
  portal_sessions: 'last_used_at_ms',
  end_users: 'known_by',
}

/** All stores of a process have the same schema, so the statement is built once. */
const statements = new Map<DumpedEngine, string>()

export async function dumpOf(database: Database, engine: DumpedEngine): Promise<string> {
  const statement = statements.get(engine) ?? (await statementFor(database, engine))
  statements.set(engine, statement)
  const { rows } = await sql.raw<{ name: string; rows: string }>(statement).execute(database.read)
  return `[${rows.map(({ name, rows: text }) => `"${name}",${text}`).join(',')}]`
}

async function statementFor(database: Database, engine: DumpedEngine): Promise<string> {
  const parts = []
  for (const table of tables) {
    const rowsOf =
      engine === 'SQLite'
        ? // oxlint-disable-next-line no-await-in-loop -- once in a process
          `(SELECT json_group_array(json_object(${await sqliteFields(database, table)})) FROM ${table})`
        : // An update of an ignored column may move its row, so the dump sorts the rows.
          `(SELECT coalesce(json_agg(fields ORDER BY fields::text), '[]')::text
           FROM (SELECT to_jsonb(t) - '${ignored[table] ?? ''}' AS fields FROM ${table} t) AS rows)`
    parts.push(`SELECT '${table}' AS name, ${rowsOf} AS rows`)
  }
  return parts.join('\nUNION ALL ')
}

/** JSON has no bytes, so bytes are written as hexadecimal digits. */
async function sqliteFields(database: Database, table: string): Promise<string> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM pragma_table_info(${table})`.execute(
    database.read,
  )
  assert(rows.length > 0, `the table ${table} does not exist`)
  return rows
    .filter(({ name }) => name !== ignored[table])
    .map(({ name }) => `'${name}', iif(typeof("${name}") = 'blob', hex("${name}"), "${name}")`)
    .join(', ')
}

/**
 * Returns a value that changes if anything was committed since the last call. The value may also change without a
 * commit.
 * @see https://sqlite.org/pragma.html#pragma_data_version
 * @see https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT
 */
export async function stateOf({ read }: Database, engine: DumpedEngine): Promise<string> {
  const asked =
    engine === 'SQLite'
      ? sql<{ state: unknown }>`SELECT data_version AS state FROM pragma_data_version`
      : sql<{ state: unknown }>`SELECT pg_current_snapshot()::text AS state`
  const { rows } = await asked.execute(read)
  assert(rows[0])
  return String(rows[0].state)
}
