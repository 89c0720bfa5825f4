import * as z from 'zod'
import type { Role } from '#domain/people/team-roles.ts'
import type { Member } from '#domain/people/member-records.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import { TokenView, tokenView } from '#operations/tokens/shared/token-view.ts'
import { MemberView } from './member-view.ts'

/** Clients read a longer list with tokens.list. */
const shownMax = 200

export const revokeTokensWords =
  'Whether to also revoke the tokens that the response would list in `validTokens`. If false, these tokens remain valid. Defaults to `false`.'

export const ChangedMember = MemberView.extend({
  validTokens: z.array(TokenView).meta({
    description:
      'Valid tokens that the member created, directly or with another token. After a change of the role, the list contains only tokens with a higher role than the new role. Newest first, at most 200.',
  }),
}).meta({ id: 'ChangedMember', description: 'A member whose role was changed or who was removed.' })

/**
 * Call this in the transaction that removes the member, or lowers the member's role. Services may use these tokens, so
 * the tokens are listed and are revoked only on request.
 * @param above only tokens with a higher role are affected; null means all tokens
 */
export async function endCreatedTokens(
  { id }: Member,
  { above, isRevoked }: { readonly above: Role | null; readonly isRevoked: boolean },
  { nowMs, store }: Context,
): Promise<z.output<typeof ChangedMember>['validTokens']> {
  if (isRevoked) await store.tokens.revokeCreatedBy(id, above, nowMs)
  const valid = await store.tokens.createdBy(id, above, nowMs, shownMax)
  return valid.map(tokenView)
}
