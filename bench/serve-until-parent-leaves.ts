import type { Server } from 'node:http'

/**
 * Listens on a free loopback port, prints `{"url"}` as the one line of standard output, and ends the process on SIGTERM
 * or when standard input ends: a killed bench leaves nothing running.
 */
export function serveUntilParentLeaves(server: Server): void {
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the server has no port')
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}` })}\n`)
  })
  process.on('SIGTERM', leave)
  process.stdin.on('end', leave)
  process.stdin.resume()
}

function leave(): void {
  process.exit(0)
}
