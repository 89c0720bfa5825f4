import { gatewaySettingsOf } from '#operations/gateway/shared/gateway-settings-view.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { always, putBody } from '#operations/kernel/put-fields.ts'
import { DeclaredTags, Tags, tagsView } from '#operations/tags/shared/tags-view.ts'

export default operation({
  id: 'tags.set',
  method: 'PUT',
  path: '/v1/tags',
  scope: 'application',
  isExtension: true,
  summary: 'Set the tags',
  description:
    'Declares the tags that requests can carry, for both modes, starting with the next request. The list replaces the current list. An empty list removes all tags.\n\n- A request carries the tags in `svc.tags` and the tags of its key, at most 10 in total. A request with an undeclared tag returns 400 `invalid_request`.\n- A request beyond a limit of a tag returns 429 `rate_limited`. If the limit can never allow the request, or if the limit counts `micros` per day, week or month, the request returns 402 `spend_limit_exceeded`.\n- Recorded requests keep the tags that they had. If a tag of a key is no longer declared, the tag is ignored.',
  body: putBody({ tags: always(DeclaredTags) }),
  output: Tags,
  configures: 'application',
  changes: ['tags', 'gateway'],
  async run({ body: { tags } }, context) {
    await context.store.gatewaySettings.put({ ...(await gatewaySettingsOf(context)), tags })
    return tagsView(tags, context)
  },
  revision: async (_, context) => ({ tags: (await gatewaySettingsOf(context)).tags }),
})
