import { ownModel, withState } from '#operations/kernel/find-resources-of-caller.ts'
import { labelledSources } from './sources-with-account-labels.ts'

/**
 * A model name that clients can protect from concurrent changes with If-Match. The ETag covers the settings of the
 * model name, not whether the model is served.
 */
export const modelWithEtag = withState(
  ownModel,
  async ({ ceilings, isDisabled, sources }, { organization, store }) => {
    const accounts = await store.providers.all(organization.id)
    return { sources: labelledSources(sources, accounts), ceilings, enabled: !isDisabled }
  },
)
