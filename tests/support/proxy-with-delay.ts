import { connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export interface SlowProxy {
  readonly port: number
  /** The delay of each piece, in milliseconds. A database client sends each statement as one piece. */
  delayMs: number
  close(): Promise<void>
}

export async function slowProxy(port: number): Promise<SlowProxy> {
  const sockets = new Set<Socket>()
  const own = { delayMs: 0 }
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    // All pieces have the same delay, so their order does not change.
    client.on('data', (piece) => {
      if (own.delayMs === 0) target.write(piece)
      else setTimeout(() => target.write(piece), own.delayMs)
    })
    target.on('data', (piece) => client.write(piece))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(own, {
    // `address()` of a listening TCP server returns an AddressInfo (node:net).
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  })
}
