import type { ProviderFormat } from '#domain/accounts/provider-kinds.ts'
import type { UpstreamRequest } from '#domain/provider-upstream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'

/** send-calls-to-provider.ts contains all parts of a call that are the same for all kinds of providers. */
export interface Dialect {
  /**
   * The base path has no trailing slash. The returned path is appended to the base URL.
   * @param scope the result of `scopeOf`
   */
  pathOf(request: UpstreamRequest, basePath: string, scope: string): string
  /**
   * Returns the part of the path that the credential or the base URL determines. Absent if the paths have no such part.
   */
  scopeOf?(credential: string | null, url: URL): string
  /** Absent if the base path is always the path of the base URL. */
  basePathOf?(request: UpstreamRequest, basePath: string): string
  /** The returned query is appended to the query of the base URL. */
  queryOf(request: UpstreamRequest): string
  /** Returns null if the key signs calls, or if calls send access tokens. */
  keyHeader(credential: string): readonly [name: string, value: string] | null
  /** Null or absent if a header contains the key. */
  signer?(credential: string, url: URL, nowMs: () => number): Signer | null
  /** Null or absent if each call sends the key itself. */
  grantOf?(credential: string): TokenGrant | null
  /** Absent if calls send the usual list of media types. */
  readonly accept?: string
  /** `bodyOf` writes these client headers into the body. The names are in lower case. */
  readonly bodyHeaders?: readonly string[]
  /** Absent if bodies are sent unchanged. */
  bodyOf?(request: UpstreamRequest): ByteText
  /** Whether responses can have the format of AWS event streams. */
  readonly hasEventStreams?: true
  /** Alternating names and values. Headers of the client override these headers. */
  readonly defaults: readonly string[]
  /** Returns the smallest request that shows whether the account works. */
  probe(model: string): { readonly wire: ProviderFormat; readonly body: object }
}

export interface TokenGrant {
  readonly url: string
  form(nowMs: number): Readonly<Record<string, string>>
}

/** Returns alternating names and values. `path` does not contain the query. */
export type Signer = (path: string, body: ByteText) => readonly string[]
