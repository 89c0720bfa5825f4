import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { settingsFields, settingsOf, SettingsView } from './settings-view.ts'

export default operation({
  id: 'portal.configure',
  method: 'PATCH',
  path: '/v1/portal-settings',
  scope: 'application',
  isExtension: true,
  summary: 'Change what people may do in the portal',
  description:
    'From the next request on; fields left out stay. Keys that are there already keep their caps: keys.cap changes them.',
  body: z.strictObject({
    endUsersMayMintKeys: z.exactOptional(settingsFields.endUsersMayMintKeys),
    keyCapMicros: z.exactOptional(settingsFields.keyCapMicros),
    keyCapPeriod: z.exactOptional(settingsFields.keyCapPeriod),
  }),
  output: SettingsView,
  async run({ body }, context) {
    const settings = { ...(await settingsOf(context)), ...body }
    await context.store.portals.putSettings(context.application.id, settings)
    return settings
  },
  revision: (_, context) => settingsOf(context),
})
