import type { PortalModelsOutput } from '#sdk/portal.ts'
import { useAnswer, type Answer } from './answers.ts'
import { client } from './session.ts'

/** Where calls go, and the names that are open. */
export function useModels(): Answer<PortalModelsOutput> {
  return useAnswer('models', () => client.portal.models())
}

/** The address that any client can resolve: `*.localhost` only browsers do. */
export function gatewayOf({
  gateway,
  localGateway,
}: Pick<PortalModelsOutput, 'gateway' | 'localGateway'>): string {
  return localGateway ?? gateway
}
