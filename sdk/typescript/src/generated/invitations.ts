// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

/** Of invitations.accept: accept an invitation. */
export interface InvitationsAcceptInput {
  /** Secret of the link: the part after `#`. 1 to 64 characters. */
  token: string
  /** Display name of the member. 1 to 128 characters. */
  name: string
  /**
   * Password, 12 to 256 characters. Passwords that are easy to guess are rejected, such as common
   * passwords, repetitions, sequences and keyboard rows. The member's email address and the names of
   * member, organization and product are rejected too. 12 to 256 characters.
   */
  password: string
  /**
   * Email address of the first owner. Required with the link for the first owner. Omit for an invitation,
   * which has its own address. At most 254 characters.
   */
  email?: string | undefined
}

/** Of invitations.show: show an invitation. */
export interface InvitationsShowInput {
  /** Secret of the link: the part after `#`. 1 to 64 characters. */
  token: string
}

/** What invitations.show answers. */
export interface InvitationsShowOutput {
  /**
   * `invited`: a link from team.invite. `first_owner`: a link from the first start, or from `tollgate
   * setup-link`.
   */
  kind: Open<'invited' | 'first_owner'>
  /** Name of the organization. */
  organization: string
  /** Email address of the invited member. Null if the first owner chooses the address. */
  email: string | null
  /** Role that the new member receives. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** When the link expires. ISO 8601. */
  expiresAt: string
}

/** Links that invite people to a team. */
export class Invitations {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Accept an invitation. Joins the organization with a link from team.invite, sets the member's password
   * and signs the member in. Also accepts the link for the first owner that the server prints on first
   * start. Each link works once.
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
   * Show an invitation. Returns the organization, address and role of a link that joins a team. Accepts
   * links from team.invite and the link for the first owner. The link remains usable. Returns an error if
   * it is used, expired or unknown.
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
