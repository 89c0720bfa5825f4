/**
 * The configuration of an application as one document: what `apps.export` answers, and what `apps.apply` brings
 * about. Each kind of resource has its items and its steps in a file here, and its lines in this one.
 *
 * A part that a document leaves out is not managed by it. Of a part that it has, it says everything: what is
 * missing there goes with `prune`, and stays without.
 */
import * as z from 'zod'
import type { ApplicationContext } from '#operations/context.ts'
import { Refused } from '#operations/refused.ts'
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
} from './bundles.ts'
import { BrandItem, brandSteps, readBrand, WantedBrand } from './brand.ts'
import { GatewayItem, gatewaySteps, readGateway, WantedGateway } from './gateway.ts'
import { ModelItem, modelSteps, namesAfter, readModels, sourceCountsAfter, WantedModel } from './models.ts'
import { OutcomeItem, outcomeSteps, readOutcomes } from './outcomes.ts'
import {
  ledToByKept,
  nameFault,
  readRouters,
  RouterItem,
  routersAfter,
  routerSteps,
  sourcesOf,
  WantedRouter,
} from './routers.ts'
import type { ApplyCode, Step } from './steps.ts'

const format = z.literal(1).meta({ description: 'Version of the format of this document.' })
const providers = z.array(AccountItem).meta({
  description:
    'Provider accounts that must be there, in label order: those that its models and routers name.',
})
const outcomes = z.array(OutcomeItem).meta({ description: 'Outcomes that take runs, in slug order.' })

export const Configuration = z
  .strictObject({
    format,
    application: ApplicationItem,
    brand: BrandItem,
    gateway: GatewayItem,
    providers,
    models: z.array(ModelItem).meta({ description: 'Model names, in name order.' }),
    routers: z.array(RouterItem).meta({ description: 'Routers, in name order.' }),
    bundles: z.array(BundleItem).meta({ description: 'Bundles, in slug order.' }),
    outcomes,
  })
  .meta({ id: 'Configuration', description: 'The whole configuration of an application, without secrets.' })

/** Items of a list: one transaction writes them, and nothing else is written meanwhile. */
const itemsMax = 1_000

/** The same as it is sent. */
export const WantedConfiguration = z.strictObject({
  format,
  application: z.exactOptional(ApplicationItem),
  brand: z
    .exactOptional(WantedBrand)
    .meta({ description: 'How the portal looks; a field that is left out is not set.' }),
  gateway: z
    .exactOptional(WantedGateway)
    .meta({ description: 'Settings of the gateway; one that is left out is not set.' }),
  providers: z.exactOptional(providers.max(itemsMax)),
  models: z.exactOptional(z.array(WantedModel).max(itemsMax)).meta({ description: 'Model names.' }),
  routers: z.exactOptional(z.array(WantedRouter).max(itemsMax)).meta({ description: 'Routers.' }),
  bundles: z
    .exactOptional(z.array(WantedBundle).max(itemsMax))
    .meta({ description: 'Bundles, each replaced whole.' }),
  outcomes: z.exactOptional(outcomes.max(itemsMax)),
})

/** The same configuration is always the same bytes. */
export async function readConfiguration(
  context: ApplicationContext,
): Promise<z.output<typeof Configuration>> {
  const models = await readModels(context)
  const routers = await readRouters(context)
  const names = [...models, ...routers].map(({ name }) => name)
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
  }
}

/** The steps that make the application what the document says, in an order in which they can be taken. */
export async function stepsToward(
  wanted: z.output<typeof WantedConfiguration>,
  prune: boolean,
  context: ApplicationContext,
): Promise<readonly Step[] | Refused<ApplyCode>> {
  const fault = await accountFault(wanted.providers, context)
  if (fault) return fault
  const models = { current: await readModels(context), wanted: wanted.models, prune }
  const bundles = { current: await readBundles(context), wanted: wanted.bundles, prune }
  const outcomesPart = { current: await readOutcomes(context), wanted: wanted.outcomes, prune }
  const routers = { current: await readRouters(context), wanted: wanted.routers, prune }
  const modelNames = { before: models.current.map(({ name }) => name), after: namesAfter(models) }
  const taken = nameFault(modelNames, routers)
  if (taken) return taken
  const names = {
    before: [...modelNames.before, ...routers.current.map(({ name }) => name)],
    after: [...modelNames.after, ...routersAfter(routers).map(({ name }) => name)],
  }
  const slugs = (
    prune && wanted.bundles ? wanted.bundles : [...bundles.current, ...(wanted.bundles ?? [])]
  ).map(({ slug }) => slug)
  const parts = [
    applicationSteps({ current: readApplication(context), wanted: wanted.application }, context),
    brandSteps({ current: await readBrand(context), wanted: wanted.brand }, context),
    gatewaySteps({ current: await readGateway(context), wanted: wanted.gateway }, context),
    await modelSteps(
      models,
      { pricedIn: (name) => sellersOf(name, bundles), ledTo: (name) => ledToByKept(name, routers) },
      context,
    ),
    await routerSteps(routers, { aliases: sourceCountsAfter(models), bundles: slugs }, context),
    await bundleSteps(bundles, names, context),
    await outcomeSteps(outcomesPart, context),
  ]
  const steps: Step[] = []
  for (const part of parts) {
    if (part instanceof Refused) return part
    steps.push(...part)
  }
  return steps
}

/** Slugs of the bundles that will sell the name at a price of their own. */
function sellersOf(name: string, part: BundlePart): string[] {
  const wanted = part.wanted ?? []
  const kept = part.wanted !== undefined && part.prune ? [] : part.current
  const isReplaced = ({ slug }: Bundle): boolean => wanted.some((bundle) => bundle.slug === slug)
  return [...wanted, ...kept.filter((bundle) => !isReplaced(bundle))]
    .filter(({ prices }) => prices.some(({ model, price }) => model === name && price !== null))
    .map(({ slug }) => slug)
    .toSorted()
}
