import type { Client, QueryResult } from 'pg'
import { PostgresError, postgresError } from './classify-postgres-errors.ts'

export interface Sent {
  /** All statements with the same name must have the same text. */
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

type Row = Record<string, unknown>

/** Must be the last of the statements that are sent together. */
export const commit: Sent = { name: 'commit', text: 'COMMIT', values: [] }

/**
 * Sends all statements together and returns the rows of each. Within a transaction, either all statements take effect
 * or none. If a statement fails on the server, the later statements fail too, and a COMMIT among them rolls back. If a
 * statement cannot be sent because a value has no text form, later statements are not sent. Otherwise the server would
 * commit without that statement.
 * @param client a client with `isPipelined`
 * @throws PostgresError from the first statement that failed
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
      // If pg cannot bind a value, it calls back before `query` has returned (pg/lib/query.js).
      if (error && isBeingSent) unsent = error
      if (error) reject(error)
      else resolve(result)
    })
    isBeingSent = false
  }
  stream.uncork()
  const rows: Row[][] = []
  for (const [i, answer] of (await Promise.allSettled(answers)).entries()) {
    // Throw the first error. The later ones only report that the transaction has ended.
    if (answer.status === 'rejected') throw postgresError(answer.reason)
    assertEnded(statements[i], answer.value)
    rows.push(answer.value.rows)
  }
  return rows
}

/** Checks the command, because the COMMIT of a failed transaction rolls back without an error. */
function assertEnded(statement: Sent | undefined, { command }: QueryResult): void {
  if (statement !== commit || command === 'COMMIT') return
  throw new PostgresError('lost', 'the transaction was rolled back')
}
