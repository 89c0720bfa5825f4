import * as z from 'zod'
import {
  GatewayChanges,
  gatewaySettings,
  gatewaySettingsOf,
  settingsView,
} from '#operations/gateway/shared/gateway-settings-view.ts'
import type { GatewaySettings } from '#domain/gateway-settings.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { DeclaredTags } from '#operations/tags/shared/tags-view.ts'
import { changeOf, type Step } from './steps-to-apply-changes.ts'

/**
 * Accepts patterns that no longer match any model name, so that every exported document can be applied. Patterns only
 * restrict requests, so such patterns are safe.
 */
export const GatewayItem = z.strictObject({ ...gatewaySettings, tags: DeclaredTags }).meta({
  id: 'ConfigurationGateway',
  description: 'Settings of the gateway, with the fields of `gateway.set` and `tags.set`.',
})

/** An omitted setting keeps its value, and null removes the value. */
export const WantedGateway = GatewayChanges.extend({ tags: z.exactOptional(DeclaredTags) })

type Item = z.output<typeof GatewayItem>

export async function readGateway(context: ApplicationContext): Promise<Item> {
  return itemOf(await gatewaySettingsOf(context))
}

export function gatewaySteps(
  {
    current,
    wanted,
  }: { readonly current: Item; readonly wanted: z.output<typeof WantedGateway> | undefined },
  { application, store }: ApplicationContext,
): readonly Step[] {
  if (wanted === undefined) return []
  const applicationId = application.id
  const next = itemOf({ applicationId, ...current, ...wanted })
  const kind = { resource: 'gateway', field: 'gateway', schema: GatewayItem } as const
  const change = changeOf(kind, null, current, next)
  if (change.action === 'none') return []
  return [{ change, run: () => store.gatewaySettings.put({ applicationId, ...next }) }]
}

function itemOf(settings: GatewaySettings): Item {
  return { ...settingsView(settings), tags: settings.tags }
}
