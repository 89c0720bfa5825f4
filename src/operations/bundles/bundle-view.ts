import * as z from 'zod'
import { type IncludeTerms, rolloverPeriodsMax } from '#money/plan-pools.ts'
import { nextByRank } from '#money/sources.ts'
import type { BundleRecord } from '#domain/records.ts'
import type { ApplicationContext } from '#operations/context.ts'
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

const DisplayName = text(128).meta({ description: 'Name for people.', examples: ['Pro'] })

const Policy = z.enum(['hard_token', 'complete_message', 'grace']).meta({
  description:
    'What happens when a stream has spent what was held for it: `hard_token` stops it, `complete_message` never cuts, `grace` lets it run on by `maxOverdraftMicros`.',
})

/** Fields of a bundle that create and edit set. */
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
  debitBasis: z
    .enum(['provider_cost', 'sell_price'])
    .meta({ description: 'The price that holds, charges, caps and limits are computed from.' }),
  creditCurrency: text(32)
    .nullable()
    .meta({
      description: 'Name of the one currency of its credits; null: it has none.',
      examples: ['sparks'],
    }),
}

/** The same fields, each optional. */
export const BundleChanges = z.strictObject({
  displayName: z.exactOptional(bundleFields.displayName),
  priceMicros: z.exactOptional(bundleFields.priceMicros),
  interval: z.exactOptional(bundleFields.interval),
  spendLimitMicros: z.exactOptional(bundleFields.spendLimitMicros),
  spendLimitPeriod: z.exactOptional(bundleFields.spendLimitPeriod),
  terminationPolicy: z.exactOptional(bundleFields.terminationPolicy),
  maxOverdraftMicros: z.exactOptional(bundleFields.maxOverdraftMicros),
  debitBasis: z.exactOptional(bundleFields.debitBasis),
  creditCurrency: z.exactOptional(bundleFields.creditCurrency),
})

/** A bundle as it is made: fields that are left out get these defaults. */
export const newBundle = BundleChanges.extend({
  displayName: DisplayName,
  priceMicros: bundleFields.priceMicros.default(null),
  interval: bundleFields.interval.default('month'),
  spendLimitMicros: bundleFields.spendLimitMicros.default(null),
  spendLimitPeriod: bundleFields.spendLimitPeriod.default('month'),
  terminationPolicy: bundleFields.terminationPolicy.default('hard_token'),
  maxOverdraftMicros: bundleFields.maxOverdraftMicros.prefault('0'),
  debitBasis: bundleFields.debitBasis.default('provider_cost'),
})

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

/** An include as it is set. */
export const newInclude = z.strictObject({
  ...IncludeView.shape,
  slug: Slug.meta({ description: 'Slug of the include and of its pools.' }),
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
  const { applicationId: _, createdAtMs, id, ...fields } = bundle
  const prices = await store.bundles.prices(id)
  const includes = await store.bundles.includes(id)
  return {
    ...fields,
    allow: [...bundle.allow],
    deny: [...bundle.deny],
    prices: prices.map(({ alias, credits, price }) => ({ model: alias, price, credits })),
    includes: includes.map(includeView),
    default: application.defaultBundleId === id,
    createdAt: createdAtMs,
  }
}
