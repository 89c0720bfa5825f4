import { operation } from '#operations/operation.ts'
import { gatewaySettingsOf, GatewayView, gatewayView, settingsView } from './gateway-view.ts'

export default operation({
  id: 'gateway.show',
  method: 'GET',
  path: '/v1/gateway',
  scope: 'application',
  summary: 'Show what the gateway answers',
  description:
    'Where the gateway of the application is, and what it is narrowed to: nothing, until it is set.',
  output: GatewayView,
  run: async (_, context) => gatewayView(await gatewaySettingsOf(context), context),
  revision: async (_, context) => settingsView(await gatewaySettingsOf(context)),
})
