import type { Client, QueryResult } from 'pg'
import { postgresCode } from './classify-postgres-errors.ts'
import { close } from './connection.ts'

interface Connection {
  readonly client: Promise<Client>
  readonly openedAtMs: number
  unanswered: number
  isReplaced: boolean
}

/**
 * Connections for look-ups. Each query is sent immediately, even if earlier queries of its connection have no response
 * yet. In a pool, a connection has only one query at a time, so it runs one query in a turn of the event loop. Under
 * overload, a turn takes 25 ms or more, and hundreds of look-ups would wait for seconds.
 */
export class LookUpConnections {
  readonly #connect: () => Promise<Client>
  readonly #max: number
  readonly #deniedMsMin: number
  readonly #connections = new Set<Connection>()
  #isEnded = false

  /**
   * @param connect opens a connection that sends queries before earlier queries have returned
   * @param deniedMsMin minimum age of a denied connection that is replaced, so that many denied queries open few
   *   connections
   */
  constructor(connect: () => Promise<Client>, max: number, deniedMsMin = 1_000) {
    this.#connect = connect
    this.#max = max
    this.#deniedMsMin = deniedMsMin
  }

  async query<R extends Record<string, unknown>>(text: string, values: unknown[]): Promise<QueryResult<R>> {
    // Nothing would close a connection that opens now.
    if (this.#isEnded) throw new Error('the connections for look-ups are closed')
    const connection = this.#leastBusy()
    connection.unanswered += 1
    try {
      const client = await connection.client
      return await client.query<R>(text, values)
    } catch (error) {
      if (postgresCode(error) === 'denied') this.#replace(connection)
      throw error
    } finally {
      connection.unanswered -= 1
      if (connection.isReplaced && connection.unanswered === 0) close(await connection.client)
    }
  }

  /** The session may have settings that an operator has corrected since, such as the schema search path. */
  #replace(connection: Connection): void {
    if (performance.now() - connection.openedAtMs < this.#deniedMsMin) return
    connection.isReplaced = true
    this.#connections.delete(connection)
  }

  async end(): Promise<void> {
    this.#isEnded = true
    const opened = await Promise.allSettled([...this.#connections].map(({ client }) => client))
    for (const one of opened) if (one.status === 'fulfilled') close(one.value)
  }

  /** A slow query thus delays few other queries. */
  #leastBusy(): Connection {
    let best: Connection | null = null
    for (const one of this.#connections) if (best === null || one.unanswered < best.unanswered) best = one
    const mayOpen = this.#connections.size < this.#max
    return best === null || (best.unanswered > 0 && mayOpen) ? this.#open() : best
  }

  #open(): Connection {
    const opened: Connection = {
      client: this.#connect(),
      openedAtMs: performance.now(),
      unanswered: 0,
      isReplaced: false,
    }
    this.#connections.add(opened)
    // A lost connection is replaced by the next query.
    const remove = (): void => void this.#connections.delete(opened)
    opened.client.then((client) => client.on('end', remove), remove)
    return opened
  }
}
