import { ownBundle, withState } from '#operations/kernel/find-resources-of-caller.ts'
import { isoOf } from '#operations/kernel/value-and-page-schemas.ts'
import { bundleView } from './bundle-view.ts'

export const bundleWithEtag = withState(ownBundle, async (bundle, context) => {
  // An earlier step of this transaction may have changed the default bundle.
  const { application: chosen, organization, store } = context
  const application = (await store.applications.byId(organization.id, chosen.id)) ?? chosen
  const view = await bundleView(bundle, { ...context, application })
  return { ...view, createdAt: isoOf(bundle.createdAtMs) }
})
