import type { Client } from 'pg'
import { withClient } from './connection.ts'
import { PostgresError } from './classify-postgres-errors.ts'

/**
 * Poolers such as PgBouncer can give a connection to another client after each transaction or statement. The settings,
 * prepared statements and notices of a session would then belong to other clients.
 *
 * @param client a connection to `url` that nothing else uses at the same time
 * @throws PostgresError if the sessions of the database are shared in this way
 */
export async function assertOwnSession(client: Client, url: string): Promise<void> {
  const before = await backendOf(client)
  // A pooler reports a process ID of its own, because it forwards requests to cancel queries.
  if ('processID' in client && client.processID === before) return
  await withClient({ url, access: 'read' }, async (other) => {
    // While this transaction is open, it keeps a connection to the server.
    await other.query('BEGIN')
    const isShared = (await backendOf(other)) === before || (await backendOf(client)) !== before
    await other.query('ROLLBACK')
    if (isShared) throw new PostgresError('away', sharedSessions)
  })
}

const sharedSessions =
  'The connection pooler between Tollgate and PostgreSQL gives connections to other clients after each transaction. Set the pooler to session mode (pool_mode = session in PgBouncer), or set DATABASE_URL to the address of PostgreSQL itself'

async function backendOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: bigint }>('SELECT pg_backend_pid() AS pid')
  return Number(rows[0]?.pid)
}
