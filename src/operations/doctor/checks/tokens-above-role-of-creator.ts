import type { Check, Finding } from './finding-types.ts'

const shownMax = 20

export const tokens: Check = {
  name: 'tokens',
  looksAt: `The newest ${shownMax} valid tokens whose creator was removed from the team, or has a lower role than the token.`,
  async run({ actor, nowMs, organization, store }) {
    // A credential of one application cannot see the organization's tokens.
    if (actor.applicationId !== null) return []
    const outranking = await store.tokens.outranking(organization.id, nowMs, shownMax)
    return outranking.map(({ email, memberRole, token }): Finding => ({
      code: 'token_outranks_creator',
      severity: 'warning',
      resource: { type: 'token', id: token.id },
      message:
        memberRole === null
          ? `The token ${token.label} has the ${token.role} role and is still valid, but ${email}, who created it, was removed from the team.`
          : `The token ${token.label} has the ${token.role} role, but ${email}, who created it, now has the ${memberRole} role.`,
      fix: {
        say: 'Revoke the token. If a service uses it, create a new token for the service first.',
        call: {
          operation: 'tokens.revoke',
          method: 'DELETE',
          path: `/v1/application-keys/${token.id}`,
          body: null,
        },
      },
    }))
  },
}
