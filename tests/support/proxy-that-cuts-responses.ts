/** Cuts a response in the middle, like a network failure. */
import { createServer, request as forward } from 'node:http'
import type { Socket } from 'node:net'
import { listenLocally } from './listen-on-loopback.ts'

export interface CuttingProxy {
  readonly url: string
  readonly asked: string[]
  /** Stops the next response after the given number of bytes. */
  holdNext(bytes: number): void
  cut(): void
  close(): Promise<void>
}

export async function cuttingProxy(path: string): Promise<CuttingProxy> {
  const asked: string[] = []
  let holdAfter: number | null = null
  let held: Socket | null = null
  const proxy = createServer((incoming, outgoing) => {
    const { host, pathname, port, search } = new URL(incoming.url ?? '')
    const isCuttable = pathname === path
    if (isCuttable) asked.push(pathname + search)
    const limit = isCuttable ? holdAfter : null
    if (isCuttable) holdAfter = null
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
      held = outgoing.socket
      const pieces: Buffer[] = []
      let length = 0
      answer.on('data', (piece: Buffer) => {
        if (length >= limit) return
        pieces.push(piece)
        length += piece.length
        if (length < limit) return
        // The proxy sends the bytes as a single piece. With several pieces, the page would show the first piece
        // immediately, but all further pieces only when more data arrives.
        outgoing.write(Buffer.concat(pieces).subarray(0, limit))
        answer.destroy()
      })
      answer.on('error', () => {})
    })
    incoming.pipe(sent)
  })
  const { close, port } = await listenLocally(proxy)
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    holdNext(bytes) {
      holdAfter = bytes
    },
    cut() {
      held?.destroy()
    },
    close,
  }
}
