import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { Email, ExternalId, Slug } from '#operations/schemas.ts'
import { EndUserView, endUserView } from './end-user-view.ts'
import { provision } from './provision-end-user.ts'

export default operation({
  id: 'users.create',
  method: 'PUT',
  path: '/v1/end-users/{externalId}',
  scope: 'application',
  summary: 'Provision an end user',
  description:
    'Makes the person, on the named bundle or the default one, or changes the email and the bundle of one who is there; fields left out stay. Repeating it changes nothing. Someone of that external id who was removed is not brought back: this makes a new person.',
  parameters: { externalId: ExternalId },
  body: z.strictObject({
    email: Email.nullable().optional().meta({ description: 'Email address; null: delete it.' }),
    bundle: Slug.optional().meta({ description: 'Slug of the bundle to be on.' }),
  }),
  output: EndUserView,
  errors: ['not_found', 'bundle_required', 'already_exists'],
  async run({ body, path }, context) {
    const endUser = await provision({ ...body, ...path }, context, 'externalId')
    return endUser instanceof Refused ? endUser : endUserView(endUser, context)
  },
})
