import * as z from 'zod'
import { roles } from '#domain/people/role.ts'
import { seatsOf } from '#operations/bill/seats.ts'
import { tierState } from '#operations/bill/tier-view.ts'
import { operation } from '#operations/operation.ts'
import { Count, Timestamp } from '#operations/schemas.ts'

export default operation({
  id: 'customer.show',
  method: 'GET',
  path: '/v1/customer',
  scope: 'organization',
  summary: 'Show the customer in view',
  description: 'The organization of the credential in use, and what its caller may do in it.',
  output: z
    .object({
      id: z.string().meta({ description: 'Id of the organization, `org_…`.' }),
      name: z.string().meta({ description: 'Its name.' }),
      code: z.string().meta({ description: 'The `<code>` in its tokens.' }),
      tier: z.string().meta({ description: 'The tier that it is on: see bill.tiers.', examples: ['team'] }),
      applications: Count.meta({ description: 'Number of its applications that are not archived.' }),
      members: Count.meta({ description: 'Number of its active members.' }),
      mode: z.enum(['live', 'test']).meta({ description: 'The mode of this request.' }),
      role: z
        .enum(roles)
        .meta({ description: 'What the caller may do: each role may do all that those below it may.' }),
      createdAt: Timestamp.meta({ description: 'When it was founded.' }),
    })
    .meta({ id: 'Customer', description: 'An organization.' }),
  async run(_, context) {
    const { actor, mode, organization, store } = context
    const { code, createdAtMs, id, name } = organization
    return {
      id,
      name,
      code,
      tier: (await tierState(context)).tier,
      applications: await store.applications.countServing(id),
      members: await seatsOf(store, id),
      mode,
      role: actor.role,
      createdAt: createdAtMs,
    }
  },
})
