import { factsInBody } from '#wire/facts-in-request-path.ts'
import { Failure } from '#domain/errors.ts'
import type { BatchFormat } from '#domain/accounts/provider-kinds.ts'
import type { BatchAction, Route } from '#gateway/call/arrived-request-types.ts'

const batchPath = /^\/v1(?<messages>\/messages|)\/batches(?:\/(?<id>[^/]+)(?<part>\/cancel|\/results|))?$/

type Refused = { readonly kind: 'refused'; readonly wire: 'chat' | 'messages'; readonly failure: Failure }

const onList: Readonly<Record<string, BatchAction>> = { GET: 'list', POST: 'create' }
const onBatch: Readonly<
  Record<BatchFormat, Readonly<Record<string, Readonly<Record<string, BatchAction>>>>>
> = {
  anthropic: {
    '': { GET: 'show', DELETE: 'delete' },
    '/cancel': { POST: 'cancel' },
    '/results': { GET: 'results' },
  },
  // The results of OpenAI's batches are files, so they have no path here.
  openai: { '': { GET: 'show' }, '/cancel': { POST: 'cancel' } },
}

export function batchRoute(method: string, path: string, query: URLSearchParams): Route | Refused | null {
  const match = batchPath.exec(path)
  if (match === null) return null
  const { id = '', messages = '', part = '' } = match.groups ?? {}
  const format = messages === '' ? 'openai' : 'anthropic'
  const wire = messages === '' ? 'chat' : 'messages'
  const actions = id === '' ? onList : onBatch[format][part]
  if (actions === undefined) return null
  const action = Object.hasOwn(actions, method) ? actions[method] : undefined
  if (action === undefined) {
    const allowed = Object.keys(actions).join(', ')
    return { kind: 'refused', wire, failure: new Failure('method_not_allowed', { method, allowed }) }
  }
  return {
    kind: 'batches',
    wire,
    path: factsInBody,
    query: query.toString(),
    batch: { action, format, id },
  }
}
