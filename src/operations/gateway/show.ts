import { operation } from '#operations/kernel/declare-operation.ts'
import {
  gatewaySettingsOf,
  GatewayView,
  gatewayView,
  settingsView,
} from '#operations/gateway/shared/gateway-settings-view.ts'

export default operation({
  id: 'gateway.show',
  method: 'GET',
  path: '/v1/gateway',
  scope: 'application',
  summary: 'Show the gateway settings',
  description:
    'Returns the addresses and the settings of the gateway. By default, a gateway has no restrictions.',
  output: GatewayView,
  run: async (_, context) => gatewayView(await gatewaySettingsOf(context), context),
  revision: async (_, context) => settingsView(await gatewaySettingsOf(context)),
})
