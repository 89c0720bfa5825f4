import * as z from 'zod'
import type { Wallet } from '#domain/billing/balances-and-ledger-entries.ts'
import { Micros, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const ExpiringCreditView = z
  .array(
    z
      .object({
        grantId: z.string().meta({ description: 'ID of the grant, `gr_…`.' }),
        remainingMicros: Micros.meta({
          description: 'Unspent amount, in micros, including amounts held by requests in flight.',
        }),
        startsAt: Timestamp.meta({ description: 'When the credit can first be spent.' }),
        expiresAt: Timestamp.meta({ description: 'When the unspent amount expires.' }),
      })
      .meta({ id: 'ExpiringCredit', description: 'Credit that expires.' }),
  )
  .meta({
    description:
      'Credit that expires, sorted by expiry. Expiring credit is spent after plan pools and before the rest of the wallet. Credit with a future `startsAt` is not part of the balance yet.',
  })

export function expiringCreditView(wallet: Wallet | undefined): z.output<typeof ExpiringCreditView> {
  return (wallet?.expiring ?? []).map(({ endsAtMs, grantId, postedMicros, startsAtMs }) => ({
    grantId,
    remainingMicros: postedMicros,
    startsAt: startsAtMs,
    expiresAt: endsAtMs,
  }))
}
