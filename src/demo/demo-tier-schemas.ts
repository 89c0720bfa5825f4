/** The operations that require a token return more fields, so the demo tier has separate schemas. */
import * as z from 'zod'
import { keyFields } from '#operations/keys/shared/key-response-fields.ts'
import {
  ChargedUsage,
  ChargedUsageOfModel,
  requestedModel,
} from '#operations/portal/shared/charged-usage-views.ts'
import {
  Email,
  ExternalId,
  Interval,
  Micros,
  text,
  Timestamp,
} from '#operations/kernel/value-and-page-schemas.ts'

export const TenantView = z
  .object({
    id: z.string().meta({ description: 'ID of the tenant, `app_…`.' }),
    slug: z.string().meta({ description: 'Slug of the tenant, sent as `x-demo-tenant`.' }),
    displayName: z.string().meta({ description: 'Display name of the tenant.' }),
    branding: z
      .object({
        productName: z.string().meta({ description: 'Product name that end users see.' }),
        primaryColor: z.string().meta({ description: 'Color of the portal, `#rrggbb`.' }),
      })
      .meta({ description: 'Appearance of the portal.' }),
  })
  .meta({ id: 'DemoTenant', description: 'A customer of the demo tier: an application with its end users.' })

export const EndUserList = z
  .object({
    data: z.array(
      z
        .object({
          id: z.string().meta({ description: 'ID of the end user, `eu_…`.' }),
          externalId: z
            .string()
            .meta({ description: 'External ID of the end user, chosen by the application.' }),
          email: z
            .string()
            .nullable()
            .meta({ description: 'Email address. Null if the address is not known.' }),
          wallet: z
            .object({
              balanceMicros: Micros.meta({ description: 'Balance, in micros.' }),
              reservedMicros: Micros.meta({
                description:
                  'Amount held by requests in flight, in micros. The remaining balance is the balance minus this amount.',
              }),
            })
            .meta({ description: "The end user's wallet." }),
          usage: ChargedUsage.meta({ description: 'Total usage of the end user.' }),
        })
        .meta({ id: 'DemoEndUser', description: 'An end user of a demo tenant.' }),
    ),
  })
  .meta({ id: 'DemoEndUserList', description: 'The end users of a demo tenant, newest first.' })

export const UsageView = z
  .object({
    rows: z.array(ChargedUsageOfModel).meta({ description: 'Usage by model name, sorted by name.' }),
    totals: ChargedUsage.meta({ description: 'Totals of all rows.' }),
  })
  .meta({ id: 'DemoUsage', description: 'Usage by model name.' })

export const SubscriptionView = z
  .object({
    planName: z.string().meta({ description: 'Display name of the bundle.' }),
    priceMicros: Micros.meta({ description: 'Price per interval, in micros. 0 for a free plan.' }),
    interval: Interval.meta({ description: 'Billing interval.' }),
    periodStart: Timestamp.meta({ description: 'When the current period began.' }),
    periodEnd: Timestamp.meta({
      description: 'End of the current period (exclusive).',
    }),
    onDemandEnabled: z.boolean().meta({ description: 'Whether on-demand billing is enabled.' }),
    onDemandLimitMicros: Micros.nullable().meta({
      description:
        'Maximum on-demand usage per month, in micros, as set by the end user. If on-demand billing is enabled, null means no ceiling.',
    }),
    onDemandSpentMicros: Micros.meta({ description: 'On-demand usage of this month, in micros.' }),
    pools: z
      .array(
        z.object({
          slug: z.string().meta({ description: 'Slug of the pool, as set with `bundles.include`.' }),
          displayName: z.string().meta({ description: 'Display name of the pool.' }),
          unit: z.enum(['tokens', 'micros']).meta({ description: "Unit of the pool's amounts." }),
          granted: Micros.meta({ description: "Amount granted for the period, in the pool's unit." }),
          consumed: Micros.meta({ description: "Amount used by settled requests, in the pool's unit." }),
          spilloverTo: z.string().nullable().meta({
            description:
              'Slug of the pool that pays for the rest of a request after this pool is exhausted. Null if no pool follows.',
          }),
          thenOnDemand: z.boolean().meta({
            description:
              'Whether usage beyond the pool can be billed on demand. If false, requests beyond the pool are rejected.',
          }),
          aliases: z
            .array(
              z.object({
                requestedModel,
                consumed: Micros.meta({
                  description: "Amount that this model name used from the pool, in the pool's unit.",
                }),
              }),
            )
            .meta({ description: 'Model names that the pool can pay for.' }),
        }),
      )
      .meta({ description: 'Pools, in the order in which they are spent.' }),
    invoices: z
      .array(
        z.object({
          issuedAt: Timestamp.meta({ description: 'When the invoice was issued.' }),
          amountMicros: Micros.meta({ description: 'Amount due, in micros.' }),
          status: z.enum(['paid', 'open', 'past_due']).meta({ description: 'Payment status.' }),
        }),
      )
      .meta({ description: 'Invoices, newest first.' }),
  })
  .meta({ id: 'DemoSubscription', description: "The end user's plan and its remaining credit." })

export const MintKeyRequest = z
  .strictObject({
    endUserId: ExternalId.meta({ description: 'External ID of the end user that the key belongs to.' }),
    email: Email.optional().meta({
      description: 'Email address of the end user. Stored only if the end user has no email address yet.',
    }),
    name: text(128).optional().meta({ description: 'Display name of the key. Defaults to `endUserId`.' }),
    livemode: z.boolean().optional().meta({
      description: 'Whether to create a live key. True is rejected, because all demo keys are test keys.',
    }),
  })
  .meta({ id: 'DemoMintKeyRequest', description: 'Fields of a new demo key.' })

const testKey = z.literal(false).meta({ description: 'Always false: demo keys are test keys.' })

export const MintedKey = z
  .object({
    id: keyFields.id,
    key: z.string().meta({ description: 'Secret of the key. The secret is returned once.' }),
    keyPrefix: keyFields.keyPrefix,
    lastFour: keyFields.lastFour,
    endUserId: z.string().meta({ description: 'ID of the end user, `eu_…`.' }),
    livemode: testKey,
  })
  .meta({ id: 'DemoMintedKey', description: 'A new key, with its secret.' })

export const ApiKeyList = z
  .object({
    data: z.array(
      z
        .object({
          id: keyFields.id,
          name: keyFields.name,
          keyPrefix: keyFields.keyPrefix,
          lastFour: keyFields.lastFour,
          livemode: testKey,
          endUserId: z.string().nullable().meta({
            description:
              'External ID of the end user that the key belongs to. Null if the end user was deleted.',
          }),
          actorType: keyFields.actorType,
          actorLabel: keyFields.actorLabel,
          createdAt: keyFields.createdAt,
          lastUsedAt: keyFields.lastUsedAt,
          revokedAt: keyFields.revokedAt,
          expiresAt: keyFields.expiresAt,
        })
        .meta({ id: 'DemoApiKeySummary', description: 'A key of a demo tenant, without its secret.' }),
    ),
  })
  .meta({ id: 'DemoApiKeyList', description: 'The keys of a demo tenant, newest first.' })

export const CapabilitiesView = z
  .object({
    tier: z.enum(['demo']).meta({ description: 'Always `demo`, because the demo tier sent the response.' }),
    liveMode: z
      .object({
        enabled: z.literal(false).meta({ description: 'Whether live keys can be created.' }),
        blockedBy: z.enum(['demo_fixtures']).meta({ description: 'Reason why live keys cannot be created.' }),
      })
      .meta({ description: 'State of live mode in the demo tier.' }),
    features: z
      .record(
        z.string(),
        z.object({
          available: z.boolean().meta({ description: 'Whether the demo tier implements the feature.' }),
          reason: z
            .exactOptional(z.enum(['not_yet_released']))
            .meta({ description: 'Reason why the feature is not implemented.' }),
          issue: z
            .exactOptional(z.string())
            .meta({ description: 'ID of the issue that tracks the missing feature.' }),
          pages: z.exactOptional(z.array(z.string())).meta({ description: 'API paths of the feature.' }),
        }),
      )
      .meta({ description: 'Features of the demo tier, by name.' }),
  })
  .meta({ id: 'DemoCapabilities', description: 'Features of the demo tier.' })
