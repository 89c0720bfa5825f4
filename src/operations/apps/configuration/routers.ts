import * as z from 'zod'
import type { NameTargets } from '#domain/prices/price-dimensions-required-in-bundle.ts'
import { checkedDefinition, type Reach } from '#operations/routers/shared/check-router-definition.ts'
import { excessiveSources } from '#routing/excessive-sources.ts'
import { routerFaultSentence } from '#routing/router-fault-sentence.ts'
import type { RouterLinks } from '#routing/validate-routers.ts'
import { usedByRouters } from '#operations/models/shared/model-name-in-use.ts'
import { routerAsSent, RouterFields, routerPut, Target } from '#operations/routers/shared/router-view.ts'
import { accountLabels } from '#operations/requests/shared/request-view.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { always, putBody } from '#operations/kernel/put-fields.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { AliasName } from '#operations/kernel/value-and-page-schemas.ts'
import { type ApplyCode, type Part, type Step, stepsOf } from './steps-to-apply-changes.ts'

export const RouterItem = z
  .strictObject({
    name: AliasName.meta({ description: 'Name of the router, as end users request it.' }),
    ...RouterFields,
    targets: z.array(Target).meta({ description: 'Targets that requests are routed to.' }),
  })
  .meta({
    id: 'ConfigurationRouter',
    description: 'A router: a name that routes requests to several targets.',
  })

export const routerItemPut = { name: always(RouterItem.shape.name), ...routerPut }

export const WantedRouter = putBody(routerItemPut).meta({
  id: 'WantedRouter',
  description: 'A router: a name that routes requests to several targets.',
})

export type Router = z.output<typeof RouterItem>

export async function readRouters(context: ApplicationContext): Promise<Router[]> {
  const labels = await accountLabels(context)
  const routers = await context.store.routers.all(context.application.id)
  return routers.map((router) => ({ name: router.name, ...routerAsSent(router, labels) }))
}

export function sourcesOf({ targets }: Router): {
  readonly sources: readonly { readonly provider: string }[]
} {
  return { sources: targets.flatMap(({ provider }) => (provider === undefined ? [] : { provider })) }
}

/** A target with several names is rejected later, when its router is checked. */
function linksOf({ name, targets }: Router): RouterLinks {
  return {
    name,
    targets: targets.map(({ alias, router }) => {
      if (alias !== undefined) return { to: { kind: 'alias', name: alias } }
      return { to: router === undefined ? { kind: 'source' } : { kind: 'router', name: router } }
    }),
  }
}

export interface RouterWorld extends Pick<Reach, 'aliases' | 'bundles'> {
  readonly aliasesBefore: Reach['aliases']
}

export function routersAfter({ current, prune, wanted }: Part<Router>): readonly Router[] {
  const kept = wanted !== undefined && prune ? [] : current
  const isReplaced = ({ name }: Router): boolean => wanted?.some((router) => router.name === name) ?? false
  return [...kept.filter((router) => !isReplaced(router)), ...(wanted ?? [])]
}

/** Null if the router will not exist. */
export function routerTargets(name: string, part: Part<Router>): NameTargets | null {
  const found = routersAfter(part).find((one) => one.name === name)
  if (found === undefined) return null
  return {
    models: found.targets.flatMap(({ model }) => model ?? []),
    names: found.targets.flatMap(({ alias, router }) => alias ?? router ?? []),
  }
}

export async function routerSteps(
  part: Part<Router>,
  { aliases, aliasesBefore, bundles }: RouterWorld,
  context: ApplicationContext,
): Promise<readonly Step[] | Refused<ApplyCode>> {
  const { application, nowMs, organization, store } = context
  const after = routersAfter(part)
  const reach: Reach = {
    accounts: await store.providers.all(organization.id),
    aliases,
    bundles,
    routers: after.map(linksOf),
  }
  // A router of the document is checked together with all other routers.
  if (part.wanted === undefined || part.wanted.length === 0) {
    const excess = excessiveSources(reach.routers, { before: aliasesBefore, after: aliases })
    if (excess) return refused('invalid_request', { reason: routerFaultSentence(excess) }, 'models')
  }
  const labels = new Map(reach.accounts.map(({ id, label }) => [id, label]))
  const recordOf = (router: Router, at: string) => {
    const definition = checkedDefinition(router.name, router, reach, at)
    if (definition instanceof Refused) return definition
    return { applicationId: application.id, name: router.name, createdAtMs: nowMs, ...definition }
  }
  return stepsOf(
    {
      resource: 'router',
      field: 'routers',
      schema: RouterItem,
      nameOf: ({ name }) => name,
      async prepare(router, at) {
        const record = recordOf(router, `${at}.`)
        return record instanceof Refused ? record : { name: router.name, ...routerAsSent(record, labels) }
      },
      async put(router) {
        const record = recordOf(router, '')
        if (record instanceof Refused) throw record.failure
        await store.routers.put(record)
      },
      remove: ({ name }) => store.routers.remove(application.id, name),
    },
    part,
  )
}

/**
 * Rejects the deletion of a model if a kept router routes to it. Only routers that the document omits are checked here.
 * The names in the document's own routers are checked when they are resolved.
 */
export function ledToByKept(name: string, part: Part<Router>): Refused<'in_use'> | null {
  const kept = routersAfter({ ...part, wanted: part.wanted && [] })
  const isReplaced = (router: Router): boolean =>
    part.wanted?.some((one) => one.name === router.name) ?? false
  const users = kept.filter(
    (router) => !isReplaced(router) && router.targets.some(({ alias }) => alias === name),
  )
  if (users.length === 0) return null
  return usedByRouters(
    'model',
    name,
    users.map((one) => one.name),
    'models',
  )
}

/**
 * Rejects a name that a model and a router of the document both have. Also rejects a document that replaces a model by
 * a router of the same name, or a router by a model. Deleting a model would delete its prices in bundles.
 */
export function nameFault(
  models: { readonly before: readonly string[]; readonly after: readonly string[] },
  part: Part<Router>,
): Refused<'name_taken'> | null {
  const isModel = new Set([...models.before, ...models.after])
  for (const [index, { name }] of (part.wanted ?? []).entries())
    if (isModel.has(name))
      return refused('name_taken', { name, kind: 'model', path: '/v1/models' }, `routers.${index}.name`)
  const isRouter = new Set(part.current.map((router) => router.name))
  const taken = models.after.find((name) => isRouter.has(name))
  if (taken === undefined) return null
  return refused('name_taken', { name: taken, kind: 'router', path: '/v1/routers' }, 'models')
}
