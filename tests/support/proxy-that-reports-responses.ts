import { createServer } from 'node:http'
import { listenLocally } from './listen-on-loopback.ts'

export interface WatchingProxy {
  readonly url: string
  close(): Promise<void>
}

/**
 * @param answered receives the path and the text of each response, and returns the text to forward
 * @param before runs before a request to the given path is forwarded
 */
export async function watchingProxy(
  server: string,
  answered: (path: string, text: string) => string,
  before: (path: string) => Promise<void> = async () => {},
): Promise<WatchingProxy> {
  const proxy = createServer((request, response) => {
    const forward = async (): Promise<void> => {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(Buffer.from(piece))
      await before(request.url ?? '/')
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
      const path = request.url ?? '/'
      const answer = await fetch(server + path, {
        method: request.method ?? 'GET',
        headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
        ...(pieces.length > 0 && { body: Buffer.concat(pieces) }),
      })
      const type = answer.headers.get('content-type') ?? 'application/json'
      const retry = answer.headers.get('x-should-retry')
      const text = answered(path, await answer.text())
      response.writeHead(answer.status, {
        'content-type': type,
        ...(retry !== null && { 'x-should-retry': retry }),
      })
      response.end(text)
    }
    forward().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  const { close, port } = await listenLocally(proxy)
  return {
    url: `http://127.0.0.1:${port}`,
    close,
  }
}
