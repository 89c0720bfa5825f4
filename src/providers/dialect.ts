import type { UpstreamFormat } from '#domain/accounts/provider-kinds.ts'
import type { UpstreamRequest } from '#domain/upstream.ts'

/**
 * The HTTP part of one kind of provider, apart from the body: the path and query of a call, and its headers. The rest
 * of an exchange is the same for all kinds (remote-upstream.ts).
 */
export interface Dialect {
  /** Returns the path after the base URL. The base URL may have its own path, without a trailing slash. */
  pathOf(request: UpstreamRequest, basePath: string): string
  /** Returns the base path of the call. Absent if calls always have the path of the base URL. */
  basePathOf?(request: UpstreamRequest, basePath: string): string
  /** Returns the query of the call, or an empty string. The query of the base URL comes before it. */
  queryOf(request: UpstreamRequest): string
  /** Returns the name and value of the header that carries the account's key. Null if the key signs each call. */
  keyHeader(credential: string): readonly [name: string, value: string] | null
  /** Returns the signer of an account whose key signs each call. Null or absent for other accounts. */
  signer?(credential: string, url: URL, nowMs: () => number): Signer | null
  /** Value of `accept`, if the kind rejects the usual list. */
  readonly accept?: string
  /** Headers of the client that `bodyOf` writes into the body, in lower case. They are not sent. */
  readonly bodyHeaders?: readonly string[]
  /** Returns the body in the form of this kind. Absent if bodies are sent unchanged. */
  bodyOf?(request: UpstreamRequest): Uint8Array
  /** Whether streams may come as event streams of AWS. Absent means no. */
  readonly hasEventStreams?: true
  /** Headers of a call unless the client sends its own, as names and values in turn. */
  readonly defaults: readonly string[]
  /** Returns the smallest request, which shows whether the account works. */
  probe(model: string): { readonly wire: UpstreamFormat; readonly body: object }
}

/** Returns the headers of one call, as names and values in turn. The path is without the query. */
export type Signer = (path: string, body: Uint8Array) => readonly string[]
