// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

/** Of team.list: list the team. */
export interface TeamListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
}

/** What team.list answers. */
export interface TeamListOutput {
  data: types.ListedMember[]
  nextCursor: string | null
}

/** Of team.invite: invite a person to the team. */
export interface TeamInviteInput {
  /** E-mail address of the person. At most 254 characters. */
  email: string
  /** Role of the person on the team. Required on creation; omit to keep the current value. */
  role?: 'viewer' | 'developer' | 'admin' | 'owner' | undefined
}

/** What team.invite answers. */
export interface TeamInviteOutput {
  /** Id of the member, `mem_…`. */
  id: string
  /** E-mail address, in lower case. */
  email: string
  /** Name for people; null until they have joined. */
  name: string | null
  /** What the member may do. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** False: the member signs in by the identity provider only, or has not joined. */
  hasPassword: boolean
  /** When the member was first invited. ISO 8601. */
  invitedAt: string
  /** When the invitation was accepted; null: it is still open. ISO 8601. */
  joinedAt: string | null
  /** When the open invitation expires, or did; null: none is open. ISO 8601. */
  inviteExpiresAt: string | null
  /** The link, shown once; null: it was sent by mail. */
  inviteUrl: string | null
}

/** Of team.role: change the role of a member. */
export interface TeamRoleInput {
  /** E-mail address of the member, in upper or lower case. At most 254 characters. */
  email: string
  /** New role of the member. */
  role: 'viewer' | 'developer' | 'admin' | 'owner'
  /** Whether to revoke the tokens that are otherwise returned in `validTokens`. */
  revokeTokens?: boolean | undefined
}

/** Of team.rm: remove a member. */
export interface TeamRmInput {
  /** E-mail address of the member, in upper or lower case. At most 254 characters. */
  email: string
  /** Whether to revoke the tokens that are otherwise returned in `validTokens`. */
  revokeTokens?: boolean | undefined
}

/** The people of the organization, and what they may do. */
export class Team {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List the team. Members, and who is invited to be one (`joinedAt` is null). Newest first; removed ones
   * are left out.
   *
   * GET /v1/team
   */
  list(input?: TeamListInput, options?: CallOptions): PageCall<types.ListedMember, TeamListOutput> {
    return this.#sender.page(
      { id: 'team.list', method: 'GET', path: '/v1/team', query: ['limit', 'cursor'] },
      input,
      options,
    )
  }

  /**
   * Invite a person to the team. Creates a link with which the person joins the team, once and within 7
   * days. Inviting the person again creates a new link and revokes the previous one. Inviting an owner
   * requires the owner role. If the server sends mail, the link is sent to the person and not returned;
   * otherwise it is returned once.
   *
   * PUT /v1/team/{email}
   * @throws ApiError already_member, mail_failed
   */
  invite(input: TeamInviteInput, options?: ConditionalOptions): Call<TeamInviteOutput> {
    return this.#sender.call(
      { id: 'team.invite', method: 'PUT', path: '/v1/team/{email}', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Change the role of a member. Changes what a member may do, starting with the next request. If the role
   * is lower, the member’s sessions end and the tokens of their devices with a higher role are revoked
   * immediately. Tokens with a higher role that the member created for the organization remain valid and
   * are returned in `validTokens`, unless `revokeTokens` is true. Making or changing an owner requires the
   * owner role, and the last owner keeps the role.
   *
   * PATCH /v1/team/{email}
   * @throws ApiError not_found, last_owner
   */
  role(input: TeamRoleInput, options?: ConditionalOptions): Call<types.ChangedMember> {
    return this.#sender.call(
      { id: 'team.role', method: 'PATCH', path: '/v1/team/{email}', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Remove a member. Removes a member, or revokes an open invitation. The member’s sessions end and the
   * tokens of their devices are revoked immediately. Tokens that the member created for the organization
   * remain valid and are returned in `validTokens`, unless `revokeTokens` is true. Removing an owner
   * requires the owner role, and the last owner cannot be removed.
   *
   * DELETE /v1/team/{email}
   * @throws ApiError not_found, last_owner
   */
  rm(input: TeamRmInput, options?: ConditionalOptions): Call<types.ChangedMember> {
    return this.#sender.call(
      { id: 'team.rm', method: 'DELETE', path: '/v1/team/{email}', query: ['revokeTokens'] },
      input,
      options,
    )
  }
}
