import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { settingsFields, settingsOf, SettingsView } from './settings-view.ts'

export default operation({
  id: 'portal.configure',
  method: 'PATCH',
  path: '/v1/portal-settings',
  scope: 'application',
  isExtension: true,
  summary: 'Change what end users may do in the portal',
  description:
    'Omitted fields are kept. End users create keys only after you have decided what those keys may spend together: turning `endUsersMayMintKeys` on requires `keyCapsTotalMicros`, an amount or null for no total, unless a total is set. The total takes effect with the next request. Existing keys keep their caps; keys.cap changes those.',
  body: z.strictObject({
    endUsersMayMintKeys: z.exactOptional(settingsFields.endUsersMayMintKeys),
    keyCapMicros: z.exactOptional(settingsFields.keyCapMicros),
    keyCapPeriod: z.exactOptional(settingsFields.keyCapPeriod),
    keyCapsTotalMicros: z.exactOptional(settingsFields.keyCapsTotalMicros),
  }),
  output: SettingsView,
  async run({ body }, context) {
    const before = await settingsOf(context)
    const settings = { ...before, ...body }
    const isTurnedOn = settings.endUsersMayMintKeys && !before.endUsersMayMintKeys
    if (isTurnedOn && settings.keyCapsTotalMicros === null && body.keyCapsTotalMicros === undefined) {
      const reason =
        'Set keyCapsTotalMicros too: the most that all keys of one end user may spend together, or null for no total.'
      return refused('invalid_request', { reason }, 'keyCapsTotalMicros')
    }
    await context.store.portals.putSettings(context.application.id, settings)
    return settings
  },
  revision: (_, context) => settingsOf(context),
})
