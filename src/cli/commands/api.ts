/** `tollgate api METHOD PATH`: sends a request to any path of the API. */
import { senderOf } from '#cli/api-client.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { dataOf } from '#cli/operations/data-flag.ts'
import { settingsOf } from '#cli/settings/settings.ts'
import { exit, usageError, type Terminal } from '#cli/terminal-interface.ts'

export const methodNames = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const

export async function api(
  methodText: string,
  path: string,
  flags: CommonFlags & { readonly data?: string; readonly include?: boolean },
  terminal: Terminal,
): Promise<number> {
  const method = methodNames.find((one) => one === methodText.toUpperCase())
  if (method === undefined)
    throw usageError(`The method must be one of ${methodNames.join(', ')}, but is ${methodText}.`)
  if (!path.startsWith('/')) throw usageError(`The path must begin with /, like /v1/keys, but is ${path}.`)
  // `Sender` would replace text between braces with an input.
  const route = { id: `${method} ${path}`, method, path: path.replaceAll('{', '%7B').replaceAll('}', '%7D') }
  const body = flags.data === undefined ? null : await dataOf(flags.data, terminal)
  const sender = senderOf(settingsOf(flags, terminal), terminal)
  const isKeyed = method !== 'GET' && method !== 'DELETE'
  const sent = body === null ? { ...route, isKeyed } : { ...route, isKeyed, body: 'json' as const }
  const response = await sender.call(sent, body ?? {}, { signal: terminal.signal }).asResponse()
  const { out } = terminal
  if (flags.include === true) {
    out.write(`${response.status}\n`)
    for (const [name, value] of response.headers) out.write(`${name}: ${value}\n`)
    out.write('\n')
  }
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  out.write(
    isJson && out.isTerminal
      ? `${JSON.stringify(JSON.parse(text), null, 2)}\n`
      : text.replace(/([^\n])$/, '$1\n'),
  )
  return exit.ok
}
