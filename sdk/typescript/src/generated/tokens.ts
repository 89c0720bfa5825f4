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
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
}

/** What tokens.list answers. */
export interface TokensListOutput {
  data: types.Token[]
  nextCursor: string | null
}

/** Of tokens.create: create a control-plane token. */
export interface TokensCreateInput {
  /** Display name of the token. 1 to 64 characters. */
  label: string
  /** Role of the token. Defaults to `admin`, or to the role of the caller if that is lower. */
  role?: 'viewer' | 'developer' | 'admin' | 'owner' | undefined
  /**
   * Slug of the only application that the token can use. Defaults to every application that the caller can
   * use.
   */
  application?: string | undefined
  /**
   * When the token expires. Must be in the future. Null means never. Defaults to the expiry of the calling
   * token, or to null. ISO 8601.
   */
  expiresAt?: string | Date | null | undefined
}

/** What tokens.create answers. */
export interface TokensCreateOutput {
  /** ID of the token, `apk_…`. */
  id: string
  /** Display name of the token. */
  label: string
  /** First characters of the secret, safe to display. */
  prefix: string
  /** Last characters of the secret, safe to display. */
  lastFour: string
  /** Role of the token. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** ID of the only application that the token can use, `app_…`. Null means every application. */
  applicationId: string | null
  /**
   * ID of the member who signed in on the device that stores the token, `mem_…`. Null for a token of the
   * organization.
   */
  memberId: string | null
  /**
   * Creator of the token. Null if the operator of the server created it, or if it was created before
   * creators were recorded.
   */
  createdBy: types.TokenCreator | null
  /** When the token was created. ISO 8601. */
  createdAt: string
  /** When the token expires. Null if it never expires. ISO 8601. */
  expiresAt: string | null
  /** When the token was last used, accurate to ten minutes. Null if it was never used. ISO 8601. */
  lastUsedAt: string | null
  /** When the token was revoked. Null if it was not revoked. ISO 8601. */
  revokedAt: string | null
  /** Secret of the token, returned once. */
  token: string
}

/** Of tokens.revoke: revoke a control-plane token. */
export interface TokensRevokeInput {
  /** ID of the token, `apk_…`. 1 to 64 characters. */
  id: string
}

/** The organization's `sk_` tokens. */
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
   * Create a control-plane token. Creates an `sk_` token for the organization. The secret is returned once
   * and cannot be retrieved again. A higher role than the caller's, an application that the caller cannot
   * use, or an expiry after that of the calling token is rejected.
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
   * Revoke a control-plane token. Revokes a token: requests with it fail immediately. The token remains
   * listed. Revoking it again changes nothing. A token can revoke itself; revoking another token requires
   * the admin role.
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
