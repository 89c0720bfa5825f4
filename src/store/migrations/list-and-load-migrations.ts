/**
 * Forward-only migrations. `NNNN-name.sql` is portable; `NNNN-name.<engine>.sql` in the same folder is for that engine
 * only (layouts, triggers). The portable file and the engine's file belong to version NNNN. They run in one transaction
 * together with the version number. If the server is killed during its start, the next start begins the migration
 * again.
 *
 * On PostgreSQL, processes of the previous release (N-1) continue while the first process of the new release (N)
 * migrates and serves. After the first version, a migration may therefore only make changes that do not affect N-1.
 * Such a migration may add a table, an index, or a column that may be null or has a default. A migration of N+1 removes
 * what the code of N no longer uses. A migration must not rewrite a table that grows with usage, because the ledger
 * would wait for it. A process of N-1 that starts after the migration is rejected, because it could break new
 * invariants.
 *
 * A database can be distributed (postgres/steps-to-distribute-tables.ts). In a distributed database, a constraint on a
 * new column needs a name and a statement of its own. No trigger can be created there on the tables of
 * postgres/sql-for-sharded-tables.ts. A migration must therefore first check in `citus_tables` whether the table is
 * distributed. A new table that requests use must be added to postgres/sql-for-sharded-tables.ts. `tollgate scale
 * apply` then distributes it.
 *
 * The embedded store has only one process, which serves no request until the migration has ended. A migration for
 * SQLite alone may therefore rewrite a table that grows with end users and days. A record in docs/decisions must then
 * state how long a million rows take. Tables with a row for each call are never rewritten.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'

export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
}

const folder = new URL('./', import.meta.url)
const grammar = /^(?<version>\d{4})-(?<name>[a-z0-9-]+)(?:\.(?<engine>sqlite|postgres))?\.sql$/

/** The program's files do not change while it runs. */
const known: Partial<Record<'sqlite' | 'postgres', readonly Migration[]>> = {}

/** In order, without gaps. */
export function migrationsFor(engine: 'sqlite' | 'postgres', from: URL = folder): readonly Migration[] {
  if (from !== folder) return migrationsIn(engine, from)
  return (known[engine] ??= migrationsIn(engine, folder))
}

function migrationsIn(engine: 'sqlite' | 'postgres', from: URL): readonly Migration[] {
  const byVersion = new Map<number, { name: string; sql: string }>()
  // The file for one engine sorts after the portable file, because its name is longer.
  const files = readdirSync(from)
    .filter((file) => file.endsWith('.sql'))
    .toSorted((one, other) => one.length - other.length)
  for (const file of files.toSorted((one, other) => Number(one.slice(0, 4)) - Number(other.slice(0, 4)))) {
    const groups = grammar.exec(file)?.groups
    assert(groups, `a migration is named NNNN-name.sql: ${file}`)
    if (groups.engine !== undefined && groups.engine !== engine) continue
    const version = Number(groups.version)
    const text = readFileSync(new URL(file, from), 'utf8')
    const sql = engine === 'postgres' && groups.engine === undefined ? inPostgres(text) : text
    const portable = byVersion.get(version)
    byVersion.set(version, {
      name: portable?.name ?? String(groups.name),
      sql: portable === undefined ? sql : `${portable.sql}\n${sql}`,
    })
  }
  const migrations = [...byVersion].map(([version, { name, sql }]) => ({ version, name, sql }))
  for (const [i, { version }] of migrations.entries()) assert.equal(version, i + 1, 'migrations have no gaps')
  return migrations
}

/**
 * INTEGER becomes BIGINT, because an INTEGER of SQLite has 64 bits. Each text column gets the collation `C`, because
 * lists and pages rely on comparing texts by bytes, as on SQLite.
 */
function inPostgres(sql: string): string {
  return sql
    .replaceAll(/\) STRICT(?:, WITHOUT ROWID)?;/g, ');')
    .replaceAll(/\bINTEGER\b/g, 'BIGINT')
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
}

/** @throws if a newer program has written the store */
export function assertNotNewer(version: number, migrations: readonly Migration[]): void {
  if (version <= migrations.length) return
  throw new Error(
    `The store was written by a newer Tollgate (store version ${version}, this program supports ${migrations.length}). Run that version or a newer one, or restore a backup from before the upgrade`,
  )
}
