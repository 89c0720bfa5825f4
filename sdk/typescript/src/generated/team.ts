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
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
}

/** What team.list answers. */
export interface TeamListOutput {
  data: types.ListedMember[]
  nextCursor: string | null
}

/** Of team.invite: invite a team member. */
export interface TeamInviteInput {
  /** Email address to invite. At most 254 characters. */
  email: string
  /** Role of the member. Required on creation. Omit to keep the current value. */
  role?: 'viewer' | 'developer' | 'admin' | 'owner' | undefined
}

/** What team.invite answers. */
export interface TeamInviteOutput {
  /** ID of the member, `mem_…`. */
  id: string
  /** Email address, in lower case. */
  email: string
  /** Display name. Null until the member joins. */
  name: string | null
  /** Role of the member. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /**
   * Whether the member has a password. False if the member signs in only with the identity provider, or has
   * not joined.
   */
  hasPassword: boolean
  /** When the member was first invited. ISO 8601. */
  invitedAt: string
  /** When the member joined. Null if the invitation is still open. ISO 8601. */
  joinedAt: string | null
  /** When the open invitation expires or expired. Null if no invitation is open. ISO 8601. */
  inviteExpiresAt: string | null
  /** Invitation link, returned once. Null if it was sent by mail. */
  inviteUrl: string | null
}

/** Of team.role: change a member's role. */
export interface TeamRoleInput {
  /** Email address of the member. Case is ignored. At most 254 characters. */
  email: string
  /** New role of the member. */
  role: 'viewer' | 'developer' | 'admin' | 'owner'
  /** Whether to revoke the tokens that are otherwise returned in `validTokens`. */
  revokeTokens?: boolean | undefined
}

/** Of team.rm: remove a member. */
export interface TeamRmInput {
  /** Email address of the member. Case is ignored. At most 254 characters. */
  email: string
  /** Whether to revoke the tokens that are otherwise returned in `validTokens`. */
  revokeTokens?: boolean | undefined
}

/** Members of the organization and their roles. */
export class Team {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List the team. Returns members and open invitations (`joinedAt` is null), newest first. Removed members
   * are omitted.
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
   * Invite a team member. Creates an invitation link, which works once and expires after 7 days. Repeating
   * the invitation creates a new link and revokes the previous one. Inviting an owner requires the owner
   * role. If the server sends mail, the link is sent by mail and not returned; otherwise it is returned
   * once.
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
   * Change a member's role. Changes the role of a member, starting with the next request. Adding or
   * changing an owner requires the owner role. The last owner cannot be changed. If the new role is lower:
   * - The member's sessions end, and device tokens with a higher role are revoked immediately.
   * - Tokens with a higher role that the member created for the organization remain valid and are returned
   * in `validTokens`, unless `revokeTokens` is true.
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
   * Remove a member. Removes a member, or revokes an open invitation. Removing an owner requires the owner
   * role. The last owner cannot be removed.
   *
   * - The member's sessions end, and the tokens of the member's devices are revoked immediately.
   * - Tokens that the member created for the organization remain valid and are returned in `validTokens`,
   * unless `revokeTokens` is true.
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
