import * as z from 'zod'
import { type HealthFacts, healthState, healthStates } from '#domain/health-state.ts'
import type { AliasRecord } from '#domain/records.ts'
import type { CallFigures, HealthSpan } from '#domain/reports.ts'
import type { RouterRecord, RouterTargetRecord } from '#domain/router-definition.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { routerReader } from '#operations/routers/router-state.ts'
import { AliasName, Count, Label } from '#operations/schemas.ts'

const state = {
  state: z.enum(healthStates).meta({
    description:
      '`healthy`: no call failed; `degraded`: fewer than 5 % or fewer than five calls failed, or some targets cannot be taken now; `failing`: at least 5 % failed; `unavailable`: no target can be taken now; `key_refused`: the provider refuses the key; `unknown`: no calls.',
  }),
  calls: Count.meta({ description: 'Calls of the last 24 hours; of an account, attempts.' }),
  failed: Count.meta({ description: 'Those of them that the provider or this server failed.' }),
  failureRate: z.number().min(0).max(1).meta({ description: '`failed` of `calls`; 0 without calls.' }),
  why: z.string().nullable().meta({
    description: 'What is wrong now, with its numbers. Null if healthy or unknown.',
  }),
}

export const AccountHealthView = z
  .object({ provider: Label.meta({ description: 'Label of the provider account.' }), ...state })
  .meta({ id: 'AccountHealth', description: 'How a provider account does.' })

export const NameHealthView = z
  .object({
    name: AliasName.meta({ description: 'The name for end users.' }),
    kind: z.enum(['model', 'router']).meta({ description: 'Whether it is a model or a router.' }),
    ...state,
  })
  .meta({ id: 'NameHealth', description: 'How a model or a router does.' })

/** Conditions that keep requests away from an account and model. */
export interface KeptAway {
  readonly accountId: string
  readonly model: string
  readonly why: string
}

export interface Known {
  /** Figures of the last 24 hours. */
  readonly day: HealthSpan | undefined
  readonly keptAway: readonly KeptAway[]
  /** IDs of accounts whose key is rejected. */
  readonly refused: ReadonlySet<string>
}

/** Returns the health of every account of the organization. */
export async function accountHealth(
  { organization, store }: Pick<ApplicationContext, 'organization' | 'store'>,
  { day, keptAway, refused }: Known,
): Promise<z.output<typeof AccountHealthView>[]> {
  return (await store.providers.all(organization.id)).map(({ id, label }) => {
    const seen = (day?.targets ?? []).filter(({ accountId }) => accountId === id)
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

/** Returns the health of every model and router of the application. */
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
    return { name: router.name, kind: 'router' as const, ...judged(facts, [...broken, ...reasons], 'calls') }
  })
  return [
    // Health does not cover whether a model is disabled or lacks a price. That is its `status`, which costs a read per
    // model.
    ...models.map(({ name }) => {
      const { reasons, ...counts } = unusableOf(leavesOf({ kind: 'alias', name }), known)
      const facts = { ...sumOf(callsOf(name)), ...counts, isKeyRefused: false }
      return { name, kind: 'model' as const, ...judged(facts, reasons, 'calls') }
    }),
    ...(await Promise.all(ofRouters)),
  ]
}

interface LeafTarget {
  readonly accountId: string
  readonly model: string
}

/** Returns a function that finds every account and model that a target resolves to. Saved routers have no cycles. */
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
      ...(refusedKeys.size > 0 ? ['the provider refuses the key of an account'] : []),
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

/** Capitalizes the sentence, but keeps the spelling of model names. */
function sentence(reason: string): string {
  const isWord = /^[a-z]+ /.test(reason)
  return `${isWord ? reason.slice(0, 1).toUpperCase() + reason.slice(1) : reason}.`.replace(/\.\.$/, '.')
}

function judged(facts: HealthFacts, reasons: readonly string[], counted: 'attempts' | 'calls') {
  const { calls, failed, isKeyRefused } = facts
  const why = [
    ...(isKeyRefused ? ['The provider refuses the key.'] : []),
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
