import * as z from 'zod'
import type { TailFilter } from '#domain/calls/requests-tail-interface.ts'
import { recordedAccountId, simulatorId } from '#domain/sources-serving-model-name.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import {
  findIfNamed,
  ownEndUserOrRemoved,
  ownProvider,
  ownTeam,
} from '#operations/kernel/find-resources-of-caller.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { ExternalId, Micros, Slug, text } from '#operations/kernel/value-and-page-schemas.ts'
import { CallStatusSchema } from './request-view.ts'

/** A request must match all filters. */
export const callFilters = {
  endUserId: ExternalId.optional().meta({
    description:
      'External ID of an end user, or their ID, `eu_…`. Returns only requests of this end user. A deleted end user is found by ID only.',
  }),
  keyId: text(64)
    .optional()
    .meta({ description: 'ID of a key, `key_…`. Returns only requests made with this key.' }),
  model: text(128)
    .optional()
    .meta({ description: 'Requested model name. Returns only requests for this name.' }),
  provider: text(64).optional().meta({
    description:
      'Label of a provider account, or its ID, `pa_…`. Returns only requests that were routed to this account. A deleted account is found by ID only.',
  }),
  status: CallStatusSchema.optional().meta({ description: 'Returns only requests with this status.' }),
  statusClass: z
    .enum(['2xx', '4xx', '5xx'])
    .optional()
    .meta({ description: 'Returns only requests whose response had an HTTP status of this class.' }),
  httpStatus: z
    .codec(z.string().regex(/^[1-5][0-9]{2}$/, 'must be a status from 100 to 599'), z.int(), {
      decode: Number,
      encode: String,
    })
    .optional()
    .meta({ description: 'Returns only requests whose response had this HTTP status.' }),
  errorCode: text(64)
    .optional()
    .meta({ description: 'Returns only requests that failed or were rejected with this error code.' }),
  tag: Slug.optional().meta({
    description: 'Slug of a tag. Returns only requests with this tag. The tag does not need to be declared.',
  }),
  team: text(64).optional().meta({
    description:
      'Slug of a team, or the ID of its payer, `eu_…`. Returns only requests that members of this team sent. A deleted team is found by the ID of its payer only.',
  }),
  minCostMicros: Micros.optional().meta({
    description: 'Returns only requests with at least this provider cost, in micros.',
  }),
}

type Filters = z.output<z.ZodObject<typeof callFilters>>

/** Omitted fields are null. */
export async function filterOf(
  filters: Filters,
  context: ApplicationContext,
): Promise<TailFilter | Refused<'not_found'>> {
  const { endUserId, errorCode, httpStatus, keyId, minCostMicros, model, provider } = filters
  const { status, statusClass, tag, team } = filters
  const endUser = await findIfNamed(ownEndUserOrRemoved, endUserId, context, 'endUserId')
  if (endUser instanceof Refused) return endUser
  const accountId = await accountOf(provider, context)
  if (accountId instanceof Refused) return accountId
  const payerId = await payerOf(team, context)
  if (payerId instanceof Refused) return payerId
  return {
    endUserId: endUser?.id ?? null,
    keyId: keyId ?? null,
    alias: model ?? null,
    status: status ?? null,
    accountId,
    statusClass: statusClass ?? null,
    errorCode: errorCode ?? null,
    httpStatus: httpStatus ?? null,
    tag: tag ?? null,
    payerId,
    minCostMicros: minCostMicros ?? null,
  }
}

/**
 * Accepts any account ID, because stored requests remain after their account is deleted. In test mode, the simulator
 * serves every request.
 */
export async function accountOf(
  named: string | undefined,
  context: ApplicationContext,
): Promise<string | null | Refused<'not_found'>> {
  if (named === undefined) return null
  if (named === simulatorId && context.mode === 'test') return named
  const found = await ownProvider.find(named, context, 'provider')
  if (!(found instanceof Refused)) return recordedAccountId(found, context.mode)
  return named.startsWith('pa_') ? named : found
}

/** Accepts any ID of a payer, because stored requests remain after their team is deleted. */
export async function payerOf(
  named: string | undefined,
  context: ApplicationContext,
): Promise<string | null | Refused<'not_found'>> {
  if (named === undefined) return null
  if (named.startsWith('eu_')) return named
  const team = await ownTeam.find(named, context, 'team')
  return team instanceof Refused ? team : team.payerId
}
