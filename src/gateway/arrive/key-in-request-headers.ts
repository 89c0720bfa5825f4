import { Failure } from '#domain/errors.ts'
import type { ClientRequest } from '#gateway/call/client-exchange-interface.ts'

/**
 * Clients send the key as `Authorization: Bearer`, `x-api-key`, `x-goog-api-key`, `api-key` or `?key=`. If a request
 * contains several keys, they must be identical.
 * @throws Failure `missing_credential`, `invalid_key`, `conflicting_credentials`, `signature_not_supported`
 */
export function credentialOf(request: ClientRequest): string {
  const { headers } = request
  let found: string | null = null
  const take = (secret: string): void => {
    if (found !== null && found !== secret) throw new Failure('conflicting_credentials')
    found = secret
  }
  const { authorization } = headers
  if (authorization !== undefined) {
    refuseSecond(request, authorization)
    if (authorization.startsWith('AWS4-')) throw new Failure('signature_not_supported')
    const isBearer = authorization.length > 7 && authorization.slice(0, 7).toLowerCase() === 'bearer '
    if (!isBearer) throw new Failure('invalid_key')
    take(authorization.slice(7).trim())
  }
  // Keys never contain a comma, with which Node joins the values of a repeated header. Constant header names are faster
  // than a loop over names.
  const { 'x-api-key': anthropic, 'x-goog-api-key': google, 'api-key': azure } = headers
  if (anthropic !== undefined) take(String(anthropic).trim())
  if (google !== undefined) take(String(google).trim())
  if (azure !== undefined) take(String(azure).trim())
  const inQuery = request.url?.includes('key=') === true ? keyInQuery(request.url) : null
  if (inQuery !== null) take(inQuery)
  if (found === null) throw new Failure('missing_credential', { kind: 'ak_...' })
  return found
}

/**
 * `headers` has only the first value, because Node drops the others (docs/reference/threats.md "Headers with keys").
 */
function refuseSecond({ rawHeaders }: ClientRequest, first: string): void {
  if (rawHeaders === null) return
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length !== 13 || name.toLowerCase() !== 'authorization') continue
    if (++seen > 1 && rawHeaders[i + 1] !== first) throw new Failure('conflicting_credentials')
  }
}

function keyInQuery(url: string): string | null {
  const keys = new URLSearchParams(url.slice(url.indexOf('?') + 1)).getAll('key')
  if (new Set(keys).size > 1) throw new Failure('conflicting_credentials')
  return keys[0] ?? null
}
