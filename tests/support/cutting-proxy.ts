/** A proxy of a browser that breaks an answer off in the middle, as a network does. */
import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'

export interface CuttingProxy {
  readonly url: string
  /** Paths with queries that were asked for of what may be cut, oldest first. */
  readonly asked: string[]
  /** The next answer ends after so many bytes, without its end. */
  cutNext(bytes: number): void
  close(): Promise<void>
}

/** @param path of the answers that may be cut */
export async function cuttingProxy(path: string): Promise<CuttingProxy> {
  const asked: string[] = []
  let cutAfter: number | null = null
  const proxy = createServer((incoming, outgoing) => {
    const { host, pathname, port, search } = new URL(incoming.url ?? '')
    const isCuttable = pathname === path
    if (isCuttable) asked.push(pathname + search)
    const limit = isCuttable ? cutAfter : null
    if (isCuttable) cutAfter = null
    const sent = forward({
      host: '127.0.0.1',
      port,
      method: incoming.method,
      path: pathname + search,
      headers: { ...incoming.headers, host },
    })
    sent.on('error', (error) => outgoing.destroy(error))
    sent.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      if (limit === null) {
        answer.pipe(outgoing)
        return
      }
      let left = limit
      answer.on('data', (piece: Buffer) => {
        if (left <= 0) return
        const part = piece.subarray(0, left)
        left -= part.length
        // The socket is closed behind the last byte, so that the browser has all before it.
        outgoing.write(part, () => left <= 0 && outgoing.socket?.end())
        if (left <= 0) answer.destroy()
      })
      answer.on('error', () => {})
    })
    incoming.pipe(sent)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    cutNext(bytes) {
      cutAfter = bytes
    },
    async close() {
      proxy.closeAllConnections()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
