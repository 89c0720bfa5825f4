import * as z from 'zod'
import { type HealthFacts, healthState, healthStates } from '#domain/health/health-state.ts'
import { recordedAccountId } from '#domain/sources-serving-model-name.ts'
import type { AliasRecord } from '#domain/model-name-record.ts'
import type { CallFigures, HealthSpan } from '#domain/reports/reports-interface.ts'
import type { RouterRecord, RouterTargetRecord } from '#domain/router-records.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { routerReader } from '#operations/routers/shared/problems-of-router-targets.ts'
import { AliasName, Count, Label } from '#operations/kernel/value-and-page-schemas.ts'

const state = {
  state: z.enum(healthStates).meta({
    description:
      'Health now and over the last 24 hours.\n\n- `healthy`: no request failed.\n- `degraded`: some requests failed, or some targets are unavailable now.\n- `failing`: at least five requests failed, and at least 5 % of all requests.\n- `unavailable`: no target is available now.\n- `key_refused`: the provider rejects the key.\n- `unknown`: no requests.',
  }),
  calls: Count.meta({
    description: 'Number of requests in the last 24 hours. For a provider account, the number of attempts.',
  }),
  failed: Count.meta({ description: 'Number of failures caused by the provider or this server.' }),
  failureRate: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: '`failed` divided by `calls`. 0 if `calls` is 0.' }),
  why: z.string().nullable().meta({
    description:
      'Description of the problem, with the measured numbers. Null if the state is `healthy` or `unknown`.',
  }),
}

export const AccountHealthView = z
  .object({ provider: Label.meta({ description: 'Label of the provider account.' }), ...state })
  .meta({ id: 'AccountHealth', description: 'Health of a provider account.' })

export const NameHealthView = z
  .object({
    name: AliasName.meta({ description: 'Name of the model or router, as end users request it.' }),
    kind: z.enum(['model', 'router']).meta({ description: 'Whether the name is a model or a router.' }),
    ...state,
  })
  .meta({ id: 'NameHealth', description: 'Health of a model or a router.' })

export interface KeptAway {
  readonly accountId: string
  readonly model: string
  readonly why: string
}

export interface Known {
  readonly day: HealthSpan | undefined
  readonly keptAway: readonly KeptAway[]
  readonly refused: ReadonlySet<string>
}

export async function accountHealth(
  { mode, organization, store }: Pick<ApplicationContext, 'mode' | 'organization' | 'store'>,
  { day, keptAway, refused }: Known,
): Promise<z.output<typeof AccountHealthView>[]> {
  return (await store.providers.all(organization.id)).map(({ id, kind, label }) => {
    const recordedId = recordedAccountId({ id, kind }, mode)
    const seen = (day?.targets ?? []).filter(({ accountId }) => accountId === recordedId)
    const away = keptAway.filter(({ accountId }) => accountId === id)
    const models = new Set([...seen, ...away].map(({ model }) => model))
    const facts = {
      ...sumOf(seen),
      targets: models.size,
      unusable: away.length,
      isKeyRefused: refused.has(id),
    }
    return {
      provider: label,
      ...judged(
        facts,
        away.map(({ why }) => why),
        'attempts',
      ),
    }
  })
}

export async function nameHealth(
  context: ApplicationContext,
  known: Known,
): Promise<z.output<typeof NameHealthView>[]> {
  const { application, store } = context
  const models = await store.aliases.all(application.id)
  const routers = await store.routers.all(application.id)
  const stateOf = routerReader(context)
  const callsOf = (name: string): CallFigures[] => known.day?.rows.filter(({ alias }) => alias === name) ?? []
  const leavesOf = leafFinder({ models, routers })
  const ofRouters = routers.map(async (router) => {
    const { isServing, problems } = await stateOf(router)
    const { reasons, targets, unusable } = unusableOf(
      router.targets.flatMap(({ to }) => leavesOf(to)),
      known,
    )
    const broken = problems.flatMap((problem, at) => (problem ? `target ${at + 1}: ${problem.reason}` : []))
    const facts = {
      ...sumOf(callsOf(router.name)),
      targets: Math.max(targets, problems.length),
      unusable: isServing ? Math.max(unusable, broken.length) : Infinity,
      isKeyRefused: false,
    }
    return {
      name: router.name,
      kind: 'router' as const,
      ...judged(facts, [...broken, ...reasons], 'requests'),
    }
  })
  return [
    // Health does not cover disabled models and missing prices, which would need a separate read for each model.
    ...models.map(({ name }) => {
      const { reasons, ...counts } = unusableOf(leavesOf({ kind: 'alias', name }), known)
      const facts = { ...sumOf(callsOf(name)), ...counts, isKeyRefused: false }
      return { name, kind: 'model' as const, ...judged(facts, reasons, 'requests') }
    }),
    ...(await Promise.all(ofRouters)),
  ]
}

interface LeafTarget {
  readonly accountId: string
  readonly model: string
}

/** Ends, because a saved router never routes to itself. */
function leafFinder({
  models,
  routers,
}: {
  readonly models: readonly AliasRecord[]
  readonly routers: readonly RouterRecord[]
}): (to: RouterTargetRecord['to']) => readonly LeafTarget[] {
  const sources = new Map(models.map((model) => [model.name, model.sources]))
  const targets = new Map(routers.map((router) => [router.name, router.targets]))
  const leavesOf = (to: RouterTargetRecord['to']): readonly LeafTarget[] => {
    if (to.kind === 'source') return [to]
    if (to.kind === 'alias') return sources.get(to.name) ?? []
    return (targets.get(to.name) ?? []).flatMap((target) => leavesOf(target.to))
  }
  return leavesOf
}

function unusableOf(
  leaves: readonly LeafTarget[],
  { keptAway, refused }: Known,
): { readonly targets: number; readonly unusable: number; readonly reasons: readonly string[] } {
  const keys = new Set(leaves.map(keyOf))
  const away = keptAway.filter((one) => keys.has(keyOf(one)))
  const kept = new Set(away.map(keyOf))
  const refusedKeys = new Set(leaves.filter(({ accountId }) => refused.has(accountId)).map(keyOf))
  return {
    targets: keys.size,
    unusable: new Set([...kept, ...refusedKeys]).size,
    reasons: [
      ...away.map(({ model, why }) => `${model}: ${why}`),
      ...(refusedKeys.size > 0 ? ['the provider rejects the key of an account'] : []),
    ],
  }
}

function keyOf({ accountId, model }: LeafTarget): string {
  return `${accountId} ${model}`
}

function sumOf(figures: readonly CallFigures[]): Pick<HealthFacts, 'calls' | 'failed'> {
  let calls = 0
  let failed = 0
  for (const one of figures) {
    calls += one.calls
    failed += one.failed.provider + one.failed.ours
  }
  return { calls, failed }
}

export function sentence(reason: string): string {
  const isWord = /^[a-z]+ /.test(reason)
  return `${isWord ? reason.slice(0, 1).toUpperCase() + reason.slice(1) : reason}.`.replace(/\.\.$/, '.')
}

function judged(facts: HealthFacts, reasons: readonly string[], counted: 'attempts' | 'requests') {
  const { calls, failed, isKeyRefused } = facts
  const why = [
    ...(isKeyRefused ? ['The provider rejects the key.'] : []),
    ...reasons.map(sentence),
    ...(failed > 0 ? [`${failed} of ${calls} ${counted} failed in the last 24 hours.`] : []),
  ]
  return {
    state: healthState(facts),
    calls,
    failed,
    failureRate: calls === 0 ? 0 : failed / calls,
    why: why.length === 0 ? null : why.join(' '),
  }
}
