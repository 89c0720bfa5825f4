import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openStore } from '#app/open-store.ts'
import { readConfig } from '#app/server-configuration.ts'
import { withClient } from '#store/postgres/connection.ts'
import { PostgresNotices } from '#store/postgres/listen-and-notify.ts'
import { hasPostgres, newDatabase } from '../support/start-postgres.ts'
import { eventually } from '../support/start-product.ts'

describe.runIf(hasPostgres)('notices between processes', () => {
  let database: Awaited<ReturnType<typeof newDatabase>>
  let close: () => Promise<unknown>
  let url: string
  const open = new Set<Socket>()
  /** Number of further LISTEN statements for which the proxy closes the connection. */
  let cuts: number

  beforeEach(async () => {
    database = await newDatabase()
    cuts = 0
    const target = new URL(database.url)
    const proxy = createServer((client) => {
      const server = connect(Number(target.port), target.hostname)
      open.add(client)
      client
        .on('error', () => {})
        .on('close', () => {
          open.delete(client)
          server.destroy()
        })
      server.on('error', () => {}).on('close', () => client.destroy())
      client.on('data', (piece) => {
        if (cuts > 0 && piece.includes('LISTEN')) {
          cuts -= 1
          client.destroy()
        } else server.write(piece)
      })
      server.on('data', (piece) => client.write(piece))
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    // `address()` of a listening TCP server returns an AddressInfo (node:net).
    url = Object.assign(new URL(database.url), { port: String((proxy.address() as AddressInfo).port) }).href
    close = () => new Promise((resolve) => proxy.close(resolve))
  })
  afterEach(async () => {
    for (const socket of open) socket.destroy()
    await close()
    await database.drop()
  })

  test('if the connection for notices cannot be closed, the store is still closed', async () => {
    const write = (): void => {}
    const log = { debug: write, info: write, warn: write, error: write }
    const store = await openStore(readConfig({ DATABASE_URL: database.url }), log)
    const { notices } = store
    assert(notices)
    vi.spyOn(notices, 'close').mockRejectedValueOnce(new Error('the connection fails'))
    await expect(store.close()).rejects.toThrow('the connection fails')
    const { rows } = await withClient({ url: database.url, access: 'read' }, (client) =>
      client.query('SELECT epoch FROM epochs WHERE ended_at_ms IS NULL'),
    )
    expect(rows).toEqual([])
    await notices.close()
  })

  test('if the connection breaks while it begins to listen, the process still has one connection, and gets each notice once', async () => {
    cuts = 1
    const notices = new PostgresNotices(url)
    const got: string[] = []
    notices.listen({ onNotice: (text) => void got.push(text), onLost: () => {} })
    await notices.send('before')
    await eventually(async () => {
      expect(cuts).toBe(0)
      await notices.send('again')
      expect(got.length).toBeGreaterThan(0)
    })
    // The process waits a second before each attempt to connect, so a second connection would be open after this time.
    await delay(1_500)
    await notices.send('once')
    await eventually(async () => expect(got).toContain('once'))
    await delay(100)
    expect(got.filter((text) => text === 'once')).toEqual(['once'])
    expect(open.size).toBe(1)
    await notices.close()
    await eventually(async () => expect(open.size).toBe(0))
  })
})
