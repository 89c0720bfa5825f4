import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { Listeners } from './listeners.ts'

test('a free port that another program takes first is none: the next one is listened on', async () => {
  const others: Server[] = []
  const offered: (number | null)[] = []
  const listeners = new Listeners((port) => {
    offered.push(port)
    if (offered.length <= 2) others.push(createTcpServer().listen(port ?? 0, '127.0.0.1'))
    return createServer()
  })
  const port = await listeners.listenFrom(0)
  expect(offered).toHaveLength(3)
  expect(offered.at(-1)).toBe(port)
  await listeners.close()
  for (const other of others) {
    const closed = once(other, 'close')
    other.close()
    await closed
  }
})

test('an application whose port is now the process’s own gets another one', async () => {
  const listeners = new Listeners(() => createServer())
  const own = await listeners.listen('127.0.0.1', 0)
  const kept = await listeners.keep(own, () => listeners.listenFrom(0))
  expect(kept).not.toBe(own)
  // One that it listens at for the application already is kept.
  expect(await listeners.keep(kept, () => Promise.reject(new Error('a free port was asked for')))).toBe(kept)
  await listeners.close()
})
