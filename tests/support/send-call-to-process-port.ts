import { type Agent, request } from 'node:http'
import type { Application, User } from './start-product.ts'

/**
 * The port selects the process, and the Host header selects the application.
 * @returns the status, or 0 if the connection broke
 */
export function callAtPort(
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
