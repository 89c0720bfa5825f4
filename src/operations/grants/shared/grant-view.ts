import * as z from 'zod'
import type { Grant, GrantReversal } from '#domain/billing/grants-and-balance-changes.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { Count, Micros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const GrantReversalView = z
  .object({
    id: z.string().meta({ description: 'ID of the reversal, `gr_…`.' }),
    grantId: z.string().meta({ description: 'ID of the grant that was reversed, `gr_…`.' }),
    reason: z.string().meta({ description: 'Reason for the reversal.' }),
    endUsers: Count.meta({ description: 'Number of end users that the reversal is for.' }),
    done: Count.meta({ description: 'Number of end users processed so far.' }),
    status: z.enum(['running', 'done']).meta({
      description: '`running`: some end users are not processed yet. `done`: every end user is processed.',
    }),
    reversedEndUsers: Count.meta({
      description: 'Number of end users that had unspent credit to take back.',
    }),
    reversedUnits: Micros.meta({ description: 'Total amount taken back from end users, in micros.' }),
    createdAt: Timestamp.meta({ description: 'When the reversal was requested.' }),
  })
  .meta({ id: 'GrantReversal', description: 'A reversal, which takes back unspent credit of a grant.' })

export const GrantView = z
  .object({
    id: z.string().meta({ description: 'ID of the grant, `gr_…`.' }),
    amountUnits: Micros.meta({ description: 'Amount credited to each end user, in micros.' }),
    reason: z.string().meta({ description: 'Reason for the grant.' }),
    idempotencyKey: z
      .string()
      .nullable()
      .meta({ description: 'Idempotency key of the grant. Null if no key was sent.' }),
    endUsers: Count.meta({
      description:
        'Number of end users that the grant is for. This number is fixed when the grant is issued.',
    }),
    done: Count.meta({ description: 'Number of end users credited so far.' }),
    status: z.enum(['running', 'done']).meta({
      description:
        '`running`: some end users are not credited yet. `done`: every end user was credited once.',
    }),
    reversedUnits: Micros.meta({
      description: 'Total amount taken back from end users, in micros.',
    }),
    reversals: z
      .array(GrantReversalView)
      .meta({ description: 'Reversals of the grant, oldest first. Empty if nothing was taken back.' }),
    startsAt: Timestamp.nullable().meta({
      description: 'When the credit can first be spent. Null if the credit could be spent immediately.',
    }),
    expiresAt: Timestamp.nullable().meta({
      description: 'When the unspent credit expires. Null if the credit does not expire.',
    }),
    createdAt: Timestamp.meta({ description: 'When the grant was issued.' }),
  })
  .meta({ id: 'Grant', description: 'Credit for one or more end users.' })

export function reversalView(reversal: GrantReversal): z.output<typeof GrantReversalView> {
  const { createdAtMs, done, endUsers, reversedMicros, ...rest } = reversal
  return {
    ...rest,
    endUsers,
    done,
    status: done === endUsers ? ('done' as const) : ('running' as const),
    reversedUnits: reversedMicros,
    createdAt: createdAtMs,
  }
}

export async function grantViews(
  grants: readonly Grant[],
  { application, store }: Pick<ApplicationContext, 'application' | 'store'>,
): Promise<z.output<typeof GrantView>[]> {
  const found = await store.corrections.reversals(
    application.id,
    grants.map(({ id }) => id),
  )
  return grants.map((grant) =>
    grantView(
      grant,
      found.filter(({ grantId }) => grantId === grant.id),
    ),
  )
}

export function grantView(grant: Grant, reversals: readonly GrantReversal[]): z.output<typeof GrantView> {
  return {
    id: grant.id,
    amountUnits: grant.amountMicros,
    reason: grant.reason,
    idempotencyKey: grant.idempotencyKey,
    endUsers: grant.endUsers,
    done: grant.done,
    status: grant.done === grant.endUsers ? ('done' as const) : ('running' as const),
    reversedUnits: reversals.reduce((sum, { reversedMicros }) => sum + reversedMicros, 0n),
    reversals: reversals.map(reversalView),
    startsAt: grant.startsAtMs,
    expiresAt: grant.expiresAtMs,
    createdAt: grant.createdAtMs,
  }
}
