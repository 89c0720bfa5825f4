import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'

interface Posted {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
  readonly body: any
}

const keptAlive = new Agent({ keepAlive: true })

/**
 * The port selects the process, and the Host header selects the application.
 * @throws if the connection breaks before the response's end
 */
export function postAt(
  port: number,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Posted> {
  return askAt(port, {
    method: 'POST',
    path: '/v1/chat/completions',
    body,
    headers,
    ...(signal && { signal }),
  })
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** If the connection breaks, only `onText` has received the earlier pieces. */
  readonly onText?: (piece: string) => void
}

export async function askAt(
  port: number,
  { body = '', headers, method, onText, path, signal }: Asked,
): Promise<Posted> {
  const asking = request({
    agent: keptAlive,
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    ...(signal && { signal }),
  })
  // If the connection is reset after the head, the request also emits an error. Reading the response fails, too.
  asking.on('error', () => {})
  asking.end(body)
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  response.setEncoding('utf8')
  let text = ''
  for await (const piece of response) {
    text += String(piece)
    onText?.(String(piece))
  }
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
