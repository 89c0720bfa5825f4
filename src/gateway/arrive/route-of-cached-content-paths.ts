import { factsInBody } from '#wire/facts-in-request-path.ts'
import { Failure } from '#domain/errors.ts'
import type { Route, RoutedCache } from '#gateway/call/arrived-request-types.ts'

const cachedPath = /^\/v1(?:beta|alpha)?\/cachedContents(?:\/(?<id>[^/:]+))?$/

/** `call` creates cached content or changes its expiry, which is charged. */
const onList: Actions = { POST: 'call', GET: 'list' }
const onOne: Actions = { GET: 'show', PATCH: 'call', DELETE: 'delete' }
type Actions = Readonly<Record<string, RoutedCache['action'] | 'call'>>

type Refused = { readonly kind: 'refused'; readonly wire: 'generate'; readonly failure: Failure }

export function cachedRoute(method: string, path: string, query: URLSearchParams): Route | Refused | null {
  const match = cachedPath.exec(path)
  if (match === null) return null
  const { id = '' } = match.groups ?? {}
  const actions = id === '' ? onList : onOne
  const action = Object.hasOwn(actions, method) ? actions[method] : undefined
  const wire = 'generate'
  if (action === undefined) {
    const allowed = Object.keys(actions).join(', ')
    return { kind: 'refused', wire, failure: new Failure('method_not_allowed', { method, allowed }) }
  }
  return action === 'call'
    ? { kind: 'answer', wire, path: { ...factsInBody, cached: id }, query: '' }
    : { kind: 'caches', wire, path: factsInBody, query: query.toString(), cached: { action, id } }
}
