import { ownModel, withState } from '#operations/kernel/find-resources-of-caller.ts'
import { labelledSources } from './sources-with-account-labels.ts'

/** The ETag does not cover whether the model is served. */
export const modelWithEtag = withState(
  ownModel,
  async ({ ceilings, isDisabled, sources }, { organization, store }) => {
    const accounts = await store.providers.all(organization.id)
    return { sources: labelledSources(sources, accounts), ceilings, enabled: !isDisabled }
  },
)
