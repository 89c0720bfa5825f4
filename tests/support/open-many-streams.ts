/** Plain sockets cost a test less than `fetch`. */
import { connect, type Socket } from 'node:net'
import type { Application, User } from './start-product.ts'

export interface StreamClient {
  readonly socket: Socket
  readonly received: () => string
  readonly closed: Promise<void>
}

/** @param isRead whether the client reads the response */
export function openStream(
  app: Pick<Application, 'bodyOf' | 'gatewayPort'>,
  { key }: Pick<User, 'key'>,
  { body = {}, isRead }: { readonly body?: object; readonly isRead: boolean },
): StreamClient {
  const text = app.bodyOf({ stream: true, ...body })
  const socket = connect(app.gatewayPort, '127.0.0.1')
  let received = ''
  if (isRead) socket.on('data', (bytes) => (received += bytes.toString('latin1')))
  else socket.pause()
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${app.gatewayPort}\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  return { socket, received: () => received, closed }
}

/** Opens connections in steps, because the system lets only few connections wait to be accepted. */
export async function openStreams<T>(
  count: number,
  open: (n: number) => T,
  isOpen: (one: T) => Promise<void>,
): Promise<T[]> {
  const opened: T[] = []
  while (opened.length < count) {
    const step = Array.from({ length: Math.min(100, count - opened.length) }, (_, n) =>
      open(opened.length + n),
    )
    opened.push(...step)
    // oxlint-disable-next-line no-await-in-loop -- one step after the other
    await Promise.all(step.map(isOpen))
  }
  return opened
}
