import { Client, type ClientConfig, Pool } from 'pg'
import { PostgresError, postgresError } from './classify-postgres-errors.ts'

/** PostgreSQL 14 is the oldest version that still receives fixes (postgresql.org/support/versioning). */
const majorMin = 14

export const lockMsMax = 5_000
/**
 * How long a transaction waits for the row of an end user, in milliseconds. Others wait meanwhile: all end users of a
 * ledger connection, or all transactions of the control plane. The locks of other batches last a few milliseconds. A
 * longer lock belongs to a process that does not respond, or to an operator's own transaction.
 */
export const rowLockMsMax = 1_000

/**
 * A wait for a lock may take as long as a row transaction may be open (database.ts). A batch takes milliseconds, so a
 * batch that has taken seconds is stuck and is canceled. A client that pauses within a transaction is disconnected,
 * because other transactions wait for its locks.
 */
const limits = {
  lockMs: lockMsMax,
  statementMs: 10_000,
  idleInTransactionMs: 10_000,
  /** Applies if the network fails. Must be longer than all other limits. */
  answerMs: 15_000,
  connectMs: 5_000,
} as const

/**
 * For a ledger connection (lane) to a node: connecting and one statement together take at most `limits.statementMs`.
 */
const briefLimits = { ...limits, statementMs: 6_000, answerMs: 7_000, connectMs: 2_000 } as const

/** Object IDs of types: postgresql.org/docs/current/catalog-pg-type.html */
const int2 = 21
const int4 = 23
const int8 = 20
const numeric = 1700

/**
 * Returns integers as bigint, like node:sqlite. PostgreSQL returns a sum of int8 as numeric. In this program, such sums
 * are always integers.
 */
function parserOf(type: number): (text: string) => unknown {
  return type === int2 || type === int4 || type === int8 || type === numeric ? BigInt : (text) => text
}

export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database?sslmode=...`. Never appears in an error or a log line. */
  readonly url: string
  readonly access: 'write' | 'read'
  /** Whether queries are sent before earlier queries have returned. */
  readonly isPipelined?: boolean
  /**
   * Whether queries have no time limit, for tools that read or copy the whole database. Connecting still has a limit.
   */
  readonly isPatient?: boolean
  /** Whether time limits are short, so that end users soon get an error if one of several nodes does not respond. */
  readonly isBrief?: boolean
  /**
   * Whether the server plans each prepared statement only once (`plannedOnce`). Only for connections whose statements
   * all find rows by an index.
   */
  readonly isPlannedOnce?: boolean
}

/**
 * By default, PostgreSQL plans a statement with short array parameters again at each execution, because it expects ten
 * values in an unknown array. For the writes of a batch, planning takes more CPU time than execution.
 *
 * The plan must also be good after the tables have grown. All other kinds of plans read whole tables, so only nested
 * loops over indexes are allowed. An unavoidable scan of a small table has an artificially high cost, which would start
 * the just-in-time compiler.
 *
 * Pages cost nothing, so the plan that looks at the fewest rows wins. Otherwise, the plan also depends on the sizes of
 * the indexes. A vacuum of `holds` leaves few rows in large indexes. For each ended call, the planner then preferred to
 * read a smaller index as a whole. If the vacuum found only a few rows, the planner still considers reading all of
 * them the cheapest plan. The statements on `holds` therefore allow no such plan (`oneOf` in sql-for-sharded-tables.ts).
 */
const plannedOnce = `
    SET plan_cache_mode = force_generic_plan;
    SET enable_seqscan = off;
    SET enable_hashjoin = off;
    SET enable_mergejoin = off;
    SET seq_page_cost = 0;
    SET random_page_cost = 0;
    SET jit = off;`

function limitsOf({
  isBrief = false,
}: Pick<ConnectionOptions, 'isBrief'>): typeof limits | typeof briefLimits {
  return isBrief ? briefLimits : limits
}

function configOf(options: ConnectionOptions): ClientConfig {
  const { url, isPatient = false, isPipelined = false } = options
  const { answerMs, connectMs } = limitsOf(options)
  return {
    connectionString: url,
    application_name: 'tollgate',
    connectionTimeoutMillis: connectMs,
    ...(isPatient ? {} : { query_timeout: answerMs }),
    keepAlive: true,
    pipeline: isPipelined,
    types: { getTypeParser: parserOf },
  }
}

/** @throws PostgresError */
export async function connect(options: ConnectionOptions): Promise<Client> {
  const client = new Client(configOf(options))
  // A broken connection rejects its queries. Without a listener, the error would also end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await prepareSession(client, options)
    return client
  } catch (cause) {
    close(client)
    const error = postgresError(cause)
    if (error === cause) throw error
    const message = connectionFault(error)
    // The next attempt needs a new connection as well, so an error during the connection never depends on a query.
    const code = error.code === 'lost' || error.code === 'other' ? 'unreachable' : error.code
    throw new PostgresError(code, message, { cause })
  }
}

/** Returns a sentence with the reason and with what an operator can do. */
export function connectionFault(error: PostgresError): string {
  const { cause, message } = error
  // The driver's message if the server requires a password (pg/lib/crypto/sasl.js).
  if (message.includes('client password must be a string')) {
    return 'PostgreSQL requires a password. Set the password in PGPASSWORD, or in the address of the database (DATABASE_URL)'
  }
  // The driver's message if sslmode requires TLS, and the server has none (pg/lib/connection.js).
  if (message.includes('does not support SSL')) {
    return `The connection to PostgreSQL failed (${message}). Turn on TLS in PostgreSQL, or remove sslmode from the address of the database (DATABASE_URL)`
  }
  const code = codeIn(cause)
  const advice = adviceByCode[code] ?? (tlsCodes.test(code) ? tlsAdvice : null)
  if (advice !== null) return `The connection to PostgreSQL failed (${message}). ${advice}`
  if (error.code !== 'lost' && error.code !== 'other') return message
  return `The connection to PostgreSQL failed (${message}). Check the address of the database (DATABASE_URL), and that the database is running`
}

/** An SQLSTATE, or an error code of Node.js. Empty if the error has none. */
function codeIn(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
}

const adviceByCode: Readonly<Record<string, string>> = {
  '28P01':
    'Set the current password in PGPASSWORD, or in the address of the database (DATABASE_URL), and restart the server. PostgreSQL also rejects a password that has expired',
  '28000':
    'Check the role in the address of the database (DATABASE_URL), and pg_hba.conf of the server. If the server requires TLS, add sslmode=verify-full to the address',
  '3D000': 'Create the database, or correct its name in DATABASE_URL',
  '42501': 'Grant the role of DATABASE_URL the right to connect to the database',
  '53300':
    'End connections of other programs, or raise max_connections of PostgreSQL. Each process of the server needs 12 connections',
}

/** Codes of Node.js for certificates that it does not accept (nodejs.org/api/tls.html#x509-certificate-error-codes). */
const tlsCodes = /CERT|UNABLE_TO_|^HOSTNAME_MISMATCH$/
const tlsAdvice =
  'Add sslrootcert with the file of the certificate authority to the address of the database (DATABASE_URL), and use the host name in the certificate of the server'

export async function withClient<T>(
  options: ConnectionOptions,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await connect(options)
  try {
    return await work(client)
  } finally {
    close(client)
  }
}

export function poolOf(options: ConnectionOptions, connectionsMax: number): Pool {
  const pool = new Pool({
    ...configOf(options),
    max: connectionsMax,
    // oxlint-disable-next-line typescript/no-misused-promises -- pg-pool waits for it (pg-pool/index.js, `onConnect`)
    onConnect: (client) => {
      // The pool does not listen for errors while a connection is in use, and an error without a listener ends the
      // process.
      client.on('error', () => {})
      return prepareSession(client, options)
    },
  })
  pool.on('error', () => {})
  return pool
}

/** Closes the connection without notifying the server, even if the server does not respond. */
export function close(client: Client): void {
  client.connection.stream.destroy()
}

type Session = Pick<Client, 'query'>

/**
 * Connections wait idle for work, and a migration is one long transaction. PostgreSQL has these time limits since
 * version 14 and 17.
 */
const noOtherTimeLimits = `SELECT
      CASE WHEN version >= 140000 THEN set_config('idle_session_timeout', '0', false) END,
      CASE WHEN version >= 170000 THEN set_config('transaction_timeout', '0', false) END
    FROM (SELECT current_setting('server_version_num')::int8 AS version) AS server`

/** Sets the session settings that durability depends on, and checks the settings that a session cannot change. */
async function prepareSession(
  session: Session,
  options: Pick<ConnectionOptions, 'access' | 'isPatient' | 'isBrief' | 'isPlannedOnce'>,
): Promise<void> {
  const { access, isPatient = false, isPlannedOnce = false } = options
  const { idleInTransactionMs, lockMs, statementMs } = limitsOf(options)
  await session.query(`${isPlannedOnce ? plannedOnce : ''}
    SET lock_timeout = ${lockMs};
    SET statement_timeout = ${isPatient ? 0 : statementMs};
    SET idle_in_transaction_session_timeout = ${isPatient ? 0 : idleInTransactionMs};
    SET default_transaction_isolation = 'read committed';
    SET default_transaction_read_only = ${access === 'read' ? 'on' : 'off'};
    SET array_nulls = on;
    ${noOtherTimeLimits}`)
  const { rows } = await session.query<Standing>(
    `SELECT current_setting('server_version_num')::int8 / 10000 AS major,
       CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END AS is_replica,
       current_setting('synchronous_commit') AS synchronous_commit`,
  )
  const fault = rows[0] === undefined ? 'it does not report its version and settings' : faultOf(rows[0])
  if (fault !== null) throw new PostgresError('away', `The database cannot be used: ${fault}`)
}

interface Standing {
  readonly major: bigint
  readonly is_replica: bigint
  readonly synchronous_commit: string
}

/** Returns null if this server keeps every commit that it confirms; otherwise the reason. */
export function faultOf({ is_replica, major, synchronous_commit }: Standing): string | null {
  if (major < majorMin) return `PostgreSQL ${major} is too old, ${majorMin} or newer is needed`
  // A replica may still return a balance that was already spent on the primary server.
  if (is_replica === 1n) return 'it is a replica, and only the primary has the latest balances'
  // With a weaker setting, a crash loses commits that the server has confirmed.
  if (synchronous_commit !== 'on' && synchronous_commit !== 'remote_apply') {
    return `its synchronous_commit is ${synchronous_commit}: set it to on, or money that was confirmed can be lost`
  }
  return null
}
