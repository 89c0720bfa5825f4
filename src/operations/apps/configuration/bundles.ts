import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Price } from '#money/price.ts'
import type { BundlePrice, BundleRecord } from '#domain/billing/bundle-record.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { usedAsDefault, usedByPeople } from '#operations/bundles/shared/bundle-in-use.ts'
import {
  bundleFields,
  includeView,
  IncludeView,
  bundlePut,
  isBasisChosen,
  ListedInclude,
} from '#operations/bundles/shared/bundle-view.ts'
import {
  currencyCountedBy,
  currencyHeld,
  plainCurrency,
} from '#operations/bundles/shared/credit-currency-in-use.ts'
import { incompletePrice } from '#operations/bundles/shared/incomplete-price-fault.ts'
import { excessivePrice } from '#operations/kernel/excessive-price-fault.ts'
import { isMeaningful, unknownAmong } from '#operations/bundles/shared/define-allow-or-deny-operation.ts'
import { includeFault } from '#operations/bundles/shared/included-pool-fault.ts'
import { spilloverFault } from '#operations/bundles/shared/spillover-fault.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { always, optional, putBody } from '#operations/kernel/put-fields.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { modeTimes } from '#operations/kernel/current-time-of-mode.ts'
import { AliasName, Pattern, PriceSchema, Slug } from '#operations/kernel/value-and-page-schemas.ts'
import {
  type ApplyCode,
  invalid,
  type Kind,
  type Part,
  type Step,
  stepsOf,
  wantedItems,
} from './steps-to-apply-changes.ts'

const Patterns = z.array(Pattern)
const allowed = { description: 'Models that end users of the bundle can use.' }
const denied = { description: 'Exceptions to `allow`.' }
const isDefault = z
  .boolean()
  .meta({ description: 'Whether new end users get this bundle. At most one bundle can be the default.' })

const PriceItem = z.strictObject({
  model: AliasName.meta({ description: 'Exact name of the model or router.' }),
  price: PriceSchema.nullable().meta({
    description: 'Sell price. Null means that the model is sold at the provider cost.',
  }),
  credits: PriceSchema.nullable().meta({
    description: 'Price in millionths of a credit. Null means that credits cannot pay for the model.',
  }),
})

/** The list is empty if all models of a pool were deleted. Such a pool pays for nothing. */
const includedModels = Patterns.max(200).nullable().meta({
  description:
    'Models that the pool can pay for. Null means every model in the bundle. An empty list means no model.',
})

const IncludeItem = z.strictObject({ ...IncludeView.shape, models: includedModels })

export const BundleItem = z
  .strictObject({
    slug: Slug.meta({ description: 'Slug of the bundle.' }),
    ...bundleFields,
    allow: Patterns.meta(allowed),
    deny: Patterns.meta(denied),
    prices: z.array(PriceItem).meta({ description: 'Sell prices and credit prices, by model.' }),
    includes: z.array(IncludeItem).meta({
      description: 'Pools that the bundle grants to each end user, in the order in which they are granted.',
    }),
    default: isDefault,
  })
  .meta({ id: 'ConfigurationBundle', description: 'A bundle with its patterns, prices and included credit.' })

/**
 * Maximum number of entries in a list of a bundle. If tens of thousands of entries were invalid, the list of their
 * faults would overflow the stack.
 */
const entriesMax = 10_000

export const bundleItemPut = {
  slug: always(BundleItem.shape.slug),
  ...bundlePut,
  allow: optional(Patterns.max(entriesMax).meta(allowed), []),
  deny: optional(Patterns.max(entriesMax).meta(denied), []),
  prices: optional(
    z
      .array(
        PriceItem.extend({
          price: PriceItem.shape.price.default(null),
          credits: PriceItem.shape.credits.default(null),
        }),
      )
      .max(entriesMax)
      .meta({ description: 'Sell prices and credit prices, by model.' }),
    [],
  ),
  includes: optional(
    z
      .array(ListedInclude.extend({ models: includedModels.default(null) }))
      .max(entriesMax)
      .meta({
        description: 'Pools that the bundle grants to each end user, in the order in which they are granted.',
      }),
    [],
  ),
  default: optional(isDefault, false),
}

export const WantedBundle = putBody(bundleItemPut).meta({
  id: 'WantedBundle',
  description: 'A bundle with its patterns, prices and included credit.',
})

export type Bundle = z.output<typeof BundleItem>
export type Wanted = z.output<typeof WantedBundle>

/** @param names names of models and routers as they will be after the document is applied */
export function wantedBundles(
  sent: readonly Wanted[] | undefined,
  current: readonly Bundle[],
  names: ReadonlySet<string>,
): Bundle[] | undefined | Refused<'invalid_request'> {
  const bySlug = new Map(current.map((bundle) => [bundle.slug, bundle]))
  const wanted = wantedItems('bundles', bundleItemPut, sent, ({ slug }) => {
    const before = slug === undefined ? undefined : bySlug.get(slug)
    // The document marks another bundle as the default.
    return before && { ...plainBundle(before, names), default: false }
  })
  if (wanted instanceof Refused) return wanted
  return wanted?.map((bundle, index) =>
    sent?.[index]?.creditCurrency === undefined ? { ...bundle, creditCurrency: currencyOf(bundle) } : bundle,
  )
}

/** The currency in which the pools count credits, determined as in `bundles.include`. */
function currencyOf({ creditCurrency, includes }: Bundle): string | null {
  return creditCurrency ?? (includes.some(({ unit }) => unit === 'credits') ? plainCurrency : null)
}

export async function readBundles({ application, store }: ApplicationContext): Promise<Bundle[]> {
  const all = await store.bundles.whole(application.id)
  return all.map(({ bundle, includes, prices }) => {
    const { applicationId: _, createdAtMs: __, id, isDebitBasisChosen: ___, ...fields } = bundle
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
 * Returns a bundle in its normal form: patterns are sorted and unique. A pattern that matches no name is removed,
 * because the API would reject it.
 */
export function plainBundle(bundle: Bundle, names: ReadonlySet<string>): Bundle {
  const plain = (patterns: readonly string[]): string[] =>
    [...new Set(patterns)].filter((pattern) => isMeaningful(pattern, names)).toSorted()
  return {
    ...bundle,
    allow: plain(bundle.allow),
    deny: plain(bundle.deny),
    prices: bundle.prices
      .filter(({ model }) => names.has(model))
      .toSorted((one, other) => (one.model < other.model ? -1 : 1)),
    includes: bundle.includes.map((include) => ({
      ...include,
      models: include.models && plain(include.models),
    })),
  }
}

export interface Names {
  readonly before: ReadonlySet<string>
  readonly after: ReadonlySet<string>
  readonly modelsOf: (name: string) => readonly string[]
}

export async function bundleSteps(
  { basisBySlug, current: stored, prune, wanted }: BundlePart,
  names: Names,
  context: ApplicationContext,
): Promise<readonly Step[] | Refused<ApplyCode>> {
  const bySlug = new Map(stored.map((bundle) => [bundle.slug, bundle]))
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
    prepare: async (bundle, at) =>
      bundleFault(bundle, names, at) ??
      (await currencyFault(bundle, `${at}.creditCurrency`, context)) ??
      inForce(bundle),
    kept: (bundle) => inForce(bySlug.get(bundle.slug) ?? bundle),
    async removalFault({ slug }) {
      const { application, store } = context
      const bundle = await store.bundles.bySlug(application.id, slug)
      const people = bundle ? await store.endUsers.countOn(application.id, bundle.id) : 0
      return people > 0 ? usedByPeople(slug, people, 'bundles') : null
    },
    put: (bundle) => putBundle(bundle, basisBySlug.get(bundle.slug), context),
    remove: (bundle) => removeBundle(bundle, chosen, context),
  }
  const current = stored.map((bundle) => {
    const shown = plainBundle(bundle, names.before)
    const next = wanted?.find(({ slug }) => slug === bundle.slug)
    // Exported documents omit stored patterns that match no name. If the document adds a name that such a pattern
    // matches, delete the pattern.
    return next && isDeepStrictEqual(shown, inForce(next)) ? plainBundle(bundle, names.after) : shown
  })
  return stepsOf(kind, { current, prune, wanted })
}

export interface BundlePart extends Part<Bundle> {
  readonly basisBySlug: ReadonlyMap<string, Wanted['debitBasis']>
}

/**
 * Returns the bundle that the document marks, or else the current default, or else the first bundle. Null if no bundle
 * will exist. Rejects a document that deletes the default bundle, keeps other bundles and marks none of them.
 */
function defaultAfter({
  current,
  prune,
  wanted,
}: Part<Bundle>): string | null | Refused<'in_use' | 'invalid_request'> {
  const present = current.find((bundle) => bundle.default)?.slug ?? null
  if (wanted === undefined) return present
  const [marked, ...others] = wanted.filter((bundle) => bundle.default)
  if (others.length > 0)
    return invalid(
      'Only one bundle can be the default for new end users, but the field bundles marks several.',
      'bundles',
    )
  if (marked) return marked.slug
  const [first] = wanted
  if (present === null) return first?.slug ?? null
  if (!prune || wanted.some(({ slug }) => slug === present)) return present
  return first ? usedAsDefault(present, 'bundles') : null
}

function bundleFault(
  bundle: Bundle,
  { after: names, modelsOf }: Names,
  at: string,
): Refused<ApplyCode> | null {
  const { allow, creditCurrency, deny, includes, prices, slug } = bundle
  const patterns = unknownAmong(allow, names, `${at}.allow`) ?? unknownAmong(deny, names, `${at}.deny`)
  if (patterns) return patterns
  for (const [index, { credits, model, price }] of prices.entries()) {
    const param = `${at}.prices.${index}`
    if (!names.has(model)) return refused('not_found', { resource: 'model', id: model }, `${param}.model`)
    if (prices.some((other, i) => i < index && other.model === model)) {
      return invalid(`prices contains ${model} twice.`, `${param}.model`)
    }
    if (price === null && credits === null) return invalid('price or credits is required.', `${param}.price`)
    const models = modelsOf(model)
    const incomplete =
      incompletePrice(price, `${param}.price`, models) ?? incompletePrice(credits, `${param}.credits`, models)
    if (incomplete) return incomplete
    const excessive = excessivePrice(price, `${param}.price`) ?? excessivePrice(credits, `${param}.credits`)
    if (excessive) return excessive
  }
  for (const [index, include] of includes.entries()) {
    const param = `${at}.includes.${index}`
    if (includes.some((other, i) => i < index && other.slug === include.slug)) {
      return invalid(`includes contains ${include.slug} twice.`, `${param}.slug`)
    }
    const fault =
      includeFault(include, `${param}.`) ??
      unknownAmong(include.models ?? [], names, `${param}.models`) ??
      spilloverFault(include, includes, `${param}.spilloverTo`)
    if (fault) return fault
  }
  return creditCurrency === null ? currencyCountedBy(slug, includes, `${at}.creditCurrency`) : null
}

async function currencyFault(
  { creditCurrency, slug }: Bundle,
  param: string,
  context: ApplicationContext,
): Promise<Refused<'in_use'> | null> {
  const { application, store } = context
  const existing = await store.bundles.bySlug(application.id, slug)
  const id = existing?.id ?? (await store.bundles.removedId(application.id, slug))
  return id === null ? null : currencyHeld({ id, slug, creditCurrency }, existing, param, context)
}

async function putBundle(
  { default: isNowDefault, includes, prices, ...fields }: Bundle,
  givenBasis: Wanted['debitBasis'],
  context: ApplicationContext,
): Promise<void> {
  const { application, nowMs, ports, store } = context
  const { slug } = fields
  const existing = await store.bundles.bySlug(application.id, slug)
  const id =
    existing?.id ?? (await store.bundles.removedId(application.id, slug)) ?? idOf('bun', ports.newId())
  const bundle: BundleRecord = {
    ...fields,
    isDebitBasisChosen: isBasisChosen(givenBasis, existing),
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

/** Sorts the service tiers, so that equal prices have equal JSON. */
function plainPrice({ serviceTiers, ...price }: Price): Price {
  if (serviceTiers === undefined) return price
  const tiers = Object.entries(serviceTiers).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return { ...price, serviceTiers: Object.fromEntries(tiers) }
}
