import { gatewaySettingsOf } from '#operations/gateway/shared/gateway-settings-view.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Tags, tagsView } from '#operations/tags/shared/tags-view.ts'

export default operation({
  id: 'tags.list',
  method: 'GET',
  path: '/v1/tags',
  scope: 'application',
  isExtension: true,
  summary: 'List tags',
  description:
    'Returns the tags that requests of the application can carry, with the current usage of their limits in the mode of the request.',
  output: Tags,
  run: async (_, context) => tagsView((await gatewaySettingsOf(context)).tags, context),
  revision: async (_, context) => ({ tags: (await gatewaySettingsOf(context)).tags }),
})
