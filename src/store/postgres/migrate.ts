/** Runs migrations on PostgreSQL. migrations/list-and-load-migrations.ts explains which migrations are allowed. */
import type { Client } from 'pg'
import { assertNotNewer, type Migration, migrationsFor } from '#store/migrations/list-and-load-migrations.ts'

/**
 * If several processes start together, one process migrates and the other processes wait. The first number of the lock
 * is the text `toll` as bytes.
 */
export const migrationLock = [0x746f_6c6c, 0] as const

type Session = Pick<Client, 'query'>

/**
 * Migrates the database to the newest version, one transaction per version. Changes nothing if the database is already
 * migrated.
 * @param session a connection that nothing else uses at the same time
 */
export async function migratePostgres(
  session: Session,
  migrations = migrationsFor('postgres'),
): Promise<void> {
  for (const { name, sql, version } of migrations) {
    // oxlint-disable-next-line no-await-in-loop -- versions run in order
    await session.query('BEGIN')
    try {
      // oxlint-disable-next-line no-await-in-loop -- see above
      await session.query(
        `SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0;
         SELECT pg_advisory_xact_lock(${migrationLock.join(', ')})`,
      )
      // oxlint-disable-next-line no-await-in-loop -- see above
      const current = await schemaVersion(session)
      assertNotNewer(current, migrations)
      if (current < version) {
        // A distributed database sends the text of a query to its nodes, and a node accepts only one statement per
        // query.
        // oxlint-disable-next-line no-await-in-loop -- see above
        for (const statement of statementsOf(sql)) await session.query(statement)
        // oxlint-disable-next-line no-await-in-loop -- see above
        await session.query(
          `CREATE TABLE IF NOT EXISTS schema_versions (
             version BIGINT NOT NULL PRIMARY KEY,
             name TEXT NOT NULL,
             migrated_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
           );
           INSERT INTO schema_versions (version, name) VALUES (${version}, '${name}')`,
        )
      }
      // oxlint-disable-next-line no-await-in-loop -- see above
      await session.query('COMMIT')
    } catch (cause) {
      // oxlint-disable-next-line no-await-in-loop -- see above
      await session.query('ROLLBACK').catch(() => {})
      if (cause instanceof Error && !('severity' in cause)) throw cause
      throw new Error(`migrate the database to version ${version} (${name})`, { cause })
    }
  }
}

/** Changes nothing. @throws if `migratePostgres` would throw */
export async function pendingInPostgres(
  session: Session,
  migrations = migrationsFor('postgres'),
): Promise<readonly Migration[]> {
  const current = await schemaVersion(session)
  assertNotNewer(current, migrations)
  return migrations.slice(current)
}

/**
 * Call this function before reading rows. The function throws unless the database has exactly the version that this
 * program knows.
 */
export async function assertMigratedPostgres(session: Session): Promise<void> {
  const pending = await pendingInPostgres(session)
  if (pending.length === 0) return
  throw new Error(
    `The database lacks ${pending.length === 1 ? 'a migration' : `${pending.length} migrations`} of this program. Run tollgate migrate, or start a server`,
  )
}

/** Semicolons in comments, strings and function bodies do not end a statement. */
const parts = /--[^\n]*|'[^']*'|\$\$[^]*?\$\$|;|[^-'$;]+|[-'$]/g

function statementsOf(sql: string): string[] {
  const statements = ['']
  for (const [part] of sql.matchAll(parts)) {
    if (part === ';') statements.push('')
    else if (!part.startsWith('--')) statements[statements.length - 1] += part
  }
  return statements.filter((statement) => statement.trim() !== '')
}

/** Returns 0 if no migration has run here. @throws if the tables belong to another program */
async function schemaVersion(session: Session): Promise<number> {
  const { rows } = await session.query<{ ours: string | null; tables: bigint }>(
    `SELECT to_regclass('schema_versions')::text AS ours,
       (SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()) AS tables`,
  )
  const [found] = rows
  if (found === undefined || found.ours === null) {
    if (found !== undefined && found.tables > 0n) {
      throw new Error('The database has tables of another program. Set DATABASE_URL to an empty database')
    }
    return 0
  }
  const versions = await session.query<{ version: bigint }>(
    'SELECT coalesce(max(version), 0) AS version FROM schema_versions',
  )
  return Number(versions.rows[0]?.version ?? 0)
}
