import * as z from 'zod'
import { roles } from '#domain/people/team-roles.ts'
import { seatsOf } from '#operations/bill/shared/billed-seats.ts'
import { tierState } from '#operations/bill/shared/organization-tier-view.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Count, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export default operation({
  id: 'customer.show',
  method: 'GET',
  path: '/v1/customer',
  scope: 'organization',
  summary: 'Show the organization',
  description: 'Returns the organization of the credential and the role of the caller.',
  output: z
    .object({
      id: z.string().meta({ description: 'ID of the organization, `org_…`.' }),
      name: z.string().meta({ description: 'Name of the organization.' }),
      code: z
        .string()
        .meta({ description: 'Code of the organization, which is the `<code>` part of its tokens.' }),
      tier: z.string().meta({
        description: 'Billing tier of the organization. `bill.tiers` lists all tiers.',
        examples: ['team'],
      }),
      applications: Count.meta({ description: 'Number of applications that are not archived.' }),
      members: Count.meta({ description: 'Number of active members.' }),
      mode: z.enum(['live', 'test']).meta({ description: 'Mode of the request.' }),
      role: z.enum(roles).meta({
        description: 'Role of the caller. Each role includes all permissions of the lower roles.',
      }),
      createdAt: Timestamp.meta({ description: 'When the organization was created.' }),
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
