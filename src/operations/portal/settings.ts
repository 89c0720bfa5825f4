import { operation } from '#operations/kernel/declare-operation.ts'
import { settingsOf, SettingsView } from '#operations/portal/shared/portal-settings-view.ts'

export default operation({
  id: 'portal.settings',
  method: 'GET',
  path: '/v1/portal-settings',
  scope: 'application',
  isExtension: true,
  summary: 'Show the portal settings',
  description:
    "Returns the application's rules for keys that end users create in the portal. brand.show returns the appearance of the portal.",
  output: SettingsView,
  run: (_, context) => settingsOf(context),
  revision: (_, context) => settingsOf(context),
})
