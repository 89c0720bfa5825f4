import type { Server } from 'node:net'

/**
 * Listens on a free loopback port and prints `{"url"}` as the only line of standard output. The process ends on SIGTERM
 * or when standard input ends, so that no process remains if the benchmark is killed.
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
