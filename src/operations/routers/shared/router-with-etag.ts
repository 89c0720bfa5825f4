import { ownRouter, withState } from '#operations/kernel/find-resources-of-caller.ts'
import { accountLabels } from '#operations/requests/shared/request-view.ts'
import { routerAsSent } from './router-view.ts'

/** The ETag does not cover whether a target is available. */
export const routerWithEtag = withState(ownRouter, async (router, context) =>
  routerAsSent(router, await accountLabels(context)),
)
