import * as z from 'zod'
import { idOf, suffixFloor } from '#domain/ids-sorted-by-time.ts'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { Count, Label } from '#operations/kernel/value-and-page-schemas.ts'

export const substitutionsSearched = 1_000
const reportedMs = dayMs

export const SubstitutedModelView = z
  .object({
    provider: Label.meta({ description: 'Label of the provider account.' }),
    model: z.string().meta({ description: 'ID of the requested model at the provider.' }),
    answeredBy: z
      .string()
      .meta({ description: 'Name of the model that responded, as the provider reports it.' }),
    calls: Count.meta({
      description: 'Number of requests that a model other than the requested one answered.',
    }),
    lastRequestId: z.string().meta({
      description: 'ID of the newest request that a model other than the requested one answered, `req_…`.',
    }),
  })
  .meta({
    id: 'SubstitutedModel',
    description: 'A requested model that the provider replaced by another model.',
  })

export interface SubstitutedModel {
  readonly account: Provider
  readonly model: string
  readonly answeredBy: string
  readonly calls: number
  readonly lastRequestId: string
}

/** Computed from stored requests, so every process returns the same result. */
export async function substitutedModels({
  application,
  mode,
  nowMs,
  organization,
  store,
}: ApplicationContext): Promise<readonly SubstitutedModel[]> {
  const stored = await store.diagnosis.substitutedCalls(application.id, mode, substitutionsSearched)
  const since = suffixFloor(nowMs - reportedMs)
  const recent = stored.filter(({ callId }) => callId >= since)
  if (recent.length === 0) return []
  const accounts = new Map((await store.providers.all(organization.id)).map((one) => [one.id, one]))
  const groups = Map.groupBy(
    recent,
    ({ accountId, answeredBy, model }) => `${accountId}\n${model}\n${answeredBy}`,
  )
  return [...groups.values()].flatMap((calls) => {
    const [last] = calls
    const account = last && accounts.get(last.accountId)
    if (last === undefined || account === undefined) return []
    const { answeredBy, callId, model } = last
    return [{ account, model, answeredBy, calls: calls.length, lastRequestId: idOf('req', callId) }]
  })
}
