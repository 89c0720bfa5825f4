import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { openStreams } from './open-loop-load-driver.ts'
import type { Target } from './targets-and-scenarios.ts'

async function targetThat(responds: RequestListener): Promise<Target> {
  const server = createServer(responds)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    name: 'test',
    url: `http://127.0.0.1:${port}`,
    pid: null,
    keys: ['key'],
    modelName: ({ upstreamModel }) => upstreamModel,
    isGateway: false,
    answered: { calls: 0 },
  }
}

test('a stream that the server ends is no longer open, even if its connection is', async () => {
  const endings: (() => void)[] = []
  const target = await targetThat((_, response) => {
    response.writeHead(200).write('data: 1\n\n')
    endings.push(() => response.end('data: {"error":{}}\n\n'))
  })
  const streams = await openStreams(target, 2)
  endings[0]?.()
  await expect.poll(() => streams.filter(({ isOpen }) => isOpen).length).toBe(1)
  expect(streams.map(({ socket }) => socket.destroyed)).toEqual([false, false])
  for (const { socket } of streams) socket.destroy()
})

test('a rejected request is not counted as an open stream', async () => {
  const target = await targetThat((_, response) => {
    response.writeHead(503, { 'content-length': 2 }).end('{}')
  })
  await expect(openStreams(target, 1)).rejects.toThrow('with status 503')
})

test('the time without data after the last chunk counts as a pause', async () => {
  const target = await targetThat((_, response) => {
    response.writeHead(200).write('data: 1\n\n')
  })
  const [stream] = await openStreams(target, 1)
  await expect.poll(() => stream?.longestPauseMs()).toBeGreaterThan(30)
  stream?.socket.destroy()
})
