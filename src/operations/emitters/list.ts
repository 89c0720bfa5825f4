import { operation } from '#operations/kernel/declare-operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { EmitterView, emitterView } from '#operations/emitters/shared/emitter-view.ts'

export default operation({
  id: 'emitters.list',
  method: 'GET',
  path: '/v1/emitters',
  scope: 'application',
  summary: 'List emitters',
  description:
    'Returns the emitters of the application in the mode of the request, newest first. Secrets are never returned.',
  query: pageQuery,
  output: listOf(EmitterView),
  run: ({ query }, context) =>
    answerOf(context.store.emitters.list(context.application.id, context.mode, pageOf(query)), (emitter) =>
      emitterView(emitter, context),
    ),
})
