import type { Client, QueryResult } from 'pg'
import { PostgresError, postgresError } from './error.ts'

export interface Sent {
  /** Name of the prepared statement: one text per name. */
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

type Row = Record<string, unknown>

/** The end of a transaction, sent last. */
export const commit: Sent = { name: 'commit', text: 'COMMIT', values: [] }

/**
 * Sends all statements at once and answers the rows of each. Within a transaction all of them happen or none:
 * after one fails on the server the others fail too, and a COMMIT among them rolls back. A statement that
 * cannot be sent, because a value has no text, also stops those behind it: the server would not miss it.
 * @param client with pipelining
 * @throws PostgresError of the first that failed
 */
export async function sendAll(client: Client, statements: readonly Sent[]): Promise<Row[][]> {
  let unsent: Error | null = null
  const answers: Promise<QueryResult<Row>>[] = []
  const { stream } = client.connection
  stream.cork()
  for (const { name, text, values } of statements) {
    const { promise, reject, resolve } = Promise.withResolvers<QueryResult<Row>>()
    answers.push(promise)
    if (unsent !== null) {
      reject(unsent)
      continue
    }
    let isBeingSent = true
    client.query<Row>({ name, text, values: [...values] }, (error, result) => {
      // pg calls back at once, before `query` has returned, when it cannot bind a value (pg/lib/query.js).
      if (error && isBeingSent) unsent = error
      if (error) reject(error)
      else resolve(result)
    })
    isBeingSent = false
  }
  stream.uncork()
  const rows: Row[][] = []
  for (const [i, answer] of (await Promise.allSettled(answers)).entries()) {
    // The statements after it fail too, since their transaction is over: the first error says why.
    if (answer.status === 'rejected') throw postgresError(answer.reason)
    assertEnded(statements[i], answer.value)
    rows.push(answer.value.rows)
  }
  return rows
}

/** The COMMIT of a transaction that has failed succeeds, as a ROLLBACK. */
function assertEnded(statement: Sent | undefined, { command }: QueryResult): void {
  if (statement !== commit || command === 'COMMIT') return
  throw new PostgresError('lost', 'the transaction was rolled back')
}
