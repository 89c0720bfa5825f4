import type { buildConnector } from 'undici'
import type { ProviderAccount } from '#domain/application-config.ts'
import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import type { Cleaner, UpstreamRequest } from '#domain/provider-upstream-interface.ts'
import { credentialForm } from '#domain/accounts/credential-format-by-account-kind.ts'
import { AccessTokens } from './access-tokens.ts'
import { Connections } from './connection-pool.ts'
import type { ConnectionShare } from './connection-limit-of-organization.ts'
import { cleanerOf } from './remove-secrets-from-errors.ts'
import type { Dialect, Signer } from './dialect-interface.ts'
import { dialectOf } from './provider-dialects.ts'
import type { ClientRequest } from './request-head.ts'

export interface EndpointOptions {
  readonly connectorOf: (organizationId: string) => buildConnector.connector
  /** Sent with every request as `CDN-Loop` (detect-request-loops.ts). */
  readonly loopName: string
  /** Called once per account and credential. */
  readonly openCredential: (account: ProviderAccount) => string | null
  /** The wall clock time, for signatures and for a `retry-after` date. */
  readonly nowMs: () => number
  readonly keepAliveMs?: number
}

export interface Endpoint {
  account: ProviderAccount
  readonly connections: Connections
  readonly dialect: Dialect
  readonly basePath: string
  /** The query of the base URL (`api-version=` of Azure), without the question mark. */
  readonly query: string
  /** Alternating names and values, including the account's key. */
  readonly headers: string[]
  /**
   * Used for a call whose client adds no headers. Includes the dialect's default headers. The list is frozen, so that its
   * lines are checked only once (request-head.ts).
   */
  readonly plainHeaders: readonly string[]
  readonly scope: string
  /** Null if calls are not signed. */
  readonly sign: Signer | null
  /** Null if the headers contain the key or calls are signed. */
  readonly tokens: AccessTokens | null
  /** The function is created after the first failure. */
  readonly cleaner: () => Cleaner
  /** The lowest number belongs to the account that has been idle longest. */
  lastCall: number
}

export function endpointFor(
  account: ProviderAccount,
  { openCredential, connectorOf, keepAliveMs, loopName, nowMs }: EndpointOptions,
  limits: { readonly max: number; readonly share: ConnectionShare },
): Endpoint {
  const baseUrl = account.baseUrl ?? kindFacts(account.kind).baseUrl
  if (baseUrl === null) throw new Error(`provider account ${account.id} has no base URL`)
  const url = new URL(baseUrl)
  const dialect = dialectOf(account)
  let credential: string | null
  try {
    credential = openCredential(account)
  } catch (cause) {
    throw new Error(`open the credential of provider account ${account.id}`, { cause })
  }
  const headers = [
    'content-type',
    'application/json',
    'accept',
    dialect.accept ?? 'application/json, text/event-stream',
    // Request an uncompressed response, because metering reads it. If the provider nevertheless compresses a response,
    // decompress-response-body.ts decodes it.
    'accept-encoding',
    'identity',
    // The firewalls of several providers reject requests without a user agent.
    'user-agent',
    'tollgate',
    'cdn-loop',
    loopName,
  ]
  if (credential !== null) headers.push(...(dialect.keyHeader(credential) ?? []))
  const connector = connectorOf(account.organizationId)
  const grant = credential === null ? null : (dialect.grantOf?.(credential) ?? null)
  const secrets = credential === null ? null : credentialForm(account.kind).secrets(credential)
  let cleaner: Cleaner | null = null
  return {
    account,
    connections: new Connections(url.origin, connector, {
      ...limits,
      ...(keepAliveMs !== undefined && { keepAliveMs }),
    }),
    dialect,
    basePath: url.pathname.replace(/\/+$/, ''),
    query: url.search.slice(1),
    headers,
    plainHeaders: Object.freeze([...headers, ...dialect.defaults]),
    scope: dialect.scopeOf?.(credential, url) ?? '',
    tokens: grant && new AccessTokens(grant, { connector, loopName, nowMs }),
    sign: credential === null ? null : (dialect.signer?.(credential, url, nowMs) ?? null),
    cleaner: () => (cleaner ??= cleanerOf({ credential: secrets, baseUrl })),
    lastCall: 0,
  }
}

export interface CallOptions extends ClientRequest {
  readonly headers: readonly string[]
}

export function exchangeOf(request: UpstreamRequest, endpoint: Endpoint): CallOptions {
  const { dialect, basePath } = endpoint
  const ownQuery = dialect.queryOf(request)
  const query =
    endpoint.query === '' || ownQuery === '' ? endpoint.query + ownQuery : `${endpoint.query}&${ownQuery}`
  const base = dialect.basePathOf?.(request, basePath) ?? basePath
  const path = base + dialect.pathOf(request, base, endpoint.scope)
  const json = request.headers.length === 0 ? endpoint.plainHeaders : headersWith(request.headers, endpoint)
  const headers = request.contentType === undefined ? json : json.with(1, request.contentType)
  const body = dialect.bodyOf?.(request) ?? request.body
  const { batch, cached, container, conversation, file, stored } = request
  const method = (batch ?? cached ?? container ?? conversation ?? file ?? stored)?.method ?? 'POST'
  return {
    path: query === '' ? path : `${path}?${query}`,
    method,
    headers: endpoint.sign === null ? headers : [...headers, ...endpoint.sign(path, body)],
    body: stored === undefined && (method === 'POST' || method === 'PATCH') ? body : null,
  }
}

/** The gateway's headers come first, then the client's other headers, then the defaults for missing names. */
function headersWith(added: readonly string[], { headers, dialect }: Endpoint): string[] {
  const all = headers.slice()
  const addAll = (list: readonly string[]): void => {
    const known = new Set(all.filter((_, index) => index % 2 === 0))
    for (let i = 0; i + 1 < list.length; i += 2) {
      const name = list[i]?.toLowerCase() ?? ''
      const value = list[i + 1] ?? ''
      // Skip headers that are already in the list, because servers handle repeated headers differently. Some servers
      // join the values, and others use the last value.
      if (!known.has(name) && !neverAdded.has(name) && dialect.bodyHeaders?.includes(name) !== true)
        all.push(name, value)
    }
  }
  addAll(added)
  addAll(dialect.defaults)
  // The gateway's hop comes first, and the client's hops follow (RFC 8586, section 2).
  const hops = added.indexOf('cdn-loop')
  const own = all.indexOf('cdn-loop') + 1
  if (hops !== -1) all[own] = `${all[own]}, ${added[hops + 1]}`
  return all
}

/** The account determines the host and the key, and the connection determines the framing. */
const neverAdded = new Set([
  'authorization',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
  'cookie',
  'host',
  'connection',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
])

export function isSameTarget(a: ProviderAccount, b: ProviderAccount): boolean {
  return a.kind === b.kind && a.baseUrl === b.baseUrl && a.sealedCredential === b.sealedCredential
}

export function idlestOf(endpoints: readonly Endpoint[]): Endpoint {
  return endpoints.reduce((idlest, endpoint) => (endpoint.lastCall < idlest.lastCall ? endpoint : idlest))
}
