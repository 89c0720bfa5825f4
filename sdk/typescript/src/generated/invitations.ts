// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

/** Of invitations.accept: join the team by a link. */
export interface InvitationsAcceptInput {
  /** The part of the link behind `#`. 1 to 64 characters. */
  token: string
  /** Name for people. 1 to 128 characters. */
  name: string
  /**
   * The password, 12 to 256 characters. Passwords that guessers try first are rejected: common passwords,
   * repetitions, sequences, rows of keys, your e-mail address, and the names of the person, the
   * organization or the product. 12 to 256 characters.
   */
  password: string
  /** E-mail address of the first owner; an invitation has its own. At most 254 characters. */
  email?: string | undefined
}

/** Of invitations.show: show what a link to join is for. */
export interface InvitationsShowInput {
  /** The part of the link behind `#`. 1 to 64 characters. */
  token: string
}

/** What invitations.show answers. */
export interface InvitationsShowOutput {
  /** `invited`: by team.invite; `first_owner`: by the first start, or `tollgate setup-link`. */
  kind: Open<'invited' | 'first_owner'>
  /** Name of the organization that is joined. */
  organization: string
  /** Address that was invited; null: the first owner chooses one. */
  email: string | null
  /** What who joins may do. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** When the link ends. ISO 8601. */
  expiresAt: string
}

/** The links by which people join the team. */
export class Invitations {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Join the team by a link. Takes the link of team.invite, or the one that the first start prints for the
   * first owner, once; chooses a password, and signs in.
   *
   * POST /v1/invitations/accept (an extension)
   * @throws ApiError link_invalid, address_in_use
   */
  accept(input: InvitationsAcceptInput, options?: CallOptions): Call<types.SignedIn> {
    return this.#sender.call(
      { id: 'invitations.accept', method: 'POST', path: '/v1/invitations/accept', body: 'json' },
      input,
      options,
    )
  }

  /**
   * Show what a link to join is for. Says whether the link of team.invite, or the one that the first start
   * prints, still works, and to whom it opens what. The link is not used up by that.
   *
   * POST /v1/invitations/show (an extension)
   * @throws ApiError link_invalid
   */
  show(input: InvitationsShowInput, options?: CallOptions): Call<InvitationsShowOutput> {
    return this.#sender.call(
      { id: 'invitations.show', method: 'POST', path: '/v1/invitations/show', body: 'json' },
      input,
      options,
    )
  }
}
