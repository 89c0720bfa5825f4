import { Failure } from '#domain/errors.ts'
import type { FileFormat } from '#domain/accounts/provider-kinds.ts'
import type { WireName } from '#wire/request-formats.ts'
import type { FileAction, Route } from '#gateway/call/arrival.ts'

const filePath = /^\/v1\/files(?:\/(?<id>[^/]+)(?<content>\/content)?)?$/

/** The same kind of rejected path as in routes.ts. */
type Refused = { readonly kind: 'refused'; readonly wire: WireName; readonly failure: Failure }

type Actions = Readonly<Record<string, FileAction>>

/** The actions by HTTP method, for the list of files, for one file, and for its content. */
const onList: Actions = { GET: 'list', POST: 'upload' }
const onFile: Actions = { GET: 'show', DELETE: 'delete' }
const onContent: Actions = { GET: 'content' }

/** The client formats in which these paths exist. */
const formats: Readonly<Partial<Record<WireName, FileFormat>>> = { chat: 'openai', messages: 'anthropic' }

/**
 * Returns the route of a request about files. Null for any other path.
 * @param wire the wire of the client, which the path does not show
 */
export function fileRoute(
  method: string,
  path: string,
  query: URLSearchParams,
  wire: WireName,
): Route | Refused | null {
  const match = filePath.exec(path)
  const format = formats[wire]
  if (match === null || format === undefined) return null
  const { content, id = '' } = match.groups ?? {}
  const actions = id === '' ? onList : content === undefined ? onFile : onContent
  const action = Object.hasOwn(actions, method) ? actions[method] : undefined
  if (action === undefined) {
    const allowed = Object.keys(actions).join(', ')
    return { kind: 'refused', wire, failure: new Failure('method_not_allowed', { method, allowed }) }
  }
  return {
    kind: 'files',
    wire,
    path: { model: null, isStream: false, isJsonArray: false },
    query: query.toString(),
    file: { action, format, id },
  }
}
