// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

/** Of tokens.list: list control-plane tokens. */
export interface TokensListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
}

/** What tokens.list answers. */
export interface TokensListOutput {
  data: types.Token[]
  nextCursor: string | null
}

/** Of tokens.create: mint a control-plane token. */
export interface TokensCreateInput {
  /** Name for people. 1 to 64 characters. */
  label: string
  /** What it may do; when left out, `admin`, or the role of the caller if that is lower. */
  role?: 'viewer' | 'developer' | 'admin' | 'owner' | undefined
  /** Slug of the one application that it may use; when left out, every one that the caller may use. */
  application?: string | undefined
  /**
   * When the token expires, in the future. Null means never. Defaults to the expiry of the calling token,
   * or to null. ISO 8601.
   */
  expiresAt?: string | Date | null | undefined
}

/** What tokens.create answers. */
export interface TokensCreateOutput {
  /** Id of the token, `apk_…`. */
  id: string
  /** Name for people. */
  label: string
  /** First characters of the secret; safe to show. */
  prefix: string
  /** Last characters of the secret; safe to show. */
  lastFour: string
  /** The role whose operations it may call. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** Id of the one application that it may use, `app_…`; null: every one. */
  applicationId: string | null
  /**
   * Id of the member who signed in on the device that holds it, `mem_…`; null: a token of the organization.
   */
  memberId: string | null
  /**
   * Who created the token. Null if the server’s operator created it, or if it was created before creators
   * were recorded.
   */
  createdBy: types.TokenCreator | null
  /** When the token was created. ISO 8601. */
  createdAt: string
  /** When the token expires. Null if it never expires. ISO 8601. */
  expiresAt: string | null
  /** When it was last used, to ten minutes; null: never. ISO 8601. */
  lastUsedAt: string | null
  /** When the token was revoked. Null if it was not revoked. ISO 8601. */
  revokedAt: string | null
  /** The secret, shown once. */
  token: string
}

/** Of tokens.revoke: revoke a control-plane token. */
export interface TokensRevokeInput {
  /** Id of the token, `apk_…`. 1 to 64 characters. */
  id: string
}

/** The `sk_` tokens of the organization. */
export class Tokens {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List control-plane tokens. Returns tokens newest first, including revoked and expired ones. Secrets are
   * never returned again.
   *
   * GET /v1/application-keys
   */
  list(input?: TokensListInput, options?: CallOptions): PageCall<types.Token, TokensListOutput> {
    return this.#sender.page(
      { id: 'tokens.list', method: 'GET', path: '/v1/application-keys', query: ['limit', 'cursor'] },
      input,
      options,
    )
  }

  /**
   * Mint a control-plane token. Creates an `sk_` token of this organization. The secret is returned once
   * and cannot be retrieved again. A token can do no more than its creator: a higher role, an application
   * that the caller may not use, or an expiry after that of the calling token is rejected.
   *
   * POST /v1/application-keys
   * @throws ApiError not_found
   */
  create(input: TokensCreateInput, options?: CallOptions): Call<TokensCreateOutput> {
    return this.#sender.call(
      { id: 'tokens.create', method: 'POST', path: '/v1/application-keys', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Revoke a control-plane token. The token is refused from the next request on and stays listed. Revoking
   * it again changes nothing. A token may revoke itself; another one needs the role `admin`.
   *
   * DELETE /v1/application-keys/{id}
   * @throws ApiError not_found
   */
  revoke(input: TokensRevokeInput, options?: CallOptions): Call<types.Token> {
    return this.#sender.call(
      { id: 'tokens.revoke', method: 'DELETE', path: '/v1/application-keys/{id}' },
      input,
      options,
    )
  }
}
