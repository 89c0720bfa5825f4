import * as z from 'zod'
import type { Grant } from '#domain/records.ts'
import { Count, Micros, Timestamp } from '#operations/schemas.ts'

export const GrantView = z
  .object({
    id: z.string().meta({ description: 'Id of the grant, `gr_…`.' }),
    amountUnits: Micros.meta({ description: 'What each person was credited, in micros.' }),
    reason: z.string().meta({ description: 'The reason given when it was issued.' }),
    idempotencyKey: z
      .string()
      .nullable()
      .meta({ description: 'Key that credits each person once; null: none was given.' }),
    endUsers: Count.meta({
      description: 'Number of people whom it is for, as they were when it was issued.',
    }),
    done: Count.meta({ description: 'How many of them have it so far.' }),
    status: z.enum(['running', 'done']).meta({
      description: '`running`: some of its people do not have it yet; `done`: each of them has it, once.',
    }),
    startsAt: Timestamp.nullable().meta({
      description: 'When the credit can first be spent. Null if it could be spent at once.',
    }),
    expiresAt: Timestamp.nullable().meta({
      description: 'When what is unspent of the credit expires. Null if it does not expire.',
    }),
    createdAt: Timestamp.meta({ description: 'When it was made.' }),
  })
  .meta({ id: 'Grant', description: 'A credit to the wallets of people.' })

export function grantView(grant: Grant): z.output<typeof GrantView> {
  return {
    id: grant.id,
    amountUnits: grant.amountMicros,
    reason: grant.reason,
    idempotencyKey: grant.idempotencyKey,
    endUsers: grant.endUsers,
    done: grant.done,
    status: grant.done === grant.endUsers ? ('done' as const) : ('running' as const),
    startsAt: grant.startsAtMs,
    expiresAt: grant.expiresAtMs,
    createdAt: grant.createdAtMs,
  }
}
