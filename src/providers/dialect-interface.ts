import type { ProviderFormat } from '#domain/accounts/provider-kinds.ts'
import type { UpstreamRequest } from '#domain/provider-upstream-interface.ts'

/**
 * How a call is sent to one kind of provider over HTTP: the path, the query and the headers. All other parts of a call
 * are the same for all kinds of providers (send-calls-to-provider.ts).
 */
export interface Dialect {
  /**
   * Returns the path to append to the base URL. The base URL may itself contain a path, without a trailing slash.
   * @param scope the result of `scopeOf`
   */
  pathOf(request: UpstreamRequest, basePath: string, scope: string): string
  /**
   * Returns the part of the path that the credential or the base URL determines. Absent if the paths have no such part.
   */
  scopeOf?(credential: string | null, url: URL): string
  /** Returns the base path of the call. Absent if the base path is always the path of the base URL. */
  basePathOf?(request: UpstreamRequest, basePath: string): string
  /**
   * Returns the query of the call, or an empty string. The returned query is appended to the query of the base URL.
   */
  queryOf(request: UpstreamRequest): string
  /**
   * Returns the name and value of the header that contains the account's key. Null if calls are signed with the key or
   * sent with access tokens instead.
   */
  keyHeader(credential: string): readonly [name: string, value: string] | null
  /**
   * Returns the function that signs each call with the account's key. Null or absent if the key is sent in a header.
   */
  signer?(credential: string, url: URL, nowMs: () => number): Signer | null
  /**
   * Returns the request that exchanges the account's key for an access token. Null or absent if the key itself is sent
   * with each call.
   */
  grantOf?(credential: string): TokenGrant | null
  /** Value of the `accept` header. Absent if calls send the usual list of media types. */
  readonly accept?: string
  /** Lower-case names of client headers that `bodyOf` writes into the body instead of sending them as headers. */
  readonly bodyHeaders?: readonly string[]
  /** Returns the body in the format of this kind. Absent if bodies are sent unchanged. */
  bodyOf?(request: UpstreamRequest): Uint8Array
  /** Whether responses can have the format of AWS event streams. */
  readonly hasEventStreams?: true
  /** Default headers of a call, as alternating names and values. Headers of the client override them. */
  readonly defaults: readonly string[]
  /** Returns the smallest possible request that shows whether the account works. */
  probe(model: string): { readonly wire: ProviderFormat; readonly body: object }
}

/** How access tokens are requested (access-tokens.ts). */
export interface TokenGrant {
  readonly url: string
  /** Returns the form fields of the token request. */
  form(nowMs: number): Readonly<Record<string, string>>
}

/** Returns headers that sign one call, as alternating names and values. `path` does not contain the query. */
export type Signer = (path: string, body: Uint8Array) => readonly string[]
