import { Failure } from '#domain/errors.ts'
import type { BatchAction, Route } from '#gateway/call/arrival.ts'

const batchPath = /^\/v1\/messages\/batches(?:\/(?<id>[^/]+)(?<part>\/cancel|\/results|))?$/

const wire = 'messages'

/** The same kind of rejected path as in routes.ts. */
type Refused = { readonly kind: 'refused'; readonly wire: typeof wire; readonly failure: Failure }

/** The actions on the list of batches and on the parts of one batch, by method. */
const onList: Readonly<Record<string, BatchAction>> = { GET: 'list', POST: 'create' }
const onBatch: Readonly<Record<string, Readonly<Record<string, BatchAction>>>> = {
  '': { GET: 'show', DELETE: 'delete' },
  '/cancel': { POST: 'cancel' },
  '/results': { GET: 'results' },
}

/** Returns the route of a request about batches. Null for any other path. */
export function batchRoute(method: string, path: string, query: URLSearchParams): Route | Refused | null {
  const match = batchPath.exec(path)
  if (match === null) return null
  const { id = '', part = '' } = match.groups ?? {}
  const actions = id === '' ? onList : (onBatch[part] ?? {})
  const action = Object.hasOwn(actions, method) ? actions[method] : undefined
  if (action === undefined) {
    const allowed = Object.keys(actions).join(', ')
    return { kind: 'refused', wire, failure: new Failure('method_not_allowed', { method, allowed }) }
  }
  return {
    kind: 'batches',
    wire,
    path: { model: null, isStream: false, isJsonArray: false },
    query: query.toString(),
    batch: { action, format: 'anthropic', id },
  }
}
