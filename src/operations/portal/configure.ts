import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { settingsFields, settingsOf, SettingsView } from '#operations/portal/shared/portal-settings-view.ts'

export default operation({
  id: 'portal.configure',
  method: 'PATCH',
  path: '/v1/portal-settings',
  scope: 'application',
  isExtension: true,
  summary: 'Change the portal settings',
  description:
    'Changes the rules for keys that end users create in the portal. Omitted fields keep their values.\n\n- To turn on `endUsersMayMintKeys`, also send `keyCapsTotalMicros`, unless this maximum is already set. Null means no maximum.\n- A new `keyCapsTotalMicros` takes effect with the next request.\n- Existing keys keep their caps. To change a cap, use keys.cap.',
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
        'Set keyCapsTotalMicros too, to the maximum that all keys of one end user may spend together, or to null for no maximum.'
      return refused('invalid_request', { reason }, 'keyCapsTotalMicros')
    }
    await context.store.portals.putSettings(context.application.id, settings)
    return settings
  },
  revision: (_, context) => settingsOf(context),
})
