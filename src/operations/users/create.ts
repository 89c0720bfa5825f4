import { lasting, optional, putBody } from '#operations/kernel/put-fields.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { Email, ExternalId, Slug } from '#operations/kernel/value-and-page-schemas.ts'
import { EndUserView, endUserView } from '#operations/users/shared/end-user-view.ts'
import { provision } from '#operations/users/shared/create-or-change-end-user.ts'

export default operation({
  id: 'users.create',
  method: 'PUT',
  path: '/v1/end-users/{externalId}',
  scope: 'application',
  summary: 'Create or update an end user',
  description:
    'Creates an end user, or changes the email and the bundle of an existing end user. Without `bundle`, a new end user is put on the default bundle. Repeating the request changes nothing.\n\n- The bundle applies in the mode of the request. An end user who is created in test mode has no plan in live mode at first. To put the end user on a plan in live mode, use users.create or users.subscribe in live mode, or create a live key.\n- A deleted end user with this external ID is not restored. The request creates a new end user.',
  parameters: { externalId: ExternalId },
  query: {
    forTeam: Slug.optional().meta({
      description:
        "Slug of a team. On a distributed database, a new end user is stored on the shard of the team's payer. The request does not add the end user to the team; `teams.addMember` does. Ignored if the end user exists.",
    }),
  },
  body: putBody({
    email: optional(Email.nullable().meta({ description: 'Email address of the end user.' }), null),
    bundle: lasting(
      Slug.meta({ description: 'Slug of the bundle.' }),
      'Defaults to the default bundle of the application.',
    ),
  }),
  output: EndUserView,
  errors: ['not_found', 'bundle_required', 'already_exists'],
  async run({ body, path, query }, context) {
    const endUser = await provision({ ...body, ...path, ...query }, context, 'externalId')
    return endUser instanceof Refused ? endUser : endUserView(endUser, context)
  },
})
