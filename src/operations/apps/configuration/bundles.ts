import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Price } from '#money/price.ts'
import type { BundlePrice, BundleRecord } from '#domain/records.ts'
import { idOf } from '#domain/id.ts'
import { usedAsDefault, usedByPeople } from '#operations/bundles/bundle-in-use.ts'
import {
  bundleFields,
  includeView,
  IncludeView,
  newBundle,
  newInclude,
} from '#operations/bundles/bundle-view.ts'
import { currencyCountedBy, plainCurrency } from '#operations/bundles/credit-currency-in-use.ts'
import { incompletePrice } from '#operations/bundles/incomplete-price.ts'
import { isMeaningful, unknownAmong } from '#operations/bundles/patterns.ts'
import { spilloverFault } from '#operations/bundles/spillover-fault.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { Refused, refused } from '#operations/refused.ts'
import { modeTimes } from '#operations/mode-time.ts'
import { AliasName, Pattern, PriceSchema, Slug } from '#operations/schemas.ts'
import { type ApplyCode, invalid, type Kind, type Part, type Step, stepsOf } from './steps.ts'

const Patterns = z.array(Pattern)
const Allow = Patterns.meta({ description: 'Models that its end users may call.' })
const Deny = Patterns.meta({ description: 'Exceptions from `allow`.' })
const isDefault = z.boolean().meta({ description: 'Whether new end users get it; of one bundle at most.' })

const PriceItem = z.strictObject({
  model: AliasName.meta({ description: 'The model name, exactly.' }),
  price: PriceSchema.nullable().meta({ description: 'Sell price; null: sold at cost.' }),
  credits: PriceSchema.nullable().meta({
    description: 'Credit price, in millionths of a credit; null: credits cannot pay for it.',
  }),
})

/** Patterns of an include whose names are all gone: it pays for nothing. */
const includedModels = Patterns.max(200)
  .nullable()
  .meta({ description: 'Models it may pay for; null: all that the bundle allows; empty: none.' })

const IncludeItem = z.strictObject({ ...IncludeView.shape, models: includedModels })

export const BundleItem = z
  .strictObject({
    slug: Slug.meta({ description: 'Slug of the bundle.' }),
    ...bundleFields,
    allow: Allow,
    deny: Deny,
    prices: z.array(PriceItem).meta({ description: 'Sell prices and credit prices, by model.' }),
    includes: z.array(IncludeItem).meta({ description: 'Its grants, in the order they are made.' }),
    default: isDefault,
  })
  .meta({ id: 'ConfigurationBundle', description: 'A bundle with all that it allows, sells and includes.' })

/** The same as it is sent: what is left out gets the defaults of the operations that set it. */
export const WantedBundle = newBundle
  .extend({
    slug: BundleItem.shape.slug,
    creditCurrency: z.exactOptional(bundleFields.creditCurrency),
    allow: Allow.default([]),
    deny: Deny.default([]),
    prices: z
      .array(
        PriceItem.extend({
          price: PriceItem.shape.price.default(null),
          credits: PriceItem.shape.credits.default(null),
        }),
      )
      .default([])
      .meta({ description: 'Sell prices and credit prices, by model.' }),
    includes: z
      .array(newInclude.extend({ models: includedModels.default(null) }))
      .default([])
      .meta({ description: 'Its grants, in the order they are made.' }),
    default: isDefault.default(false),
  })
  .meta({ id: 'WantedBundle', description: 'A bundle with all that it allows, sells and includes.' })

export type Bundle = z.output<typeof BundleItem>
export type Wanted = z.output<typeof WantedBundle>

/** Every bundle as it is stored. */
export async function readBundles({ application, store }: ApplicationContext): Promise<Bundle[]> {
  const all = await store.bundles.whole(application.id)
  return all.map(({ bundle, includes, prices }) => {
    const { applicationId: _, createdAtMs: __, id, ...fields } = bundle
    return {
      ...fields,
      allow: [...bundle.allow],
      deny: [...bundle.deny],
      prices: prices.map(priceItem),
      includes: includes.map(includeView),
      default: application.defaultBundleId === id,
    }
  })
}

/**
 * A bundle in its one spelling, with what it has for these names: patterns in order, each once, and only those that
 * mean one of them. Others could not be saved again, and mean nothing now.
 */
export function plainBundle(bundle: Bundle, names: readonly string[]): Bundle {
  const plain = (patterns: readonly string[]): string[] =>
    [...new Set(patterns)].filter((pattern) => isMeaningful(pattern, names)).toSorted()
  return {
    ...bundle,
    allow: plain(bundle.allow),
    deny: plain(bundle.deny),
    prices: bundle.prices
      .filter(({ model }) => names.includes(model))
      .toSorted((one, other) => (one.model < other.model ? -1 : 1)),
    includes: bundle.includes.map((include) => ({
      ...include,
      models: include.models && plain(include.models),
    })),
  }
}

/** The names of the models, before and once the document is in force. */
export interface Names {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export async function bundleSteps(
  { current: stored, prune, wanted: sent }: BundlePart,
  names: Names,
  context: ApplicationContext,
): Promise<readonly Step[] | Refused<ApplyCode>> {
  const bySlug = new Map(stored.map((bundle) => [bundle.slug, bundle]))
  const wanted = sent?.map((bundle) => withCurrency(bundle, bySlug.get(bundle.slug)))
  const chosen = defaultAfter({ current: stored, prune, wanted })
  if (chosen instanceof Refused) return chosen
  const inForce = (bundle: Bundle): Bundle => ({
    ...plainBundle(bundle, names.after),
    default: bundle.slug === chosen,
  })
  const kind: Kind<Bundle> = {
    resource: 'bundle',
    field: 'bundles',
    schema: BundleItem,
    nameOf: ({ slug }) => slug,
    prepare: async (bundle, at) => bundleFault(bundle, names.after, at) ?? inForce(bundle),
    kept: (bundle) => inForce(bySlug.get(bundle.slug) ?? bundle),
    async removalFault({ slug }) {
      const { application, store } = context
      const bundle = await store.bundles.bySlug(application.id, slug)
      const people = bundle ? await store.endUsers.countOn(application.id, bundle.id) : 0
      return people > 0 ? usedByPeople(slug, people, 'bundles') : null
    },
    put: (bundle) => putBundle(bundle, context),
    remove: (bundle) => removeBundle(bundle, chosen, context),
  }
  const current = stored.map((bundle) => {
    const shown = plainBundle(bundle, names.before)
    const next = wanted?.find(({ slug }) => slug === bundle.slug)
    // A pattern that meant nothing may mean a name that the document brings, which its bundle does not want.
    return next && isDeepStrictEqual(shown, inForce(next)) ? plainBundle(bundle, names.after) : shown
  })
  return stepsOf(kind, { current, prune, wanted })
}

/** The bundles as they are stored, and as they are sent. */
export interface BundlePart extends Omit<Part<Bundle>, 'wanted'> {
  readonly wanted: readonly Wanted[] | undefined
}

/** As `bundles.create` and `bundles.include` choose it. */
function withCurrency({ creditCurrency, ...bundle }: Wanted, before: Bundle | undefined): Bundle {
  if (creditCurrency !== undefined) return { ...bundle, creditCurrency }
  const isCounted = bundle.includes.some(({ unit }) => unit === 'credits')
  return { ...bundle, creditCurrency: before?.creditCurrency ?? (isCounted ? plainCurrency : null) }
}

/** Slug of the default bundle: the one that is marked, else the present one, else the first; null: none. */
function defaultAfter({
  current,
  prune,
  wanted,
}: Part<Bundle>): string | null | Refused<'in_use' | 'invalid_request'> {
  const present = current.find((bundle) => bundle.default)?.slug ?? null
  if (wanted === undefined) return present
  const [marked, ...others] = wanted.filter((bundle) => bundle.default)
  if (others.length > 0) return invalid('bundles has several defaults; new end users get one.', 'bundles')
  if (marked) return marked.slug
  const [first] = wanted
  if (present === null) return first?.slug ?? null
  if (!prune || wanted.some(({ slug }) => slug === present)) return present
  return first ? usedAsDefault(present, 'bundles') : null
}

/** What the operations would refuse of a bundle. */
function bundleFault(bundle: Bundle, names: readonly string[], at: string): Refused<ApplyCode> | null {
  const { allow, creditCurrency, deny, includes, prices, slug } = bundle
  const patterns = unknownAmong(allow, names, `${at}.allow`) ?? unknownAmong(deny, names, `${at}.deny`)
  if (patterns) return patterns
  for (const [index, { credits, model, price }] of prices.entries()) {
    const param = `${at}.prices.${index}`
    if (!names.includes(model))
      return refused('not_found', { resource: 'model', id: model }, `${param}.model`)
    if (prices.some((other, i) => i < index && other.model === model)) {
      return invalid(`prices has ${model} twice.`, `${param}.model`)
    }
    if (price === null && credits === null) return invalid('price or credits is required.', `${param}.price`)
    const incomplete =
      incompletePrice(price, `${param}.price`) ?? incompletePrice(credits, `${param}.credits`)
    if (incomplete) return incomplete
  }
  for (const [index, include] of includes.entries()) {
    const param = `${at}.includes.${index}`
    if (includes.some((other, i) => i < index && other.slug === include.slug)) {
      return invalid(`includes has ${include.slug} twice.`, `${param}.slug`)
    }
    if (include.rollover !== null && !include.recurring) {
      return invalid('rollover applies to recurring includes only.', `${param}.rollover`)
    }
    const fault =
      unknownAmong(include.models ?? [], names, `${param}.models`) ??
      spilloverFault(include, includes, `${param}.spilloverTo`)
    if (fault) return fault
  }
  return creditCurrency === null ? currencyCountedBy(slug, includes, `${at}.creditCurrency`) : null
}

async function putBundle(
  { default: isNowDefault, includes, prices, ...fields }: Bundle,
  context: ApplicationContext,
): Promise<void> {
  const { application, nowMs, ports, store } = context
  const { slug } = fields
  const existing = await store.bundles.bySlug(application.id, slug)
  const id =
    existing?.id ?? (await store.bundles.removedId(application.id, slug)) ?? idOf('bun', ports.newId())
  const bundle: BundleRecord = {
    ...fields,
    id,
    applicationId: application.id,
    createdAtMs: existing?.createdAtMs ?? nowMs,
  }
  await store.bundles.put(bundle)
  await store.bundles.setPrices(
    id,
    prices.map(({ credits, model, price }) => ({ alias: model, price, credits })),
  )
  const terms = includes.map(({ price: priceMicros, ...include }) => ({ ...include, priceMicros }))
  await store.bundles.setIncludes(id, terms, modeTimes(context))
  if (isNowDefault) await store.applications.setDefaultBundle(application.id, id)
}

async function removeBundle(
  { slug }: Bundle,
  chosen: string | null,
  context: ApplicationContext,
): Promise<void> {
  const { application, store } = context
  const bundle = await store.bundles.bySlug(application.id, slug)
  if (bundle) await store.bundles.remove(bundle.id, modeTimes(context))
  if (chosen === null) await store.applications.setDefaultBundle(application.id, null)
}

function priceItem({ alias, credits, price }: BundlePrice): Bundle['prices'][number] {
  return { model: alias, price: price && plainPrice(price), credits: credits && plainPrice(credits) }
}

/** Its service tiers in order, so that the same price is the same bytes. */
function plainPrice({ serviceTiers, ...price }: Price): Price {
  if (serviceTiers === undefined) return price
  const tiers = Object.entries(serviceTiers).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return { ...price, serviceTiers: Object.fromEntries(tiers) }
}
