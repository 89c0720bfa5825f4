import { EventEmitter } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { PostgresError } from './classify-postgres-errors.ts'
import { LookUpConnections } from './look-up-connections.ts'

class FakeClient extends EventEmitter {
  isClosed = false
  readonly connection = { stream: { destroy: () => void (this.isClosed = true) } }
  readonly sent: { readonly text: string; readonly answer: PromiseWithResolvers<unknown> }[] = []

  query(text: string): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>()
    this.sent.push({ text, answer })
    return answer.promise
  }
}

function connections(max: number, deniedMsMin?: number) {
  const clients: FakeClient[] = []
  const lookUps = new LookUpConnections(
    async () => {
      const client = new FakeClient()
      clients.push(client)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all members that look-ups use
      return client as unknown as Client
    },
    max,
    deniedMsMin,
  )
  return { clients, lookUps }
}

test('all look-ups are sent before the first response, on the connections with the fewest open queries', async () => {
  const { clients, lookUps } = connections(2)
  const looking = Array.from({ length: 100 }, (_, i) => lookUps.query(`look up ${i}`, []))
  await setImmediate()
  expect(clients.map(({ sent }) => sent.length)).toEqual([50, 50])
  for (const { answer } of clients[1]?.sent ?? []) answer.resolve({ rows: [] })
  await setImmediate()
  const later = lookUps.query('later', [])
  await setImmediate()
  expect(clients[1]?.sent.at(-1)?.text).toBe('later')
  for (const { sent } of clients) for (const { answer } of sent) answer.resolve({ rows: [] })
  await Promise.all([...looking, later])
})

test('a lost connection, and a connection that could not be opened, are replaced by the next look-up', async () => {
  const { clients, lookUps } = connections(1)
  const lost = lookUps.query('lost', [])
  await setImmediate()
  clients[0]?.sent[0]?.answer.reject(new Error('terminated'))
  clients[0]?.emit('end')
  await expect(lost).rejects.toThrow('terminated')
  const next = lookUps.query('next', [])
  await setImmediate()
  expect(clients[1]?.sent).toHaveLength(1)
  clients[1]?.sent[0]?.answer.resolve({ rows: [] })
  await next

  let tries = 0
  const away = new LookUpConnections(async () => {
    tries += 1
    throw new Error('unreachable')
  }, 1)
  await expect(away.query('one', [])).rejects.toThrow('unreachable')
  await expect(away.query('two', [])).rejects.toThrow('unreachable')
  expect(tries).toBe(2)
  await away.end()
})

test('a connection whose session is denied is replaced, and is closed when its other look-ups have returned', async () => {
  const { clients, lookUps } = connections(1, 0)
  const looking = [lookUps.query('one', []), lookUps.query('two', [])]
  await setImmediate()
  clients[0]?.sent[0]?.answer.reject(new PostgresError('denied', 'no such table'))
  await expect(looking[0]).rejects.toThrow('no such table')
  expect(clients[0]?.isClosed).toBe(false)
  const next = lookUps.query('next', [])
  await setImmediate()
  expect(clients[1]?.sent).toHaveLength(1)
  for (const { sent } of clients) for (const { answer } of sent) answer.resolve({ rows: [] })
  await Promise.all([looking[1], next])
  expect(clients.map(({ isClosed }) => isClosed)).toEqual([true, false])
})

test('a denied connection that was opened just now is kept', async () => {
  const { clients, lookUps } = connections(1, 1e9)
  const looking = lookUps.query('one', [])
  await setImmediate()
  clients[0]?.sent[0]?.answer.reject(new PostgresError('denied', 'no such table'))
  await expect(looking).rejects.toThrow('no such table')
  const next = lookUps.query('next', [])
  await setImmediate()
  expect(clients.map(({ sent }) => sent.length)).toEqual([2])
  clients[0]?.sent[1]?.answer.resolve({ rows: [] })
  await next
})

test('after the connections are closed, a look-up fails and opens no connection', async () => {
  const { clients, lookUps } = connections(1)
  await lookUps.end()
  const [late] = await Promise.allSettled([Promise.race([lookUps.query('late', []), setImmediate('waits')])])
  expect(clients).toEqual([])
  expect(late).toMatchObject({
    status: 'rejected',
    reason: { message: 'the connections for look-ups are closed' },
  })
})
