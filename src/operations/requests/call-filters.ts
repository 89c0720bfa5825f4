import * as z from 'zod'
import type { TailFilter } from '#domain/call-tail.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { findIfNamed, ownEndUserOrRemoved, ownProvider } from '#operations/own.ts'
import { Refused } from '#operations/refused.ts'
import { ExternalId, Micros, text } from '#operations/schemas.ts'
import { CallStatusSchema } from './request-view.ts'

/** Filters of requests, for the list and the live tail. A request must match all of them. */
export const callFilters = {
  endUserId: ExternalId.optional().meta({
    description: 'External id, or the id `eu_…` of a removed person: only calls of that person.',
  }),
  keyId: text(64).optional().meta({ description: 'Id of a key, `key_…`: only calls with it.' }),
  model: text(128).optional().meta({ description: 'Only calls that asked for that name.' }),
  provider: text(64).optional().meta({
    description:
      'Label of a provider account, or its id, `pa_…`, also of one that is gone: only calls that it answered, or would have.',
  }),
  status: CallStatusSchema.optional().meta({ description: 'Only calls of that status.' }),
  statusClass: z
    .enum(['2xx', '4xx', '5xx'])
    .optional()
    .meta({ description: 'Only calls whose answer had an HTTP status of that class.' }),
  httpStatus: z
    .codec(z.string().regex(/^[1-5][0-9]{2}$/, 'must be a status from 100 to 599'), z.int(), {
      decode: Number,
      encode: String,
    })
    .optional()
    .meta({ description: 'Returns only calls whose response had this HTTP status.' }),
  errorCode: text(64)
    .optional()
    .meta({ description: 'Only calls that failed or were refused with that code.' }),
  minCostMicros: Micros.optional().meta({
    description: 'Only calls that the provider account is charged at least so much for, in micros.',
  }),
}

type Filters = z.output<z.ZodObject<typeof callFilters>>

/** Returns the filter with IDs. Omitted fields are null. */
export async function filterOf(
  { endUserId, errorCode, httpStatus, keyId, minCostMicros, model, provider, status, statusClass }: Filters,
  context: ApplicationContext,
): Promise<TailFilter | Refused<'not_found'>> {
  const endUser = await findIfNamed(ownEndUserOrRemoved, endUserId, context, 'endUserId')
  if (endUser instanceof Refused) return endUser
  const accountId = await accountOf(provider, context)
  if (accountId instanceof Refused) return accountId
  return {
    endUserId: endUser?.id ?? null,
    keyId: keyId ?? null,
    alias: model ?? null,
    status: status ?? null,
    accountId,
    statusClass: statusClass ?? null,
    errorCode: errorCode ?? null,
    httpStatus: httpStatus ?? null,
    minCostMicros: minCostMicros ?? null,
  }
}

/** Accept an ID unchecked, because requests outlive their account. In test mode, the simulator serves every request. */
export async function accountOf(
  named: string | undefined,
  context: ApplicationContext,
): Promise<string | null | Refused<'not_found'>> {
  if (named === undefined) return null
  if (named.startsWith('pa_') || (named === 'simulator' && context.mode === 'test')) return named
  const found = await ownProvider.find(named, context, 'provider')
  return found instanceof Refused ? found : found.id
}
