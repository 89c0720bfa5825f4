import { ownRouter, withState } from '#operations/kernel/find-resources-of-caller.ts'
import { accountLabels } from '#operations/requests/shared/request-view.ts'
import { routerAsSent } from './router-view.ts'

/**
 * A router that clients can protect from concurrent changes with If-Match. The ETag covers the settings of the router,
 * not whether a target is available.
 */
export const routerWithEtag = withState(ownRouter, async (router, context) =>
  routerAsSent(router, await accountLabels(context)),
)
