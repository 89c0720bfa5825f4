import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface LocalPort {
  readonly port: number
  readonly close: () => Promise<void>
}

export async function listenLocally(server: HttpServer | HttpsServer): Promise<LocalPort> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // `address()` of a listening TCP server returns an AddressInfo (node:net).
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
