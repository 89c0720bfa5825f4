import * as z from 'zod'
import type { Grant } from '#domain/records.ts'
import { Count, Micros, Timestamp } from '#operations/schemas.ts'

export const GrantView = z
  .object({
    id: z.string().meta({ description: 'Id of the grant, `gr_…`.' }),
    amountUnits: Micros.meta({ description: 'What each person was credited, in micros.' }),
    reason: z.string().meta({ description: 'What was said when it was made.' }),
    idempotencyKey: z
      .string()
      .nullable()
      .meta({ description: 'What makes it happen once; null: nothing was given.' }),
    endUsers: Count.meta({ description: 'How many people were credited.' }),
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
