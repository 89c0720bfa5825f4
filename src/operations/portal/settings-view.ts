import * as z from 'zod'
import type { PortalSettings } from '#domain/portal.ts'
import type { InApplication } from '#operations/context.ts'
import { Micros, Period } from '#operations/schemas.ts'

export const settingsFields = {
  endUsersMayMintKeys: z.boolean().meta({
    description:
      'Whether people mint keys in the portal, and revoke keys that the application minted for them.',
  }),
  keyCapMicros: Micros.nullable().meta({
    description: 'The widest cap of a key that a person mints, per `keyCapPeriod`; null: any, or none.',
  }),
  keyCapPeriod: Period.meta({ description: 'When that cap starts anew (UTC); `total`: never.' }),
}

export const SettingsView = z
  .object(settingsFields)
  .meta({ id: 'PortalSettings', description: 'What people may do in the portal of the application.' })

export function settingsOf({ application, store }: InApplication): Promise<PortalSettings> {
  return store.portals.settings(application.id)
}
