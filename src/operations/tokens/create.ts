import * as z from 'zod'
import { isRoleAtLeast, lowerRole } from '#domain/people/role.ts'
import { operation } from '#operations/operation.ts'
import { findIfNamed, ownApplication } from '#operations/own.ts'
import { Refused, refused } from '#operations/refused.ts'
import { ApplicationSlug, Role, text } from '#operations/schemas.ts'
import { newToken } from '#operations/secrets.ts'
import { TokenView, tokenView } from './token-view.ts'

export default operation({
  id: 'tokens.create',
  method: 'POST',
  path: '/v1/application-keys',
  scope: 'organization',
  isForOneApplication: true,
  summary: 'Mint a control-plane token',
  description:
    'Makes an `sk_` token of this organization. Its secret is in this answer and nowhere else: only its hash is kept. It never may more than the caller: a higher role, or another application than the only one that the caller may use, is refused.',
  body: z.strictObject({
    label: text(64).meta({ description: 'Name for people.', examples: ['ci'] }),
    role: Role.optional().meta({
      description: 'What it may do; when left out, `admin`, or the role of the caller if that is lower.',
    }),
    application: ApplicationSlug.optional().meta({
      description:
        'Slug of the one application that it may use; when left out, every one that the caller may use.',
    }),
  }),
  output: TokenView.extend({
    token: z.string().meta({ description: 'The secret, shown once.' }),
  }),
  errors: ['not_found'],
  answersSecret: true,
  async run({ body }, context) {
    const { actor, nowMs, organization, ports, store } = context
    const role = body.role ?? lowerRole('admin', actor.role)
    if (!isRoleAtLeast(actor.role, role)) {
      return refused('role_required', { role: actor.role, needed: role }, 'role')
    }
    const application = await findIfNamed(ownApplication, body.application, context, 'application')
    if (application instanceof Refused) return application
    const applicationId = application?.id ?? actor.applicationId
    const { hash, secret, token } = newToken(
      organization,
      { label: body.label, role, applicationId, nowMs },
      ports,
    )
    await store.tokens.insert(token, hash)
    return { ...tokenView(token), token: secret }
  },
})
