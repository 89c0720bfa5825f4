import { operation } from '#operations/kernel/declare-operation.ts'
import { LimitsView, limitsState, limitsView } from '#operations/limits/shared/limits-view.ts'

export default operation({
  id: 'limits.show',
  method: 'GET',
  path: '/v1/limits',
  scope: 'organization',
  summary: "Show the organization's daily limits",
  description:
    "Returns the daily limits of the organization and of its applications, with today's usage. These limits protect the organization from its own mistakes. Bundles and keys limit what end users can spend.",
  output: LimitsView,
  isExtension: true,
  run: (_, context) => limitsView(context),
  revision: async (_, context) => limitsState(context),
})
