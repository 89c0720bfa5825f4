import * as z from 'zod'
import type { PortalSettings } from '#domain/portal.ts'
import type { InApplication } from '#operations/context.ts'
import { Micros, Period } from '#operations/schemas.ts'

export const settingsFields = {
  endUsersMayMintKeys: z.boolean().meta({
    description:
      'Whether end users create keys in the portal, and rotate and revoke keys that the application created for them. False until it is set.',
  }),
  keyCapMicros: Micros.nullable().meta({
    description:
      'Maximum cap of one key that an end user creates, in micros per `keyCapPeriod`. Null means any cap, or none. It limits a key, not the end user: see `keyCapsTotalMicros` and users.limit.',
  }),
  keyCapPeriod: Period.meta({
    description: 'Calendar window (UTC) after which the cap and the total reset; `total` never resets.',
  }),
  keyCapsTotalMicros: Micros.nullable().meta({
    description:
      'Maximum that all keys that one end user created in the portal can spend together, in micros per `keyCapPeriod`, including keys that were revoked since. Their caps add up to this at most. Null means no total.',
  }),
}

export const SettingsView = z
  .object(settingsFields)
  .meta({ id: 'PortalSettings', description: 'What end users may do in the portal of the application.' })

export function settingsOf({ application, store }: InApplication): Promise<PortalSettings> {
  return store.portals.settings(application.id)
}
