import { factsInBody } from '#wire/facts-in-request-path.ts'
import { Failure } from '#domain/errors.ts'
import type { StoredRequest } from '#domain/provider-upstream-interface.ts'
import type { Route } from '#gateway/call/arrived-request-types.ts'

const storedPath = /^\/v1\/responses\/(?<id>resp_[\w-]+)(?<part>\/input_items|\/cancel|)$/

/** `query` lists the parameters that are forwarded to the provider. */
const parts: Readonly<
  Record<StoredRequest['part'], { methods: readonly StoredRequest['method'][]; query: readonly string[] }>
> = {
  '': { methods: ['GET', 'DELETE'], query: ['include', 'include[]', 'stream', 'starting_after'] },
  '/input_items': { methods: ['GET'], query: ['after', 'include', 'include[]', 'limit', 'order'] },
  '/cancel': { methods: ['POST'], query: [] },
}

const wire = 'responses'

type Refused = { readonly kind: 'refused'; readonly wire: typeof wire; readonly failure: Failure }

export function storedRoute(method: string, path: string, query: URLSearchParams): Route | Refused | null {
  const { id, part } = storedPath.exec(path)?.groups ?? {}
  if (id === undefined) return null
  // `storedPath` matches only these parts.
  const known = part as StoredRequest['part']
  const { methods, query: accepted } = parts[known]
  const allowed = methods.find((one) => one === method)
  if (allowed === undefined) return refused('method_not_allowed', { method, allowed: methods.join(', ') })
  const forwarded = new URLSearchParams()
  for (const [name, value] of query) {
    // Some clients send their API key as `key` (key-in-request-headers.ts).
    if (name === 'key' || (name === 'stream' && value === 'false')) continue
    if (accepted.includes(name)) forwarded.append(name, value)
    else
      return refused('invalid_request', {
        reason: `Stored responses do not support the query parameter ${name.slice(0, 200)}. Omit it.`,
      })
  }
  const stream = streamIn(allowed, forwarded)
  if (stream === null)
    return refused('invalid_request', {
      reason: 'starting_after must be a whole number from 0, and stream must be true or false',
    })
  return {
    kind: 'stored',
    wire,
    path: factsInBody,
    query: forwarded.toString(),
    stored: { method: allowed, id, part: known, ...stream },
  }
}

/** Empty if the client requests no stream. Null if a value is invalid. */
function streamIn(
  method: StoredRequest['method'],
  query: URLSearchParams,
): Pick<StoredRequest, 'isStream' | 'startingAfter'> | null {
  const stream = query.get('stream')
  const startingAfter = query.get('starting_after')
  if (stream === null && startingAfter === null) return {}
  const isNumber = startingAfter === null || /^\d{1,9}$/.test(startingAfter)
  if (stream !== 'true' || method !== 'GET' || !isNumber) return null
  return { isStream: true, ...(startingAfter !== null && { startingAfter: Number(startingAfter) }) }
}

function refused(code: 'invalid_request' | 'method_not_allowed', details: Failure['details']): Refused {
  return { kind: 'refused', wire, failure: new Failure(code, details) }
}
