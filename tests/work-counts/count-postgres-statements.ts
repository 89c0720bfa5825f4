/** Counts only what this process sends. */
import pg from 'pg'

export interface PostgresCounts {
  statements: number
  rows: number
  commits: number
  roundTrips: number
}

/** Call this only once in a process. */
export function countPostgres(): PostgresCounts {
  const counts: PostgresCounts = { statements: 0, rows: 0, commits: 0, roundTrips: 0 }
  /** Statements without a response, by client. If a client has none, its next statement begins a round trip. */
  const unanswered = new WeakMap<pg.Client, number>()
  // oxlint-disable-next-line typescript/unbound-method -- it is applied to the client below
  const query = pg.Client.prototype.query as (...parameters: unknown[]) => unknown
  pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]): unknown {
    const [asked] = parameters
    // Every statement of the ledger has a name. Most other statements have none, and their number depends on time.
    const { name, text } = asked as { readonly name?: string; readonly text: string }
    const onAnswer = parameters.at(-1)
    if (name === undefined || typeof onAnswer !== 'function') return Reflect.apply(query, this, parameters)
    const waiting = unanswered.get(this) ?? 0
    unanswered.set(this, waiting + 1)
    if (waiting === 0) counts.roundTrips += 1
    counts.statements += 1
    if (text === 'COMMIT') counts.commits += 1
    parameters[parameters.length - 1] = (error: unknown, result?: pg.QueryResult) => {
      unanswered.set(this, (unanswered.get(this) ?? 1) - 1)
      if (result) counts.rows += rowsChangedBy(result)
      Reflect.apply(onAnswer, null, [error, result])
    }
    return Reflect.apply(query, this, parameters)
  } as typeof pg.Client.prototype.query
  return counts
}

/** A statement that writes several tables returns the total of changed rows (src/store/postgres/batch-writes.ts). */
function rowsChangedBy({ command, rowCount, rows }: pg.QueryResult): number {
  if (command !== 'SELECT') return rowCount ?? 0
  const [row] = rows as { readonly changed?: unknown }[]
  return typeof row?.changed === 'bigint' ? Number(row.changed) : 0
}
