import { unknownPattern } from '#operations/bundles/shared/define-allow-or-deny-operation.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import {
  GatewayChanges,
  gatewaySettingsOf,
  GatewayView,
  gatewayView,
  settingsView,
} from '#operations/gateway/shared/gateway-settings-view.ts'

export default operation({
  id: 'gateway.set',
  method: 'PATCH',
  path: '/v1/gateway',
  scope: 'application',
  summary: 'Change the gateway settings',
  description:
    'Changes the settings that are sent, for both modes, starting with the next request. Omitted settings keep their values, and null removes a restriction. Each request is checked in this order: address, wire format, time, then the model name and the requested features.',
  body: GatewayChanges,
  output: GatewayView,
  errors: ['unknown_model_pattern'],
  configures: 'application',
  async run({ body }, context) {
    const unknown = body.models && (await unknownPattern(body.models, context))
    if (unknown) return unknown
    const changed = { ...(await gatewaySettingsOf(context)), ...body }
    await context.store.gatewaySettings.put(changed)
    return gatewayView(changed, context)
  },
  revision: async (_, context) => settingsView(await gatewaySettingsOf(context)),
})
