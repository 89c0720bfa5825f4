// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of invitations.accept: join the team by a link. */
export interface InvitationsAcceptInput {
  /** The part of the link behind `#`. 1 to 64 characters. */
  token: string
  /** Name for people. 1 to 128 characters. */
  name: string
  /** The password, 12 to 256 characters. 12 to 256 characters. */
  password: string
  /** E-mail address of the first owner; an invitation has its own. At most 254 characters. */
  email?: string | undefined
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
}
