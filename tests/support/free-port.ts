import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * The chosen ports are below the range that systems use for connections and for listeners on port 0 (32768 and up on
 * Linux).
 */
const first = 12_000
const last = 32_000

/**
 * Returns a free loopback port for a program that needs a port number, listens a moment later, and may stop and start
 * again. In one of a few hundred cases, another program would take an ephemeral port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, last)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      // oxlint-disable-next-line no-await-in-loop -- one port after the other
      await once(server, 'listening')
    } catch {
      continue
    }
    server.close()
    // oxlint-disable-next-line no-await-in-loop -- the last one
    await once(server, 'close')
    return port
  }
}
