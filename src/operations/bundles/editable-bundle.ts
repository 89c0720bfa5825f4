import { ownBundle, withState } from '#operations/kernel/owned-resources.ts'
import { isoOf } from '#operations/kernel/schemas.ts'
import { bundleView } from './bundle-view.ts'

/** A bundle that If-Match can protect. */
export const editableBundle = withState(ownBundle, async (bundle, context) => {
  // The default may have changed in this transaction after the application was looked up.
  const { application: chosen, organization, store } = context
  const application = (await store.applications.byId(organization.id, chosen.id)) ?? chosen
  const view = await bundleView(bundle, { ...context, application })
  return { ...view, createdAt: isoOf(bundle.createdAtMs) }
})
