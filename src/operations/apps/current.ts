import { operation } from '#operations/kernel/operation.ts'
import { ApplicationView, applicationView } from './application-view.ts'

export default operation({
  id: 'apps.current',
  method: 'GET',
  path: '/v1/apps/current',
  scope: 'application',
  summary: 'Show the active application',
  description:
    'Returns the application that this request resolves to: the one in the `x-svc-app` header, else the active application of the token or session, else the only application.',
  output: ApplicationView,
  run: (_, context) => applicationView(context.application, context),
})
