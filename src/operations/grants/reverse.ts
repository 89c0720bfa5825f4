import * as z from 'zod'
import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { Grant } from '#domain/billing/grants-and-balance-changes.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { idempotencyKeyInLedger } from '#operations/kernel/idempotency-key-in-ledger.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownGrant } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { ExternalId, text } from '#operations/kernel/value-and-page-schemas.ts'
import { waitForGrant } from '#operations/grants/shared/wait-for-grant.ts'
import { GrantReversalView, reversalView } from '#operations/grants/shared/grant-view.ts'

export default operationOn(ownGrant, {
  id: 'grants.reverse',
  method: 'POST',
  path: '/v1/grants/{id}/reverse',
  summary: 'Reverse a grant',
  description:
    'Takes back the unspent credit of a grant from some or all of its end users. The reversal applies to the mode of the grant, live or test.\n\n- Gifts are spent oldest first, so unspent credit belongs to the newest gifts. Credit that was spent, or that requests in flight hold, is not taken back.\n- A repeated reversal also takes back credit that requests have released since the first reversal. No credit is taken back twice.\n- The response is returned within ten seconds. A reversal for many end users continues after the response. `done` is the number of end users processed so far.',
  body: z.strictObject({
    endUsers: z.array(ExternalId).min(1).max(10_000).optional().meta({
      description:
        'External IDs of end users who received the grant. Omit to select all end users who received the grant.',
    }),
    reason: text(256).meta({
      description: 'Reason shown on the ledger of each end user.',
      examples: ['issued by mistake'],
    }),
  }),
  output: GrantReversalView,
  errors: ['grant_running'],
  isExtension: true,
  runsOutside: true,
  async run(grant, context, { body }) {
    const { application, idempotencyKey, ports, store } = context
    const { done, endUsers, id: reverses, mode } = grant
    if (done < endUsers) return refused('grant_running', { id: reverses, done, endUsers }, 'id')
    const endUserIds = await recipients(grant, body.endUsers, context)
    if (endUserIds instanceof Refused) return endUserIds
    const reversalId = idOf('gr', ports.newId())
    const reversed = ports.ledger.credit({
      grantId: reversalId,
      applicationId: application.id,
      mode,
      nowMs: modeTime(context, mode),
      kind: 'reversal',
      amountMicros: grant.amountMicros,
      reverses,
      endUserIds,
      reason: body.reason,
      idempotencyKey: idempotencyKeyInLedger('grants.reverse', idempotencyKey),
      requestHash: sha256(JSON.stringify(['reverse', reverses, body.endUsers ?? null, body.reason])),
    })
    await waitForGrant(reversed)
    const begun = await store.corrections.reversal(application.id, reversalId)
    if (begun !== null) return reversalView(begun)
    // Another reversal has used the idempotency key, or the ledger has not begun the reversal.
    const result = await reversed
    // Every POST declares this error (http/errors-of-operation.ts).
    if (result.kind !== 'credited') throw new Failure('idempotency_mismatch')
    const found = await store.corrections.reversal(application.id, result.grantId)
    if (found === null) throw new Error(`the ledger wrote the reversal ${result.grantId}`)
    return reversalView(found)
  },
})

/** Rejects the whole reversal if an end user did not receive the grant. */
async function recipients(
  grant: Grant,
  named: readonly string[] | undefined,
  { application, store }: ApplicationContext,
): Promise<readonly string[] | Refused<'not_found'>> {
  if (named === undefined) return store.corrections.recipients(grant, null)
  const known = await store.endUsers.byExternalIds(application.id, named)
  const having = new Set(
    await store.corrections.recipients(
      grant,
      known.map(({ id }) => id),
    ),
  )
  const byExternalId = new Map(known.map(({ externalId, id }) => [externalId, id]))
  const stranger = named.find((externalId) => !having.has(byExternalId.get(externalId) ?? ''))
  if (stranger === undefined) return [...having]
  return refused('not_found', { resource: `end user with the grant ${grant.id}:`, id: stranger }, 'endUsers')
}
