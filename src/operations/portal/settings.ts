import { operation } from '#operations/operation.ts'
import { settingsOf, SettingsView } from './settings-view.ts'

export default operation({
  id: 'portal.settings',
  method: 'GET',
  path: '/v1/portal-settings',
  scope: 'application',
  isExtension: true,
  summary: 'Show what people may do in the portal',
  description:
    'The rules of the application for keys that people mint in its portal. How it looks is in brand.show.',
  output: SettingsView,
  run: (_, context) => settingsOf(context),
  revision: (_, context) => settingsOf(context),
})
