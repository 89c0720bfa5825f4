// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of passkeys.list: list passkeys. */
export interface PasskeysListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /**
   * Email address of the member. Defaults to the signed-in member. Required with a token. At most 254
   * characters.
   */
  email?: string | undefined
}

/** What passkeys.list answers. */
export interface PasskeysListOutput {
  data: types.Passkey[]
  nextCursor: string | null
}

/** Of passkeys.add: register a passkey. */
export interface PasskeysAddInput {
  /** Display name of the passkey. 1 to 64 characters. */
  name: string
  credential: types.NewCredential
}

/** Of passkeys.rename: rename a passkey. */
export interface PasskeysRenameInput {
  /** ID of the passkey, `psk_…`. 1 to 64 characters. */
  id: string
  /** Display name of the passkey. 1 to 64 characters. */
  name: string
}

/** Of passkeys.rm: remove a passkey. */
export interface PasskeysRmInput {
  /** ID of the passkey, `psk_…`. 1 to 64 characters. */
  id: string
}

/** Passkeys that members sign in with. */
export class Passkeys {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List passkeys. Returns the passkeys of a member, newest first. Reading another member's passkeys
   * requires the admin role.
   *
   * GET /v1/passkeys (an extension)
   * @throws ApiError not_found, role_required
   */
  list(input?: PasskeysListInput, options?: CallOptions): PageCall<types.Passkey, PasskeysListOutput> {
    return this.#sender.page(
      { id: 'passkeys.list', method: 'GET', path: '/v1/passkeys', query: ['limit', 'cursor', 'email'] },
      input,
      options,
    )
  }

  /**
   * Register a passkey. Registers a passkey for the signed-in member, with the authenticator's response to
   * the challenge of passkeys.start. The member then signs in with the passkey. The password alone is no
   * longer accepted.
   *
   * POST /v1/passkeys (an extension)
   * @throws ApiError passkey_rejected, too_many_passkeys
   */
  add(input: PasskeysAddInput, options?: CallOptions): Call<types.Passkey> {
    return this.#sender.call(
      { id: 'passkeys.add', method: 'POST', path: '/v1/passkeys', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Start registering a passkey. Creates a challenge for a new passkey of the signed-in member. A browser
   * passes the challenge to an authenticator and sends the response to passkeys.add.
   *
   * POST /v1/passkeys/challenge (an extension)
   */
  start(input?: Record<string, never>, options?: CallOptions): Call<types.PasskeyChallenge> {
    return this.#sender.call(
      { id: 'passkeys.start', method: 'POST', path: '/v1/passkeys/challenge', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Rename a passkey. Changes the name of a passkey. Members can rename their own passkeys. Renaming
   * another member's passkey requires the owner role.
   *
   * PATCH /v1/passkeys/{id} (an extension)
   * @throws ApiError not_found
   */
  rename(input: PasskeysRenameInput, options?: ConditionalOptions): Call<types.Passkey> {
    return this.#sender.call(
      { id: 'passkeys.rename', method: 'PATCH', path: '/v1/passkeys/{id}', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Remove a passkey. Removes a passkey, so that it can no longer sign in. Open sessions continue. Members
   * can remove their own passkeys.
   *
   * - Removing another member's passkey requires the owner role.
   * - A member without passkeys signs in with the password. If the organization requires passkeys, the
   * member must register a new one.
   *
   * DELETE /v1/passkeys/{id} (an extension)
   * @throws ApiError not_found
   */
  rm(input: PasskeysRmInput, options?: ConditionalOptions): Call<types.Passkey> {
    return this.#sender.call(
      { id: 'passkeys.rm', method: 'DELETE', path: '/v1/passkeys/{id}' },
      input,
      options,
    )
  }
}
