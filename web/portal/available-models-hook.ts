import type { PortalModelsOutput } from '#sdk/portal.ts'
import { useAnswer, type Answer } from './response-cache.ts'
import { client } from './end-user-session.ts'

export function useModels(): Answer<PortalModelsOutput> {
  return useAnswer('models', () => client.portal.models())
}
