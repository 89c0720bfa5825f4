import { factsInBody } from '#wire/facts-in-request-path.ts'
import { Failure } from '#domain/errors.ts'
import type { FileFormat } from '#domain/accounts/provider-kinds.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import type { FileAction, RoutedFile, Route } from '#gateway/call/arrived-request-types.ts'

const filePath = /^\/v1\/files(?:\/(?<id>[^/]+)(?<content>\/content)?)?$/
/** Google's clients send `v1` or `v1beta`. The clients of OpenAI and Anthropic also send `v1`. */
const googlePath = /^(?<upload>\/upload)?\/(?<version>v1|v1beta|v1alpha)\/files(?:\/(?<id>[^/]+))?$/

type Refused = { readonly kind: 'refused'; readonly wire: WireName; readonly failure: Failure }

type Actions = Readonly<Record<string, FileAction>>

const onList: Actions = { GET: 'list', POST: 'upload' }
const onFile: Actions = { GET: 'show', DELETE: 'delete' }
const onContent: Actions = { GET: 'content' }
const onGoogleList: Actions = { GET: 'list' }

const formats: Readonly<Partial<Record<WireName, FileFormat>>> = { chat: 'openai', messages: 'anthropic' }

/** @param wire the client's wire, which the path does not show */
export function fileRoute(
  method: string,
  path: string,
  query: URLSearchParams,
  wire: WireName,
): Route | Refused | null {
  const google = googlePath.exec(path)?.groups
  if (google !== undefined && (wire === 'generate' || google['upload'] || google['version'] !== 'v1'))
    return googleRoute(method, google, query)
  const match = filePath.exec(path)
  const format = formats[wire]
  if (match === null || format === undefined) return null
  const { content, id = '' } = match.groups ?? {}
  const actions = id === '' ? onList : content === undefined ? onFile : onContent
  return routeWith(method, actions, { format, id, query, wire })
}

/**
 * Clients start an upload and send its content with the same path. Only the request with the content has the upload ID
 * in its query.
 */
function googleRoute(
  method: string,
  { id = '', upload }: Readonly<Partial<Record<string, string>>>,
  query: URLSearchParams,
): Route | Refused | null {
  const shared = { format: 'google', query, wire: 'generate' } as const
  if (upload === undefined) return routeWith(method, id === '' ? onGoogleList : onFile, { ...shared, id })
  if (id !== '') return null
  const uploadId = query.get('upload_id')
  const actions: Actions = { POST: uploadId === null ? 'start' : 'upload' }
  return routeWith(method, actions, { ...shared, id: uploadId ?? '' })
}

function routeWith(
  method: string,
  actions: Actions,
  { format, id, query, wire }: Pick<RoutedFile, 'format' | 'id'> & { query: URLSearchParams; wire: WireName },
): Route | Refused {
  const action = Object.hasOwn(actions, method) ? actions[method] : undefined
  if (action === undefined) {
    const allowed = Object.keys(actions).join(', ')
    return { kind: 'refused', wire, failure: new Failure('method_not_allowed', { method, allowed }) }
  }
  return {
    kind: 'files',
    wire,
    path: factsInBody,
    query: query.toString(),
    file: { action, format, id },
  }
}
