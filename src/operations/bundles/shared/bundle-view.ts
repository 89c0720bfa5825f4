import * as z from 'zod'
import { type IncludeTerms, rolloverPeriodsMax } from '#money/plan-pools.ts'
import { nextByRank } from '#money/payment-sources.ts'
import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { RateLimits } from '#operations/kernel/rate-limit-schemas.ts'
import { always, lasting, optional, putBody } from '#operations/kernel/put-fields.ts'
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
} from '#operations/kernel/value-and-page-schemas.ts'
import { ProviderTools, toolRulesView } from '#operations/kernel/provider-tool-rules-schema.ts'
import { OnClientLeftSchema } from '#operations/providers/shared/provider-view.ts'
import { BundleWarning, warningsOf } from './debit-basis-warning.ts'

const DisplayName = text(128).meta({ description: 'Display name.', examples: ['Pro'] })

const Policy = z.enum(['hard_token', 'complete_message', 'grace']).meta({
  description:
    'Behavior of a stream after its hold is used up. `hard_token` stops the stream. `complete_message` lets the stream finish. `grace` lets the stream exceed the hold by up to `maxOverdraftMicros`.',
})

export const bundleFields = {
  displayName: DisplayName,
  priceMicros: Micros.nullable().meta({
    description:
      'Price per interval, in micros. Null means that the bundle is not a subscription. End users who are already on the bundle keep their current price until a request puts them on the bundle again.',
  }),
  interval: Interval.meta({ description: 'Billing interval.' }),
  spendLimitMicros: Micros.nullable().meta({
    description: 'Maximum spend of each end user per period, in micros. Null means no limit.',
  }),
  spendLimitPeriod: Period.meta({
    description:
      'Period after which `spendLimitMicros` resets (UTC). `total` means that the limit never resets.',
  }),
  limits: RateLimits.meta({
    description:
      'Limits that apply to each end user of the bundle. Each limit counts the usage of all keys of the end user. At most one limit is allowed per measure, window and list of models. These limits apply in addition to all other limits. If an end user leaves the bundle and returns, earlier usage still counts. Empty if no limits are set.',
  }),
  terminationPolicy: Policy,
  maxOverdraftMicros: Micros.meta({
    description:
      'Maximum amount by which a request can exceed its hold, in micros, if `terminationPolicy` is `grace`.',
  }),
  debitBasis: z.enum(['provider_cost', 'sell_price']).meta({
    description:
      'Price used to compute holds, charges, caps and limits. End users see this price in the portal.',
  }),
  creditCurrency: text(32)
    .nullable()
    .meta({
      description:
        'Name of the currency of the credits. Null if the bundle has no credits. The name cannot change while end users have credits of the bundle.',
      examples: ['sparks'],
    }),
  onClientLeft: OnClientLeftSchema.nullable().meta({
    description:
      'Handling of a stream when an end user of the bundle disconnects before the stream ends. If null, the setting of the provider account applies.',
  }),
  providerTools: ProviderTools.nullable().meta({
    description:
      'Handling of tools that the provider runs, for end users of the bundle: one rule, or rules by kind. If this field is null or omits a kind of tool, the gateway setting `providerTools` applies.',
  }),
}

export const bundlePut = {
  displayName: lasting(DisplayName),
  priceMicros: optional(bundleFields.priceMicros, null),
  interval: optional(bundleFields.interval, 'month'),
  spendLimitMicros: optional(bundleFields.spendLimitMicros, null),
  spendLimitPeriod: optional(bundleFields.spendLimitPeriod, 'month'),
  limits: optional(bundleFields.limits, []),
  terminationPolicy: optional(bundleFields.terminationPolicy, 'hard_token'),
  maxOverdraftMicros: optional(bundleFields.maxOverdraftMicros, 0n),
  debitBasis: optional(bundleFields.debitBasis, 'provider_cost'),
  creditCurrency: optional(bundleFields.creditCurrency, null),
  onClientLeft: optional(bundleFields.onClientLeft, null),
  providerTools: optional(bundleFields.providerTools, null),
}

export const NewBundle = putBody(bundlePut)

/** The fields of `bundles.create`, without defaults. */
export const BundleChanges = NewBundle.extend({ displayName: z.exactOptional(DisplayName) })

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
    unit: z.enum(['credits', 'micros']).meta({ description: 'Unit of `amount`.' }),
    amount: PositiveMicros.meta({
      description: 'Amount of each grant, in micros or millionths of a credit.',
    }),
    price: Micros.nullable().meta({
      description: 'Separate price of the include, in micros. Null means that the include is free.',
    }),
    thenOnDemand: z.boolean().meta({
      description: 'Whether the wallet and on-demand billing cover usage after this pool is exhausted.',
    }),
    recurring: z.boolean().meta({
      description:
        'Whether the amount is granted every period. If false, the amount is granted once, at sign-up.',
    }),
    spilloverTo: z
      .union([Slug, z.literal(nextByRank)])
      .nullable()
      .meta({
        description:
          'Source that pays the rest of a request when the pool is exhausted.\n\n- A slug: the pool of the include with this slug, in the same bundle.\n- `*`: the next pool that can pay for the request. Pools are ordered by number of models (fewest first), end (soonest first), price (free first) and age (oldest first).\n- Null: no other pool. `thenOnDemand` then decides whether the wallet and on-demand billing pay.',
      }),
    models: z
      .array(Pattern)
      .min(1)
      .max(200)
      .nullable()
      .meta({ description: 'Models that the pool can pay for. Null means every model in the bundle.' }),
    memberCap: PositiveMicros.nullable().meta({
      description:
        'Maximum amount that each team member can use from one grant, in micros. The cap applies if the end user on the bundle pays for a team. If the paying end user changes plans, the cap starts again with the grant of the new plan. Members cannot use credit that is carried over. If the cap equals `amount`, a member can use the whole grant. Null means that members cannot use the pool. Must be null if `unit` is `credits`.',
    }),
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
            description: `Maximum number of times that the same unspent amount is carried over, at most ${rolloverPeriodsMax}.`,
          }),
      })
      .nullable()
      .meta({
        description:
          'Part of the unspent amount that is carried over to the next month. Must be null if `recurring` is false. Null means that the unspent amount expires.',
      }),
  })
  .meta({ id: 'BundleInclude', description: 'An amount that a bundle grants to its end users.' })

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
  memberCap: optional(IncludeView.shape.memberCap, null),
  rollover: optional(IncludeView.shape.rollover, null),
}

export const NewInclude = putBody(includePut)

/** The list replaces the stored list completely, so omitted fields get their defaults. */
export const ListedInclude = z.strictObject({
  ...IncludeView.shape,
  slug: includePut.slug.schema,
  price: IncludeView.shape.price.default(null),
  thenOnDemand: IncludeView.shape.thenOnDemand.default(true),
  recurring: IncludeView.shape.recurring.default(true),
  spilloverTo: IncludeView.shape.spilloverTo.default(nextByRank),
  models: IncludeView.shape.models.default(null),
  memberCap: IncludeView.shape.memberCap.default(null),
  rollover: IncludeView.shape.rollover.default(null),
})

export const BundleView = z
  .object({
    slug: Slug,
    ...bundleFields,
    allow: z.array(Pattern).meta({ description: 'Models that end users of the bundle can use.' }),
    deny: z.array(Pattern).meta({ description: 'Exceptions to `allow`.' }),
    prices: z
      .array(z.object({ model: AliasName, price: PriceSchema.nullable(), credits: PriceSchema.nullable() }))
      .meta({
        description:
          'Sell prices and credit prices of the bundle, by model. Models without a sell price or credit price are omitted.',
      }),
    includes: z.array(IncludeView).meta({
      description: 'Pools that the bundle grants to each end user, in the order in which they are granted.',
    }),
    default: z.boolean().meta({ description: 'Whether new end users get this bundle.' }),
    warnings: z.array(BundleWarning).meta({
      description:
        'Warnings about settings of the bundle that were never set explicitly. Empty if there are no warnings.',
    }),
    createdAt: Timestamp.meta({ description: 'When the bundle was created.' }),
  })
  .meta({ id: 'Bundle', description: 'A bundle: the models, prices and grants of its end users.' })

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
    providerTools: bundle.providerTools && toolRulesView(bundle.providerTools),
    allow: [...bundle.allow],
    deny: [...bundle.deny],
    prices: prices.map(({ alias, credits, price }) => ({ model: alias, price, credits })),
    includes: includes.map(includeView),
    default: application.defaultBundleId === id,
    warnings: warningsOf(bundle, prices),
    createdAt: createdAtMs,
  }
}
