/**
 * The configuration of an application as one document, which `apps.export` returns and `apps.apply` applies. Each kind
 * of resource has a file in this folder with its items and steps.
 *
 * A section that the document omits is not changed. A stored item that is missing in its section is deleted if `prune`
 * is set, and otherwise kept. An omitted field of an item keeps its value, as in every PUT (put-fields.ts).
 */
import * as z from 'zod'
import { modelsOfName } from '#domain/prices/price-dimensions-required-in-bundle.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { always, lasting, putBody } from '#operations/kernel/put-fields.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { accountFault, AccountItem, readAccounts } from './accounts.ts'
import { ApplicationItem, applicationSteps, readApplication } from './application.ts'
import {
  type Bundle,
  BundleItem,
  bundleSteps,
  plainBundle,
  readBundles,
  type BundlePart,
  WantedBundle,
  wantedBundles,
} from './bundles.ts'
import { BrandItem, brandSteps, readBrand, WantedBrand } from './brand.ts'
import { GatewayItem, gatewaySteps, readGateway, WantedGateway } from './gateway-settings.ts'
import {
  ModelItem,
  modelItemPut,
  modelSteps,
  namesAfter,
  modelTargets,
  readModels,
  sourceCountsAfter,
  WantedModel,
} from './models.ts'
import { OutcomeItem, outcomeItemPut, outcomeSteps, readOutcomes, WantedOutcome } from './outcomes.ts'
import {
  ledToByKept,
  nameFault,
  readRouters,
  RouterItem,
  routerItemPut,
  routersAfter,
  routerTargets,
  routerSteps,
  sourcesOf,
  WantedRouter,
} from './routers.ts'
import { type ApplyCode, type Step, wantedItems } from './steps-to-apply-changes.ts'
import { readTeams, TeamItem, teamItemPut, teamSteps, WantedTeam } from './teams.ts'

const format = z.literal(1).meta({ description: 'Version of the document format.' })
const providers = z.array(AccountItem).meta({
  description:
    'Provider accounts that the models and routers use, sorted by label. The accounts must exist already.',
})
const outcomes = z.array(OutcomeItem).meta({ description: 'Outcomes that are not archived, sorted by slug.' })

export const Configuration = z
  .strictObject({
    format,
    application: ApplicationItem,
    brand: BrandItem,
    gateway: GatewayItem,
    providers,
    models: z.array(ModelItem).meta({ description: 'Models, sorted by name.' }),
    routers: z.array(RouterItem).meta({ description: 'Routers, sorted by name.' }),
    bundles: z.array(BundleItem).meta({ description: 'Bundles, sorted by slug.' }),
    outcomes,
    teams: z.array(TeamItem).meta({ description: 'Teams of end users, sorted by slug.' }),
  })
  .meta({ id: 'Configuration', description: 'The whole configuration of an application, without secrets.' })

/** Limited, because one transaction writes all items and blocks other writes in the meantime. */
const itemsMax = 1_000

const list = <Item extends z.ZodType>(item: Item, description: string) =>
  lasting(z.array(item).max(itemsMax).meta({ description }), '')

export const WantedConfiguration = putBody({
  format: always(format),
  application: lasting(ApplicationItem, ''),
  brand: lasting(WantedBrand.meta({ description: 'Brand of the portal.' }), ''),
  gateway: lasting(WantedGateway.meta({ description: 'Settings of the gateway.' }), ''),
  providers: lasting(providers.max(itemsMax), ''),
  models: list(WantedModel, 'Models.'),
  routers: list(WantedRouter, 'Routers.'),
  bundles: list(WantedBundle, 'Bundles.'),
  outcomes: list(WantedOutcome, 'Outcomes of the application.'),
  teams: list(WantedTeam, 'Teams of end users.'),
})

/** Equal configurations return byte-identical documents. */
export async function readConfiguration(
  context: ApplicationContext,
): Promise<z.output<typeof Configuration>> {
  const models = await readModels(context)
  const routers = await readRouters(context)
  const names = new Set([...models, ...routers].map(({ name }) => name))
  const bundles = await readBundles(context)
  return {
    format: 1,
    application: readApplication(context),
    brand: await readBrand(context),
    gateway: await readGateway(context),
    providers: await readAccounts([...models, ...routers.map(sourcesOf)], context),
    models,
    routers,
    bundles: bundles.map((bundle) => plainBundle(bundle, names)),
    outcomes: await readOutcomes(context),
    teams: await readTeams(context),
  }
}

/**
 * Returns the steps that make the application match the document. Run them in the returned order, because some steps
 * depend on earlier steps.
 */
export async function stepsToward(
  wanted: z.output<typeof WantedConfiguration>,
  prune: boolean,
  context: ApplicationContext,
): Promise<readonly Step[] | Refused<ApplyCode>> {
  const fault = await accountFault(wanted.providers, context)
  if (fault) return fault
  const modelsNow = await readModels(context)
  const routersNow = await readRouters(context)
  const outcomesNow = await readOutcomes(context)
  const bundlesNow = await readBundles(context)
  const wantedModels = wantedItems('models', modelItemPut, wanted.models, (item) =>
    modelsNow.find(({ name }) => name === item.name),
  )
  if (wantedModels instanceof Refused) return wantedModels
  const wantedRouters = wantedItems('routers', routerItemPut, wanted.routers, (item) =>
    routersNow.find(({ name }) => name === item.name),
  )
  if (wantedRouters instanceof Refused) return wantedRouters
  const wantedOutcomes = wantedItems('outcomes', outcomeItemPut, wanted.outcomes, (item) =>
    outcomesNow.find(({ slug }) => slug === item.slug),
  )
  if (wantedOutcomes instanceof Refused) return wantedOutcomes
  const teamsNow = await readTeams(context)
  const wantedTeams = wantedItems('teams', teamItemPut, wanted.teams, (item) =>
    teamsNow.find(({ slug }) => slug === item.slug),
  )
  if (wantedTeams instanceof Refused) return wantedTeams
  const models = { current: modelsNow, wanted: wantedModels, prune }
  const routers = { current: routersNow, wanted: wantedRouters, prune }
  const modelNames = { before: models.current.map(({ name }) => name), after: namesAfter(models) }
  const taken = nameFault(modelNames, routers)
  if (taken) return taken
  const names = {
    before: new Set([...modelNames.before, ...routers.current.map(({ name }) => name)]),
    after: new Set([...modelNames.after, ...routersAfter(routers).map(({ name }) => name)]),
    modelsOf: (name: string) =>
      modelsOfName(name, (one) => modelTargets(one, models) ?? routerTargets(one, routers)),
  }
  const bundlesWanted = wantedBundles(wanted.bundles, bundlesNow, names.after)
  if (bundlesWanted instanceof Refused) return bundlesWanted
  const bundles = {
    current: bundlesNow,
    wanted: bundlesWanted,
    prune,
    basisBySlug: new Map(wanted.bundles?.map(({ debitBasis, slug }) => [slug, debitBasis])),
  }
  const slugs = (prune && bundlesWanted ? bundlesWanted : [...bundlesNow, ...(bundlesWanted ?? [])]).map(
    ({ slug }) => slug,
  )
  const parts = [
    applicationSteps({ current: readApplication(context), wanted: wanted.application }, context),
    brandSteps({ current: await readBrand(context), wanted: wanted.brand }, context),
    gatewaySteps({ current: await readGateway(context), wanted: wanted.gateway }, context),
    await modelSteps(
      models,
      { pricedIn: (name) => sellersOf(name, bundles), ledTo: (name) => ledToByKept(name, routers) },
      context,
    ),
    await routerSteps(
      routers,
      {
        aliases: sourceCountsAfter(models),
        aliasesBefore: sourceCountsAfter({ ...models, wanted: undefined }),
        bundles: slugs,
      },
      context,
    ),
    await bundleSteps(bundles, names, context),
    await outcomeSteps({ current: outcomesNow, wanted: wantedOutcomes, prune }, context),
    await teamSteps({ current: teamsNow, wanted: wantedTeams, prune }, context),
  ]
  const steps: Step[] = []
  for (const part of parts) {
    if (part instanceof Refused) return part
    steps.push(...part)
  }
  return steps
}

function sellersOf(name: string, part: BundlePart): string[] {
  const wanted = part.wanted ?? []
  const kept = part.wanted !== undefined && part.prune ? [] : part.current
  const isReplaced = ({ slug }: Bundle): boolean => wanted.some((bundle) => bundle.slug === slug)
  return [...wanted, ...kept.filter((bundle) => !isReplaced(bundle))]
    .filter(({ prices }) => prices.some(({ model, price }) => model === name && price !== null))
    .map(({ slug }) => slug)
    .toSorted()
}
