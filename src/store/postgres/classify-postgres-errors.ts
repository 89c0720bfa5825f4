import { DatabaseError } from 'pg'

/**
 * The kinds of PostgreSQL errors that are handled differently:
 *
 * - `lost`: the connection broke, so the result of the running work is unknown
 * - `unreachable`: no connection could be made
 * - `away`: the server currently rejects all clients, because it is starting, stopping, full, out of connections or
 *   read-only
 * - `denied`: the database rejects the role of the server, or the role cannot use or find the tables. An operator has
 *   changed the password, the rights, the schema search path or the database
 * - `busy`: the wait for a lock or an SQL statement took too long
 * - `retry`: two transactions collided (deadlock, serialization), so the same work can be sent again
 * - `unique`: a row with that key already exists
 * - `broken`: a CHECK constraint or an append-only table rejected the row
 * - `fenced`: another process declared this process dead (postgres/batch-engine.ts)
 * - `other`: the query itself is invalid, and would fail again
 */
export type PostgresCode =
  | 'lost'
  | 'unreachable'
  | 'away'
  | 'denied'
  | 'busy'
  | 'retry'
  | 'unique'
  | 'broken'
  | 'fenced'
  | 'other'

export class PostgresError extends Error {
  override readonly name = 'PostgresError'
  readonly code: PostgresCode

  constructor(code: PostgresCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Whether the store would reject every other operation as well. */
export function isAway(code: PostgresCode | null): boolean {
  return code === 'denied' || isTemporary(code)
}

/** Whether the store may accept the operation later without a change by an operator. */
export function isTemporary(code: PostgresCode | null): boolean {
  return code === 'lost' || code === 'unreachable' || code === 'away' || code === 'busy' || code === 'retry'
}

/** Whether a wait for a lock took longer than the setting `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  const cause = error instanceof PostgresError ? error.cause : error
  return cause instanceof DatabaseError && cause.code === lockNotAvailable
}

const lockNotAvailable = '55P03'

/** Null if the error is not a PostgreSQL error. */
export function postgresCode(error: unknown): PostgresCode | null {
  if (error instanceof PostgresError) return error.code
  return error instanceof DatabaseError ? codeOf(error) : null
}

/** An error without an SQLSTATE is a connection error: a socket error, a time limit, or a closed client. */
export function postgresError(cause: unknown): PostgresError {
  if (cause instanceof PostgresError) return cause
  const message = cause instanceof Error ? cause.message : String(cause)
  return new PostgresError(cause instanceof DatabaseError ? codeOf(cause) : 'lost', message, { cause })
}

const byState: Readonly<Record<string, PostgresCode>> = {
  '40001': 'retry', // serialization_failure
  '40P01': 'retry', // deadlock_detected
  [lockNotAvailable]: 'busy', // after lock_timeout
  '57014': 'busy', // query_canceled, after statement_timeout
  '25P03': 'lost', // idle_in_transaction_session_timeout: the server has closed the connection
  '25P04': 'lost', // transaction_timeout, as above
  '25006': 'away', // read_only_sql_transaction: the primary has become a replica
  '42501': 'denied', // insufficient_privilege
  '42P01': 'denied', // undefined_table: the tables are in a schema that is not in search_path
  '3F000': 'denied', // invalid_schema_name
  '3D000': 'denied', // invalid_catalog_name: the database does not exist
  '55000': 'denied', // object_not_in_prerequisite_state: the database accepts no connections
  '23505': 'unique',
  '23000': 'broken', // raised by the triggers that make tables append-only
}

// SQLSTATEs: postgresql.org/docs/current/errcodes-appendix.html. The first two characters are the class.
function codeOf({ code = '', constraint, routine }: DatabaseError): PostgresCode {
  // Citus reports a broken connection to another node without an SQLSTATE of its own (remote_transaction.c).
  if (routine === 'MarkRemoteTransactionFailed') return 'lost'
  const known = byState[code]
  if (known !== undefined) return known
  // Without a constraint's name, no partition matches the row. postgres/batch-engine.ts creates the partition.
  if (code === '23514') return constraint === undefined ? 'retry' : 'broken'
  // The class of the error: connection (08), invalid authorization (28), insufficient resources (53), operator
  // intervention (57) or system error (58).
  const kind = code.slice(0, 2)
  if (kind === '28') return 'denied'
  if (kind === '08' || code === '57P01' || code === '57P02') return 'lost'
  if (kind === '53' || kind === '57' || kind === '58') return 'away'
  return 'other'
}
