/**
 * Requests and responses of the demo tier, field by field as published. The formats are separate, because operations
 * with a token have more fields.
 */
import * as z from 'zod'
import { ChargedUsage, ChargedUsageOfModel, requestedModel } from '#operations/portal/charged-usage.ts'
import { Email, ExternalId, Interval, Micros, text, Timestamp } from '#operations/schemas.ts'

export const TenantView = z
  .object({
    id: z.string().meta({ description: 'Id of the tenant, `app_…`.' }),
    slug: z.string().meta({ description: 'What `x-demo-tenant` names it by.' }),
    displayName: z.string().meta({ description: 'Name for people.' }),
    branding: z
      .object({
        productName: z.string().meta({ description: 'Name of the product that its end users know.' }),
        primaryColor: z.string().meta({ description: 'Colour of its portal, `#rrggbb`.' }),
      })
      .meta({ description: 'How its portal looks.' }),
  })
  .meta({ id: 'DemoTenant', description: 'One customer of the demo tier: an application with its people.' })

export const EndUserList = z
  .object({
    data: z.array(
      z
        .object({
          id: z.string().meta({ description: "The service's own id of the person, `eu_…`." }),
          externalId: z.string().meta({ description: "The tenant's own id of the person." }),
          email: z.string().nullable().meta({ description: 'Email address; null: not known.' }),
          wallet: z
            .object({
              balanceMicros: Micros.meta({ description: 'Balance, in micros.' }),
              reservedMicros: Micros.meta({
                description: 'Held for calls in flight, in micros; available = balance - reserved.',
              }),
            })
            .meta({ description: 'Their money.' }),
          usage: ChargedUsage.meta({ description: 'All that they used.' }),
        })
        .meta({ id: 'DemoEndUser', description: 'A person of a demo tenant.' }),
    ),
  })
  .meta({ id: 'DemoEndUserList', description: 'All people of a demo tenant, newest first.' })

export const UsageView = z
  .object({
    rows: z.array(ChargedUsageOfModel).meta({ description: 'By model name, in name order.' }),
    totals: ChargedUsage.meta({ description: 'All rows together.' }),
  })
  .meta({ id: 'DemoUsage', description: 'What was used, by the name that was asked for.' })

export const SubscriptionView = z
  .object({
    planName: z.string().meta({ description: 'Display name of the bundle.' }),
    priceMicros: Micros.meta({ description: 'What it costs per interval, in micros; 0: nothing.' }),
    interval: Interval.meta({ description: 'Billing interval.' }),
    periodStart: Timestamp.meta({ description: 'When the current period began.' }),
    periodEnd: Timestamp.meta({ description: 'When the next one begins.' }),
    onDemandEnabled: z.boolean().meta({ description: 'Whether more may be used than is paid for.' }),
    onDemandLimitMicros: Micros.nullable().meta({
      description: 'Their own monthly ceiling of that, in micros; null while enabled: none.',
    }),
    onDemandSpentMicros: Micros.meta({ description: 'Overage used this month, in micros.' }),
    pools: z
      .array(
        z.object({
          slug: z.string().meta({ description: 'Slug of the include that grants it.' }),
          displayName: z.string().meta({ description: 'Name for people.' }),
          unit: z.enum(['tokens', 'micros']).meta({ description: 'What its amounts count.' }),
          granted: Micros.meta({ description: 'Grant of the period, in its unit.' }),
          consumed: Micros.meta({ description: 'What settled calls took of it, in its unit.' }),
          spilloverTo: z.string().nullable().meta({
            description:
              'Slug of the pool that pays for the rest of a call once this one is spent; null: none.',
          }),
          thenOnDemand: z.boolean().meta({
            description: 'Whether usage past it may be billed on demand, or stops.',
          }),
          aliases: z
            .array(
              z.object({
                requestedModel,
                consumed: Micros.meta({ description: 'What it took of the pool, in its unit.' }),
              }),
            )
            .meta({ description: 'The model names that it pays for.' }),
        }),
      )
      .meta({ description: 'Allotments, in the order in which they pay.' }),
    invoices: z
      .array(
        z.object({
          issuedAt: Timestamp.meta({ description: 'When it was issued.' }),
          amountMicros: Micros.meta({ description: 'Amount due, in micros.' }),
          status: z.enum(['paid', 'open', 'past_due']).meta({ description: 'Payment status.' }),
        }),
      )
      .meta({ description: 'Bills, newest first.' }),
  })
  .meta({ id: 'DemoSubscription', description: 'The plan of a person and what is left of it.' })

export const MintKeyRequest = z
  .strictObject({
    endUserId: ExternalId.meta({ description: "The tenant's own id of the person that the key spends as." }),
    email: Email.optional().meta({ description: 'Recorded on the person if none is held.' }),
    name: text(128).optional().meta({ description: 'Label of the key; `endUserId` when left out.' }),
    livemode: z.boolean().optional().meta({ description: 'True is refused: all keys here are test keys.' }),
  })
  .meta({ id: 'DemoMintKeyRequest', description: 'What a key of the demo tier is minted from.' })

const testKey = z.literal(false).meta({ description: 'False: a test key.' })

export const MintedKey = z
  .object({
    id: z.string().meta({ description: 'Id of the key, `key_…`.' }),
    key: z.string().meta({ description: 'The secret, shown once.' }),
    keyPrefix: z.string().meta({ description: 'First characters of the secret; safe to show.' }),
    lastFour: z.string().meta({ description: 'Last characters of the secret; safe to show.' }),
    endUserId: z.string().meta({ description: "The service's own id of the person, `eu_…`." }),
    livemode: testKey,
  })
  .meta({ id: 'DemoMintedKey', description: 'A key with its secret, which no other answer has.' })

export const ApiKeyList = z
  .object({
    data: z.array(
      z
        .object({
          id: z.string().meta({ description: 'Id of the key, `key_…`.' }),
          name: z.string().meta({ description: 'Its label.' }),
          keyPrefix: z.string().meta({ description: 'First characters of the secret; safe to show.' }),
          lastFour: z.string().meta({ description: 'Last characters of the secret; safe to show.' }),
          livemode: testKey,
          endUserId: z.string().nullable().meta({
            description: "The tenant's own id of the person that it spends as; null: a removed one.",
          }),
          actorType: z.string().meta({ description: 'Kind of the actor that minted it.' }),
          actorLabel: z.string().nullable().meta({ description: 'Label of that actor; null: it has none.' }),
          createdAt: Timestamp.meta({ description: 'When it was minted.' }),
          lastUsedAt: Timestamp.nullable().meta({
            description: 'When it was last used on the gateway; null: never.',
          }),
          revokedAt: Timestamp.nullable().meta({ description: 'When it was revoked; null: it was not.' }),
          expiresAt: Timestamp.nullable().meta({ description: 'When it expires; null: never.' }),
        })
        .meta({ id: 'DemoApiKeySummary', description: 'A key of a demo tenant, without its secret.' }),
    ),
  })
  .meta({ id: 'DemoApiKeyList', description: 'All keys of a demo tenant, newest first.' })

export const CapabilitiesView = z
  .object({
    tier: z.enum(['demo']).meta({ description: 'The tier that answered.' }),
    liveMode: z
      .object({
        enabled: z.literal(false).meta({ description: 'Whether live keys can be minted.' }),
        blockedBy: z.enum(['demo_fixtures']).meta({ description: 'Why they cannot.' }),
      })
      .meta({ description: 'Whether anything here is more than a fixture.' }),
    features: z
      .record(
        z.string(),
        z.object({
          available: z.boolean().meta({ description: 'Whether it is built in this tier.' }),
          reason: z.exactOptional(z.enum(['not_yet_released'])).meta({ description: 'Why it is not.' }),
          issue: z.exactOptional(z.string()).meta({ description: 'The issue that will build it.' }),
          pages: z.exactOptional(z.array(z.string())).meta({ description: 'The paths that belong to it.' }),
        }),
      )
      .meta({ description: 'By name of the feature.' }),
  })
  .meta({ id: 'DemoCapabilities', description: 'What the demo tier can do.' })
