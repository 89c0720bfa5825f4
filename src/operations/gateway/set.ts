import { unknownPattern } from '#operations/bundles/patterns.ts'
import { operation } from '#operations/operation.ts'
import { GatewayChanges, gatewaySettingsOf, GatewayView, gatewayView, settingsView } from './gateway-view.ts'

export default operation({
  id: 'gateway.set',
  method: 'PATCH',
  path: '/v1/gateway',
  scope: 'application',
  summary: 'Narrow what the gateway answers',
  description:
    'Fields that are left out stay as they are; null takes a narrowing away. It holds for calls of both modes from the next one on. A call is refused in this order: its address, its wire, the hour; then its name and what it asks for.',
  body: GatewayChanges,
  output: GatewayView,
  errors: ['unknown_model_pattern'],
  changes: 'application',
  async run({ body }, context) {
    const unknown = body.models && (await unknownPattern(body.models, context))
    if (unknown) return unknown
    const changed = { ...(await gatewaySettingsOf(context)), ...body }
    await context.store.gatewaySettings.put(changed)
    return gatewayView(changed, context)
  },
  revision: async (_, context) => settingsView(await gatewaySettingsOf(context)),
})
