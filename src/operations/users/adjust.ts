import * as z from 'zod'
import { Failure } from '#domain/errors.ts'
import { formatMicros } from '#money/amount.ts'
import { idempotencyKeyInLedger } from '#operations/kernel/idempotency-key-in-ledger.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { balanceTooLarge } from '#operations/kernel/refuse-excessive-balance.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { ChangeMicros, text } from '#operations/kernel/value-and-page-schemas.ts'
import { BalanceChangeView, changeBalance } from '#operations/users/shared/change-wallet-balance.ts'

export default operationOn(ownEndUser, {
  id: 'users.adjust',
  method: 'POST',
  path: '/v1/end-users/{externalId}/adjust',
  summary: "Adjust an end user's balance",
  description:
    'Adds an amount to the wallet of an end user, or subtracts an amount from the wallet, in the mode of the request. Send an `Idempotency-Key` so that a retry does not adjust twice.\n\n- A positive adjustment adds gifted credit. A negative adjustment takes gifted credit before paid credit.\n- If the balance would fall below the amount held by requests in flight, the operation fails with `adjustment_too_large`.\n- If the balance would exceed $1,000,000,000,000, the operation fails with `balance_too_large`.',
  body: z.strictObject({
    amountUnits: ChangeMicros.meta({
      description: 'Amount to add, in micros. Negative to subtract from the balance.',
    }),
    reason: text(256).meta({
      description: 'Reason shown on the ledger of the end user.',
      examples: ['credited to the wrong account'],
    }),
  }),
  output: BalanceChangeView,
  errors: ['adjustment_too_large', 'balance_too_large'],
  leastRole: 'admin',
  isExtension: true,
  runsOutside: true,
  async run(endUser, context, { body }) {
    const { amountUnits, reason } = body
    const idempotencyKey = idempotencyKeyInLedger('users.adjust', context.idempotencyKey)
    const asked = [formatMicros(amountUnits), reason]
    const adjustment = { kind: 'adjustment', amountMicros: amountUnits, asked, reason } as const
    const changed = await changeBalance(
      endUser,
      { ...adjustment, paymentReference: null, idempotencyKey },
      context,
    )
    if ('id' in changed) return changed
    // Every POST declares this error (http/errors-of-operation.ts).
    if (changed.kind === 'idempotency_mismatch') throw new Failure('idempotency_mismatch')
    if (changed.kind === 'above_max')
      return balanceTooLarge(endUser.externalId, changed.balanceMicros, 'amountUnits')
    const { heldMicros, postedMicros } = changed
    const most = postedMicros > heldMicros ? postedMicros - heldMicros : 0n
    return refused(
      'adjustment_too_large',
      { balance: formatMicros(postedMicros), held: formatMicros(heldMicros), most: formatMicros(most) },
      'amountUnits',
    )
  },
})
