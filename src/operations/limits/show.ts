import { operation } from '#operations/operation.ts'
import { LimitsView, limitsState, limitsView } from './limits-view.ts'

export default operation({
  id: 'limits.show',
  method: 'GET',
  path: '/v1/limits',
  scope: 'organization',
  summary: "Show the organization's own limits",
  description:
    'What the organization allows itself a day, over all applications and in single ones, and what of it is used today. The limits are a net against its own mistakes; what end users may spend is set by bundles and keys.',
  output: LimitsView,
  isExtension: true,
  run: (_, context) => limitsView(context),
  revision: async (_, context) => limitsState(context),
})
