import { operation } from '#operations/operation.ts'
import { ApplicationView, applicationView } from './application-view.ts'

export default operation({
  id: 'apps.current',
  method: 'GET',
  path: '/v1/apps/current',
  scope: 'application',
  summary: 'Show the active application',
  description:
    'The application that a request like this one means: the one named by `x-svc-app`, else the token’s active one, else the only one.',
  output: ApplicationView,
  run: (_, context) => applicationView(context.application, context),
})
