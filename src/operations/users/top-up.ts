import * as z from 'zod'
import { formatMicros } from '#money/amount.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { balanceTooLarge } from '#operations/kernel/refuse-excessive-balance.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { PositiveMicros, text } from '#operations/kernel/value-and-page-schemas.ts'
import { BalanceChangeView, changeBalance } from '#operations/users/shared/change-wallet-balance.ts'

export default operationOn(ownEndUser, {
  id: 'users.topUp',
  method: 'POST',
  path: '/v1/end-users/{externalId}/top-up',
  summary: 'Add paid credit',
  description:
    'Adds paid credit to the wallet of an end user in the mode of the request. Paid credit counts as revenue when it is spent. For a gift, use a grant.\n\n- For each `paymentReference`, credit is added only once per application and mode.\n- Repeating a request with the same reference, end user and amount returns the first response. If the end user or the amount differs, the request fails with `payment_reference_used`.',
  body: z.strictObject({
    amountUnits: PositiveMicros.meta({ description: 'Amount that was paid, in micros.' }),
    paymentReference: text(255).meta({
      description: 'Reference of the payment at the payment provider.',
      examples: ['pi_3PqR'],
    }),
    reason: text(256)
      .default('top-up')
      .meta({ description: 'Reason shown on the ledger of the end user. Defaults to `top-up`.' }),
  }),
  output: BalanceChangeView,
  errors: ['balance_too_large', 'payment_reference_used'],
  isExtension: true,
  runsOutside: true,
  async run(endUser, context, { body }) {
    const { amountUnits, paymentReference, reason } = body
    const asked = [formatMicros(amountUnits)]
    const topUp = { kind: 'topup', amountMicros: amountUnits, paymentReference, asked, reason } as const
    // Only the payment reference decides whether a request repeats an earlier top-up.
    const changed = await changeBalance(endUser, { ...topUp, idempotencyKey: null }, context)
    if ('id' in changed) return changed
    if (changed.kind === 'above_max')
      return balanceTooLarge(endUser.externalId, changed.balanceMicros, 'amountUnits')
    return refused('payment_reference_used', { reference: paymentReference }, 'paymentReference')
  },
})
