import * as z from 'zod'
import { type IncludeTerms, rolloverPeriodsMax } from '#money/plan-pools.ts'
import { nextByRank } from '#money/sources.ts'
import type { BundleRecord } from '#domain/records.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { always, lasting, optional, putBody } from '#operations/put-fields.ts'
import {
  AliasName,
  Interval,
  Micros,
  Pattern,
  Period,
  PositiveMicros,
  PriceSchema,
  Slug,
  text,
  Timestamp,
} from '#operations/schemas.ts'
import { OnClientLeftSchema } from '#operations/providers/provider-view.ts'
import { BundleWarning, warningsOf } from './debit-basis.ts'

const DisplayName = text(128).meta({ description: 'Name for people.', examples: ['Pro'] })

const Policy = z.enum(['hard_token', 'complete_message', 'grace']).meta({
  description:
    'What happens when a stream has spent what was held for it: `hard_token` stops it, `complete_message` never cuts, `grace` lets it run on by `maxOverdraftMicros`.',
})

/** Fields of a bundle that the create and edit operations set. */
export const bundleFields = {
  displayName: DisplayName,
  priceMicros: Micros.nullable().meta({
    description:
      'Price per interval, in micros; a bundle with a price is a subscription. People who are on it keep the price that they came for until they are put on it again.',
  }),
  interval: Interval.meta({ description: 'Billing interval.' }),
  spendLimitMicros: Micros.nullable().meta({
    description: 'Limit of each end user per period; null: no limit.',
  }),
  spendLimitPeriod: Period.meta({
    description: 'When `spendLimitMicros` starts anew (UTC); `total`: never.',
  }),
  terminationPolicy: Policy,
  maxOverdraftMicros: Micros.meta({ description: 'How far a call may run past its hold under `grace`.' }),
  debitBasis: z.enum(['provider_cost', 'sell_price']).meta({
    description:
      'Price that holds, charges, caps and limits are computed from. End users see this price in the portal.',
  }),
  creditCurrency: text(32)
    .nullable()
    .meta({
      description:
        'Name of the currency of its credits. Null if it has none. Cannot change while end users hold its credits.',
      examples: ['sparks'],
    }),
  onClientLeft: OnClientLeftSchema.nullable().meta({
    description:
      'What happens to a stream when an end user of the bundle leaves before its end. Null means the setting of the provider account.',
  }),
}

/** The fields of `bundles.create`, with defaults. */
export const bundlePut = {
  displayName: lasting(DisplayName),
  priceMicros: optional(bundleFields.priceMicros, null),
  interval: optional(bundleFields.interval, 'month'),
  spendLimitMicros: optional(bundleFields.spendLimitMicros, null),
  spendLimitPeriod: optional(bundleFields.spendLimitPeriod, 'month'),
  terminationPolicy: optional(bundleFields.terminationPolicy, 'hard_token'),
  maxOverdraftMicros: optional(bundleFields.maxOverdraftMicros, 0n),
  debitBasis: optional(bundleFields.debitBasis, 'provider_cost'),
  creditCurrency: optional(bundleFields.creditCurrency, null),
  onClientLeft: optional(bundleFields.onClientLeft, null),
}

export const NewBundle = putBody(bundlePut)

/** The same fields for an existing bundle. */
export const BundleChanges = NewBundle.extend({ displayName: z.exactOptional(DisplayName) })

/**
 * Returns whether the debit basis of a bundle was set explicitly, after a change.
 * @param given the debit basis in the request; undefined if omitted
 */
export function isBasisChosen(
  given: BundleRecord['debitBasis'] | null | undefined,
  stored: Pick<BundleRecord, 'isDebitBasisChosen'> | null,
): boolean {
  return given === undefined ? (stored?.isDebitBasisChosen ?? false) : given !== null
}

export const IncludeView = z
  .object({
    slug: Slug,
    displayName: DisplayName,
    unit: z.enum(['credits', 'micros']).meta({ description: 'What `amount` counts.' }),
    amount: PositiveMicros.meta({ description: 'Granted each time: micros, or millionths of a credit.' }),
    price: Micros.nullable().meta({
      description: 'Its separate price, in micros; null: none.',
    }),
    thenOnDemand: z.boolean().meta({ description: 'Whether wallet and on-demand may pay once it is spent.' }),
    recurring: z.boolean().meta({ description: 'True: granted every period; false: once, at sign-up.' }),
    spilloverTo: z
      .union([Slug, z.literal(nextByRank)])
      .nullable()
      .meta({
        description:
          'What pays for the rest of a call once it is spent: the include of that slug; `*`: whichever covers the call and comes next (fewest models, soonest end, free before paid, oldest); null: none, and then `thenOnDemand` says whether wallet and on-demand do.',
      }),
    models: z
      .array(Pattern)
      .min(1)
      .max(200)
      .nullable()
      .meta({ description: 'Models it may pay for; null: all that the bundle allows.' }),
    rollover: z
      .strictObject({
        percent: z.int().min(1).max(100).meta({
          description: 'Share of the unspent amount that is carried over, in percent, rounded down.',
        }),
        periodsMax: z
          .int()
          .min(1)
          .max(rolloverPeriodsMax)
          .meta({
            description: `How many times the same units are carried over, at most ${rolloverPeriodsMax}.`,
          }),
      })
      .nullable()
      .meta({
        description:
          'What is carried over of a recurring include at the end of a month. Null: nothing, the rest expires.',
      }),
  })
  .meta({ id: 'BundleInclude', description: 'A grant of a bundle.' })

/** The fields of `bundles.include`, with defaults. */
export const includePut = {
  slug: always(Slug.meta({ description: 'Slug of the include and of its pools.' })),
  displayName: lasting(IncludeView.shape.displayName),
  unit: lasting(IncludeView.shape.unit),
  amount: lasting(IncludeView.shape.amount),
  price: optional(IncludeView.shape.price, null),
  thenOnDemand: optional(IncludeView.shape.thenOnDemand, true),
  recurring: optional(IncludeView.shape.recurring, true),
  spilloverTo: optional(IncludeView.shape.spilloverTo, nextByRank),
  models: optional(IncludeView.shape.models, null),
  rollover: optional(IncludeView.shape.rollover, null),
}

export const NewInclude = putBody(includePut)

/** An include in a list of includes. The list replaces the stored list whole, so omitted fields get their defaults. */
export const ListedInclude = z.strictObject({
  ...IncludeView.shape,
  slug: includePut.slug.schema,
  price: IncludeView.shape.price.default(null),
  thenOnDemand: IncludeView.shape.thenOnDemand.default(true),
  recurring: IncludeView.shape.recurring.default(true),
  spilloverTo: IncludeView.shape.spilloverTo.default(nextByRank),
  models: IncludeView.shape.models.default(null),
  rollover: IncludeView.shape.rollover.default(null),
})

export const BundleView = z
  .object({
    slug: Slug,
    ...bundleFields,
    allow: z.array(Pattern).meta({ description: 'Models that its end users may call.' }),
    deny: z.array(Pattern).meta({ description: 'Exceptions from `allow`.' }),
    prices: z
      .array(z.object({ model: AliasName, price: PriceSchema.nullable(), credits: PriceSchema.nullable() }))
      .meta({ description: 'Sell prices and credit prices by model, where they were set.' }),
    includes: z.array(IncludeView).meta({ description: 'Its grants.' }),
    default: z.boolean().meta({ description: 'Whether new end users get it.' }),
    warnings: z
      .array(BundleWarning)
      .meta({ description: 'Settings of the bundle that were never decided. Empty if there are none.' }),
    createdAt: Timestamp.meta({ description: 'When it was made.' }),
  })
  .meta({ id: 'Bundle', description: 'The models, prices and grants of its end users.' })

export function includeView(include: IncludeTerms): z.output<typeof IncludeView> {
  const { priceMicros, ...rest } = include
  return { ...rest, price: priceMicros, models: include.models && [...include.models] }
}

export async function bundleView(
  bundle: BundleRecord,
  { application, store }: ApplicationContext,
): Promise<z.output<typeof BundleView>> {
  const { applicationId: _, createdAtMs, id, isDebitBasisChosen: __, ...fields } = bundle
  const prices = await store.bundles.prices(id)
  const includes = await store.bundles.includes(id)
  return {
    ...fields,
    allow: [...bundle.allow],
    deny: [...bundle.deny],
    prices: prices.map(({ alias, credits, price }) => ({ model: alias, price, credits })),
    includes: includes.map(includeView),
    default: application.defaultBundleId === id,
    warnings: warningsOf(bundle, prices),
    createdAt: createdAtMs,
  }
}
