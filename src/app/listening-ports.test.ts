import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { Listeners, steadyPort } from './listening-ports.ts'

test('if another program takes a free port before the server listens on the port, the server uses the next port', async () => {
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

test('concurrent searches find different ports, and skip ports that are in use or reserved', async () => {
  const listeners = new Listeners(() => createServer())
  const first = await steadyPort('127.0.0.1')
  const other = createTcpServer().listen(first, '127.0.0.1')
  await once(other, 'listening')
  const owned = first + 2
  const ports = await Promise.all(
    Array.from({ length: 12 }, () => listeners.listenFrom(first, (port) => port === owned)),
  )
  expect(new Set(ports).size).toBe(12)
  expect(ports).not.toContain(first)
  expect(ports).not.toContain(owned)
  expect(ports.every((port) => listeners.has(port))).toBe(true)
  await listeners.close()
  other.close()
  await once(other, 'close')
})

test('a port for workers is below the ephemeral range and not in use', async () => {
  const taken = await steadyPort('127.0.0.1')
  expect(taken).toBeGreaterThanOrEqual(10_000)
  expect(taken).toBeLessThan(32_768)
  const other = createTcpServer().listen(taken, '127.0.0.1')
  await once(other, 'listening')
  // The first random number selects the taken port, and the second the next port.
  const draws = [taken, taken + 1].map((port) => (port - 10_000 + 0.5) / 22_768)
  const next = await steadyPort('127.0.0.1', () => draws.shift() ?? Math.random())
  expect(next).not.toBe(taken)
  other.close()
  await once(other, 'close')
})

test('an application gets another port if this process now uses the application’s port for itself', async () => {
  const listeners = new Listeners(() => createServer())
  const own = await listeners.listen('127.0.0.1', 0)
  const kept = await listeners.keep(own, () => listeners.listenFrom(0))
  expect(kept).not.toBe(own)
  // The process already serves the application on this port.
  expect(await listeners.keep(kept, () => Promise.reject(new Error('a free port was asked for')))).toBe(kept)
  await listeners.close()
})

test('a burst of connections is accepted by the system while the process is busy', async () => {
  const connections = 1_000
  const listeners = new Listeners(() => createServer())
  const port = await listeners.listen('127.0.0.1', 0)
  const connected = new Int32Array(new SharedArrayBuffer(4))
  const client = new Worker(
    `const { connect } = require('node:net')
     const { workerData: { connected, connections, port } } = require('node:worker_threads')
     for (let opened = 0; opened < connections; opened++)
       connect(port, '127.0.0.1', () => {
         if (Atomics.add(connected, 0, 1) + 1 === connections) Atomics.notify(connected, 0)
       }).on('error', () => {})`,
    { eval: true, workerData: { connected, connections, port } },
  )
  await once(client, 'online')
  // The main thread accepts no connection while it waits here.
  for (let count = 0; count < connections; count = Atomics.load(connected, 0))
    if (Atomics.wait(connected, 0, count, 20_000) === 'timed-out') break
  expect(Atomics.load(connected, 0)).toBe(connections)
  await client.terminate()
  await listeners.close()
})
