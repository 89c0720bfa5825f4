import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import type { Answer, Application, User } from './harness.ts'

const keptAlive = new Agent({ keepAlive: true })

/**
 * Like fetch, with a Host of its own: the port selects the process, the Host the application.
 * @throws when the connection breaks before the answer's end
 */
export async function postAt(
  port: number,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Answer> {
  const asking = request({
    agent: keptAlive,
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    ...(signal && { signal }),
  })
  asking.end(body)
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  response.setEncoding('utf8')
  let text = ''
  for await (const piece of response) text += String(piece)
  const read = new Headers()
  for (const [name, value] of Object.entries(response.headers)) read.set(name, String(value))
  return { status: response.statusCode ?? 0, headers: read, text, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * A call at the port of one process, like a proxy's: the port selects the process, the Host the application.
 * @returns the status, and 0 when the connection broke
 */
export function callAt(
  port: number,
  {
    app,
    agent,
    body = {},
    user,
  }: {
    readonly app: Pick<Application, 'bodyOf' | 'gatewayHost'>
    readonly user: Pick<User, 'key'>
    readonly body?: object
    readonly agent?: Agent
  },
): Promise<number> {
  return new Promise((resolve) => {
    const text = app.bodyOf(body)
    const asking = request({
      ...(agent && { agent }),
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: '/v1/chat/completions',
      headers: {
        host: app.gatewayHost,
        authorization: `Bearer ${user.key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      },
    })
    asking.on('error', () => resolve(0))
    asking.on('response', (response) => {
      response.on('error', () => resolve(0))
      response.on('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0))
      response.resume()
    })
    asking.end(text)
  })
}
