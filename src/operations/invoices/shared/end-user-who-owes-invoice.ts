import assert from 'node:assert/strict'
import type { Invoice } from '#domain/billing/invoice-records.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import type { Subscriber } from '#operations/billing/shared/keep-subscription-current.ts'

/** The end user may have been deleted. */
export async function debtorOf(
  { endUserId, mode }: Pick<Invoice, 'endUserId' | 'mode'>,
  context: ApplicationContext,
): Promise<Subscriber> {
  const endUser = await context.store.endUsers.evenRemoved(context.application.id, endUserId)
  assert(endUser, `an invoice is to ${endUserId}, who is not there`)
  return { endUser, mode, nowMs: modeTime(context, mode) }
}
