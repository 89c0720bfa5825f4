import * as z from 'zod'
import { balanceMax, formatMicros } from '#money/amount.ts'
import type { Grant } from '#domain/billing/grants-and-balance-changes.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { withVariants } from '#operations/kernel/openapi-annotations-of-schemas.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { findIfNamed, ownBundle } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import {
  ExternalId,
  PositiveMicros,
  Slug,
  text,
  Timestamp,
} from '#operations/kernel/value-and-page-schemas.ts'
import { waitForGrant } from '#operations/grants/shared/wait-for-grant.ts'
import { balanceTooLarge } from '#operations/kernel/refuse-excessive-balance.ts'
import { GrantView, grantView } from '#operations/grants/shared/grant-view.ts'

export default operation({
  id: 'grants.issue',
  method: 'POST',
  path: '/v1/grants',
  scope: 'application',
  summary: 'Credit end users',
  description:
    'Credits each end user with the same amount, in the mode of the request. Set exactly one of `endUsers`, `bundle` and `everyone`.\n\n- Without `expiresAt`, the credit goes to the wallet. With `expiresAt`, the credit is spent before the wallet, soonest expiry first. When unspent credit expires, an entry is added to the ledger. Plan pools are never credited.\n- A grant credits at most $1,000,000,000,000 in total.\n- The list of end users is fixed when the grant is issued. Each end user is credited once.\n- Repeating the request with the same idempotency key, in the body or in the header, returns the same grant. If the grant was interrupted, the repeated request continues the grant.\n- The response is returned within ten seconds. A grant to many end users continues after the response. `done` is the number of end users credited so far.',
  body: withVariants(
    z.strictObject({
      endUsers: z
        .array(ExternalId)
        .min(1)
        .max(10_000)
        .optional()
        .meta({ description: 'External IDs of end users.' }),
      bundle: Slug.optional().meta({
        description: 'Slug of a bundle. Every end user who is on the bundle now is credited.',
      }),
      everyone: z
        .literal(true)
        .optional()
        .meta({ description: 'Whether to credit every end user that the application has now.' }),
      amountUnits: PositiveMicros.meta({ description: 'Amount for each end user, in micros.' }),
      reason: text(256).meta({
        description: 'Reason shown on the ledger of each end user.',
        examples: ['welcome'],
      }),
      startsAt: Timestamp.nullable().optional().meta({
        description:
          'When the credit can first be spent. Requires `expiresAt`. Omit or set to null to start now.',
      }),
      expiresAt: Timestamp.nullable().optional().meta({
        description:
          'Time at which unspent credit expires. The time must be in the future and after `startsAt`. Omit or set to null for credit that does not expire.',
      }),
      idempotencyKey: text(255).optional().meta({
        description:
          'Idempotency key, which ensures that each end user is credited only once. The `Idempotency-Key` header can be sent instead.',
      }),
    }),
    {
      by: null,
      of: [
        {
          name: 'GrantToEndUsers',
          description: 'Credit for a list of end users.',
          required: ['endUsers'],
          without: ['bundle', 'everyone'],
        },
        {
          name: 'GrantToBundle',
          description: 'Credit for every end user on a bundle.',
          required: ['bundle'],
          without: ['endUsers', 'everyone'],
        },
        {
          name: 'GrantToEveryone',
          description: 'Credit for every end user of the application.',
          required: ['everyone'],
          without: ['endUsers', 'bundle'],
        },
      ],
    },
  ),
  output: GrantView,
  errors: ['not_found', 'balance_too_large', 'idempotency_mismatch'],
  runsOutside: true,
  async run({ body }, context) {
    const { application, idempotencyKey, mode, ports, store } = context
    const named = [body.endUsers, body.bundle, body.everyone].filter((choice) => choice !== undefined)
    if (named.length !== 1) {
      return refused(
        'invalid_request',
        { reason: 'Set exactly one of endUsers, bundle and everyone.' },
        'endUsers',
      )
    }
    const key = body.idempotencyKey ?? idempotencyKey
    const earlier = key === null ? null : await store.grants.byIdempotencyKey(application.id, mode, key)
    const requestHash = requestHashOf(body)
    if (earlier !== null && earlier.requestHash !== requestHash) {
      return refused('idempotency_mismatch', {}, 'idempotencyKey')
    }
    if (earlier !== null && earlier.grant.done === earlier.grant.endUsers)
      return shown(earlier.grant, context)
    // A repeated request continues an interrupted grant with its stored end users, even after the grant's expiry.
    const nowMs = earlier?.grant.createdAtMs ?? modeTime(context)
    const { amountUnits, expiresAt = null, reason, startsAt = null } = body
    const fault = spanFault({ expiresAt, nowMs, startsAt })
    if (fault) return refused('invalid_request', { reason: fault.reason }, fault.param)
    const endUserIds = earlier === null ? await recipients(body, context) : []
    if (endUserIds instanceof Refused) return endUserIds
    if (earlier === null && endUserIds.length === 0) {
      return refused(
        'invalid_request',
        { reason: 'No end user matches, so no credit would be issued.' },
        body.bundle ? 'bundle' : 'everyone',
      )
    }
    const sumMicros = amountUnits * BigInt(endUserIds.length)
    if (sumMicros > balanceMax) {
      const excess = `This grant would credit ${endUserIds.length} end users with ${sumMicros} micros together, more than the maximum of ${balanceMax}. Issue smaller grants.`
      return refused('invalid_request', { reason: excess }, 'amountUnits')
    }
    const grantId = idOf('gr', ports.newId())
    const credited = ports.ledger.credit({
      grantId,
      applicationId: application.id,
      mode,
      nowMs,
      kind: 'grant',
      amountMicros: amountUnits,
      startsAtMs: startsAt,
      expiresAtMs: expiresAt,
      endUserIds,
      reason,
      idempotencyKey: key,
      requestHash,
    })
    await waitForGrant(credited)
    const begun = await store.grants.byId(application.id, earlier?.grant.id ?? grantId)
    if (begun) return shown(begun, context)
    // Another grant has used the idempotency key, or the ledger has not begun the grant.
    const result = await credited
    if (result.kind === 'idempotency_mismatch') return refused('idempotency_mismatch', {}, 'idempotencyKey')
    if (result.kind === 'above_max') {
      const endUser = await store.endUsers.byId(application.id, result.endUserId)
      return balanceTooLarge(endUser?.externalId ?? result.endUserId, result.balanceMicros, 'amountUnits')
    }
    if (result.kind !== 'credited') throw new Error(`the ledger refused the grant ${grantId}`)
    const grant = await store.grants.byId(application.id, result.grantId)
    if (!grant) throw new Error(`the ledger wrote the grant ${result.grantId}`)
    return shown(grant, context)
  },
})

interface Asked {
  readonly endUsers?: readonly string[] | undefined
  readonly bundle?: string | undefined
  readonly everyone?: true | undefined
  readonly amountUnits: bigint
  readonly reason: string
  readonly startsAt?: number | null | undefined
  readonly expiresAt?: number | null | undefined
}

function requestHashOf(body: Asked): string {
  const { amountUnits, bundle = null, endUsers = null, everyone = null, reason } = body
  const { expiresAt = null, startsAt = null } = body
  const asked: unknown[] = [endUsers, bundle, everyone, formatMicros(amountUnits), reason]
  // Earlier versions had no such fields, so the hash of a request without them must stay the same.
  if (expiresAt !== null) asked.push(startsAt, expiresAt)
  return sha256(JSON.stringify(asked))
}

/** The response to a repeated request must show later reversals of the grant. */
async function shown(grant: Grant, { application, store }: ApplicationContext) {
  return grantView(grant, await store.corrections.reversals(application.id, [grant.id]))
}

function spanFault({
  expiresAt,
  nowMs,
  startsAt,
}: {
  readonly startsAt: number | null
  readonly expiresAt: number | null
  readonly nowMs: number
}): { readonly param: 'startsAt' | 'expiresAt'; readonly reason: string } | null {
  if (expiresAt === null) {
    if (startsAt === null) return null
    return {
      param: 'startsAt',
      reason: 'startsAt requires expiresAt: only credit that expires can have a start time.',
    }
  }
  if (expiresAt <= nowMs) return { param: 'expiresAt', reason: 'expiresAt must be in the future.' }
  if (startsAt !== null && startsAt >= expiresAt) {
    return { param: 'startsAt', reason: 'startsAt must be before expiresAt.' }
  }
  return null
}

/** Rejects the whole grant if an external ID is unknown. */
async function recipients(
  {
    bundle,
    endUsers,
  }: { readonly bundle?: string | undefined; readonly endUsers?: readonly string[] | undefined },
  context: ApplicationContext,
): Promise<readonly string[] | Refused<'not_found'>> {
  const { application, store } = context
  if (endUsers !== undefined) {
    const found = await store.endUsers.byExternalIds(application.id, endUsers)
    const byExternalId = new Map(found.map((endUser) => [endUser.externalId, endUser.id]))
    const unknown = endUsers.find((externalId) => !byExternalId.has(externalId))
    if (unknown !== undefined) return refused('not_found', { resource: 'end user', id: unknown }, 'endUsers')
    return [...new Set(byExternalId.values())]
  }
  const named = await findIfNamed(ownBundle, bundle, context, 'bundle')
  if (named instanceof Refused) return named
  const on = named && { id: named.id, mode: context.mode, nowMs: modeTime(context) }
  return store.endUsers.ids(application.id, on)
}
