import assert from 'node:assert/strict'
import type { Invoice } from '#domain/billing/invoices.ts'
import { modeTime } from '#operations/kernel/mode-time.ts'
import type { ApplicationContext } from '#operations/kernel/context.ts'
import type { Subscriber } from '#operations/billing/keep-subscription-current.ts'

/** Returns the end user who owes an invoice, even if the end user was deleted. */
export async function debtorOf(
  { endUserId, mode }: Pick<Invoice, 'endUserId' | 'mode'>,
  context: ApplicationContext,
): Promise<Subscriber> {
  const endUser = await context.store.endUsers.evenRemoved(context.application.id, endUserId)
  assert(endUser, `an invoice is to ${endUserId}, who is not there`)
  return { endUser, mode, nowMs: modeTime(context, mode) }
}
