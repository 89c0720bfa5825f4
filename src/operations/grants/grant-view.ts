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
    endUsers: Count.meta({ description: 'Number of people credited.' }),
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
    createdAt: grant.createdAtMs,
  }
}
