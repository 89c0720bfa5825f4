import type { PortalModelsOutput } from '#sdk/portal.ts'
import { useAnswer, type Answer } from './answers.ts'
import { client } from './session.ts'

/** Returns the gateway's address and the available models. */
export function useModels(): Answer<PortalModelsOutput> {
  return useAnswer('models', () => client.portal.models())
}

/** Returns the address that any client can resolve, because only browsers resolve `*.localhost`. */
export function gatewayOf({
  gateway,
  localGateway,
}: Pick<PortalModelsOutput, 'gateway' | 'localGateway'>): string {
  return localGateway ?? gateway
}
