import { operation } from '#operations/kernel/declare-operation.ts'
import { ApplicationView, applicationView } from '#operations/apps/shared/application-view.ts'

export default operation({
  id: 'apps.current',
  method: 'GET',
  path: '/v1/apps/current',
  scope: 'application',
  summary: 'Show the active application',
  description:
    "Returns the application that this request uses. The header `x-svc-app` takes precedence over the active application of the token or session. If neither is set, the organization's only application is used.",
  output: ApplicationView,
  run: (_, context) => applicationView(context.application, context),
})
