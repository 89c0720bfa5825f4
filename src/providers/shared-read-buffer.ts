import type { OnReadOpts, Socket } from 'node:net'

export interface Receiver {
  /** @param buffer has the bytes at its beginning, which may be used only until the function returns */
  receive(buffer: Buffer, length: number): void
}

const receiver = Symbol('receiver')
type ReadSocket = Socket & { [receiver]?: Receiver }

/**
 * All sockets with this option read into the same buffer, without a stream. Reading a piece in this way takes about 2
 * us of CPU time less than with `data` events. Sharing the buffer is safe, because Node calls `callback` directly after
 * each read.
 */
export const directReads: OnReadOpts = {
  buffer: Buffer.allocUnsafeSlow(64 * 1024),
  callback(this: unknown, length: number, buffer: Uint8Array): boolean {
    // The cast is safe, because Node calls this function with the socket as `this` and with the buffer above.
    const socket = this as ReadSocket
    const to = socket[receiver]
    if (to) to.receive(buffer as Buffer, length)
    else socket.destroy(new Error('bytes arrived before the connection had a reader'))
    return true
  },
}

/** Use `pause` and `resume` of the socket to pause the reading. */
export function receiveFrom(socket: ReadSocket, to: Receiver): void {
  socket[receiver] = to
  // Add the listener to every socket, because the listener starts the reading. Sockets with direct reads emit no `data`
  // events.
  socket.on('data', (bytes: Buffer) => to.receive(bytes, bytes.length))
}
