import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import type { NoticeListener, Notices } from '#domain/messages-between-processes-interface.ts'
import { close, connect } from './connection.ts'

const channel = 'tollgate'
const againMs = 1_000
/** Interval between the queries that test the connection. A query fails if the network has dropped the connection. */
const askEveryMs = 10_000

export class PostgresNotices implements Notices {
  readonly #url: string
  #listener: NoticeListener | null = null
  #client: Promise<Client | null>
  #isClosed = false
  readonly #asking: NodeJS.Timeout

  constructor(url: string) {
    this.#url = url
    this.#client = this.#connected()
    this.#asking = setInterval(() => void this.#query('SELECT 1', []), askEveryMs)
    this.#asking.unref()
  }

  listen(listener: NoticeListener): void {
    this.#listener = listener
  }

  send(text: string): Promise<void> {
    return this.#query('SELECT pg_notify($1, $2)', [channel, text])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#asking)
    const client = await this.#client
    if (client) close(client)
  }

  async #query(text: string, values: readonly string[]): Promise<void> {
    const client = await this.#client
    if (client === null || this.#isClosed) return
    try {
      await client.query(text, [...values])
    } catch {
      close(client)
    }
  }

  /** Null if the listener was closed in the meantime. */
  async #connected(): Promise<Client | null> {
    while (!this.#isClosed) {
      let client: Client | null = null
      try {
        // oxlint-disable-next-line no-await-in-loop -- repeats until a connection is open
        client = await connect({ url: this.#url, access: 'write' })
        client.on('notification', ({ payload }) => this.#listener?.onNotice(payload ?? ''))
        // oxlint-disable-next-line no-await-in-loop -- see above
        await client.query(`LISTEN ${channel}`)
        // If the connection ends before it listens, this loop opens the next connection.
        client.on('end', () => {
          if (this.#isClosed) return
          this.#client = this.#connected()
          this.#listener?.onLost()
        })
        return client
      } catch {
        if (client !== null) close(client)
        // oxlint-disable-next-line no-await-in-loop -- see above
        await delay(againMs, undefined, { ref: false })
      }
    }
    return null
  }
}
