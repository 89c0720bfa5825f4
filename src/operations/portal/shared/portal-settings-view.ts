import * as z from 'zod'
import type { PortalSettings } from '#domain/portal-settings-and-sessions.ts'
import type { InApplication } from '#operations/kernel/operation-context.ts'
import { Micros, Period } from '#operations/kernel/value-and-page-schemas.ts'

export const settingsFields = {
  endUsersMayMintKeys: z.boolean().meta({
    description:
      'Whether end users can create keys in the portal, and rotate and revoke keys that the application created for them. Defaults to false.',
  }),
  keyCapMicros: Micros.nullable().meta({
    description:
      'Highest cap that an end user can set on a portal key, in micros per `keyCapPeriod`. Null means no maximum. This maximum limits one key, not the end user. Use `keyCapsTotalMicros` or users.limit to limit the end user.',
  }),
  keyCapPeriod: Period.meta({
    description:
      'Calendar period (UTC) of `keyCapMicros` and `keyCapsTotalMicros`. Spending counts from the start of the period. With `total`, all spending counts.',
  }),
  keyCapsTotalMicros: Micros.nullable().meta({
    description:
      'Maximum that all portal keys of one end user can spend together, in micros per `keyCapPeriod`. Spending of keys that were revoked in the meantime is included. The sum of the caps cannot exceed this maximum. Null means no maximum.',
  }),
}

export const SettingsView = z
  .object(settingsFields)
  .meta({ id: 'PortalSettings', description: 'Rules for keys that end users create in the portal.' })

export function settingsOf({ application, store }: InApplication): Promise<PortalSettings> {
  return store.portals.settings(application.id)
}
