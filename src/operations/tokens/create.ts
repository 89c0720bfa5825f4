import * as z from 'zod'
import { isRoleAtLeast, lowerRole } from '#domain/people/team-roles.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { findIfNamed, ownApplication } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { ApplicationSlug, Role, text, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { creatorOf, newToken } from '#operations/kernel/create-keys-and-tokens.ts'
import { TokenView, tokenView } from '#operations/tokens/shared/token-view.ts'

export default operation({
  id: 'tokens.create',
  method: 'POST',
  path: '/v1/application-keys',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'Create a control-plane token',
  description:
    'Creates an `sk_` token for the organization. The secret is returned once and cannot be retrieved again. The request is rejected if the token would have a higher role, access to more applications or a later expiry than the caller.',
  body: z.strictObject({
    label: text(64).meta({ description: 'Display name of the token.', examples: ['ci'] }),
    role: Role.optional().meta({
      description:
        'Role of the token. Defaults to `admin`, or to the role of the caller if the caller has a lower role.',
    }),
    application: ApplicationSlug.optional().meta({
      description:
        'Slug of the only application that the token can use. Defaults to every application that the caller can use.',
    }),
    expiresAt: Timestamp.nullable()
      .optional()
      .meta({
        description:
          'When the token expires. Must be in the future. Null means never. Defaults to the expiry of the calling token, or to null.',
        examples: ['2027-02-20T12:00:00.000Z'],
      }),
  }),
  output: TokenView.extend({
    token: z.string().meta({ description: 'Secret of the token, returned once.' }),
  }),
  errors: ['not_found'],
  answersSecret: true,
  async run({ body }, context) {
    const { actor, nowMs, organization, ports, store } = context
    const role = body.role ?? lowerRole('admin', actor.role)
    if (!isRoleAtLeast(actor.role, role)) {
      return refused('role_required', { role: actor.role, needed: role }, 'role')
    }
    const expiresAtMs = expiryFor(body.expiresAt, context)
    if (expiresAtMs instanceof Refused) return expiresAtMs
    const application = await findIfNamed(ownApplication, body.application, context, 'application')
    if (application instanceof Refused) return application
    const applicationId = application?.id ?? actor.applicationId
    const { hash, secret, token } = newToken(
      organization,
      { label: body.label, role, applicationId, createdBy: creatorOf(actor), expiresAtMs, nowMs },
      ports,
    )
    await store.tokens.insert(token, hash)
    return { ...tokenView(token), token: secret }
  },
})

/** A token that expires cannot create a token that is valid for longer, because its own expiry would have no effect. */
function expiryFor(
  asked: number | null | undefined,
  { actor, nowMs }: Context,
): number | null | Refused<'invalid_request'> {
  const own = actor.kind === 'token' ? actor.token.expiresAtMs : null
  if (asked === undefined) return own
  if (asked !== null && asked <= nowMs) {
    return refused('invalid_request', { reason: 'expiresAt must be in the future.' }, 'expiresAt')
  }
  if (own !== null && (asked === null || asked > own)) {
    const reason = `expiresAt must not be after ${new Date(own).toISOString()}, when the calling token expires.`
    return refused('invalid_request', { reason }, 'expiresAt')
  }
  return asked
}
