import * as z from 'zod'
import { tagsMax } from '#money/decision-types.ts'
import { RateLimits } from '#operations/kernel/rate-limit-schemas.ts'
import { distinct, Micros, Period, Slug, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const capPeriodDescription =
  'Calendar period (UTC) after which the cap resets. With `total`, the cap never resets.'

export const keyFields = {
  id: z.string().meta({ description: 'ID of the key, `key_…`.' }),
  name: z.string().meta({ description: 'Display name of the key.' }),
  keyPrefix: z
    .string()
    .meta({ description: 'First characters of the secret. These characters are not secret.' }),
  lastFour: z
    .string()
    .meta({ description: 'Last four characters of the secret. These characters are not secret.' }),
  livemode: z
    .boolean()
    .meta({ description: 'Whether the key is a live key. Test keys never reach a provider.' }),
  capMicros: Micros.nullable().meta({
    description:
      'Maximum that this key and the keys that it replaced can together spend per `capPeriod`, in micros. Null means no cap.',
  }),
  capPeriod: Period.meta({ description: capPeriodDescription }),
  limits: RateLimits.meta({
    description:
      'Limits of this key and of the keys that it replaced. These limits apply in addition to the cap. Empty if no limits are set.',
  }),
  tags: distinct(Slug, tagsMax, 0).meta({
    description:
      'Slugs of the tags that are added to every request with the key. Tags that the application no longer declares (`tags.set`) are ignored. Empty if the key has no tags.',
  }),
  actorType: z.string().meta({ description: 'Kind of the actor who created the key, such as `token`.' }),
  actorLabel: z.string().nullable().meta({
    description: 'Label of the actor who created the key. Null if the actor has no label.',
  }),
  createdAt: Timestamp.meta({ description: 'When the key was created.' }),
  lastUsedAt: Timestamp.nullable().meta({
    description:
      'When the key was last used at the gateway, accurate to ten minutes. Null if the key has never been used.',
  }),
  revokedAt: Timestamp.nullable().meta({
    description: 'When the key was revoked. Null if the key was not revoked.',
  }),
  expiresAt: Timestamp.nullable().meta({
    description: 'When the key expires. Null if the key never expires.',
  }),
  replacedBy: z.string().nullable().meta({
    description: 'ID of the key that replaced this key, `key_…`. Null if the key was not rotated.',
  }),
}
