import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import type { NoticeListener, Notices } from '#domain/notices.ts'
import { close, connect } from './connection.ts'

const channel = 'tollgate'
const againMs = 1_000
/** A connection that a network has forgotten is found by asking. */
const askEveryMs = 10_000

/** LISTEN and NOTIFY on a connection of its own, which is made again when it breaks. */
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

  /** Null: it was closed meanwhile. */
  async #connected(): Promise<Client | null> {
    while (!this.#isClosed) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- until there is one
        const client = await connect({ url: this.#url, access: 'write' })
        client.on('notification', ({ payload }) => this.#listener?.onNotice(payload ?? ''))
        client.on('end', () => {
          if (this.#isClosed) return
          this.#client = this.#connected()
          this.#listener?.onLost()
        })
        // oxlint-disable-next-line no-await-in-loop -- as above
        await client.query(`LISTEN ${channel}`)
        return client
      } catch {
        // oxlint-disable-next-line no-await-in-loop -- as above
        await delay(againMs, undefined, { ref: false })
      }
    }
    return null
  }
}
