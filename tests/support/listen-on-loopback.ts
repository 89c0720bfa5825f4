import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

export interface LocalPort {
  readonly port: number
  readonly close: () => Promise<void>
}

/** An HTTP server can close its connections itself. */
export async function listenLocally(
  server: Server & { closeAllConnections?: () => void },
): Promise<LocalPort> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // `address()` of a listening TCP server returns an AddressInfo (node:net).
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections?.()
      await closed
    },
  }
}
