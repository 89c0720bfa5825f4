import { factsInBody } from '#wire/facts-in-request-path.ts'
import { Failure } from '#domain/errors.ts'
import type { Route } from '#gateway/call/arrived-request-types.ts'

const containerPath = /^\/v1\/containers\/(?<id>cntr_[\w-]+)(?<part>|\/files(?:\/[\w-]+(?:\/content)?)?)$/

/** Query parameters to forward when the client lists a container's files. */
const listed: ReadonlySet<string> = new Set(['after', 'limit', 'order'])

const wire = 'responses'

type Refused = { readonly kind: 'refused'; readonly wire: typeof wire; readonly failure: Failure }

export function containerRoute(method: string, path: string, query: URLSearchParams): Route | Refused | null {
  const { id, part = '' } = containerPath.exec(path)?.groups ?? {}
  if (id === undefined) return null
  const isDeletable = part === ''
  if (method !== 'GET' && !(isDeletable && method === 'DELETE')) {
    const failure = new Failure('method_not_allowed', {
      method,
      allowed: isDeletable ? 'GET, DELETE' : 'GET',
    })
    return { kind: 'refused', wire, failure }
  }
  const forwarded = [...query].filter(([name]) => part === '/files' && listed.has(name))
  return {
    kind: 'container',
    wire,
    path: factsInBody,
    query: new URLSearchParams(forwarded).toString(),
    container: { method, id, part },
  }
}
