import { operation } from '#operations/operation.ts'
import * as z from 'zod'
import { isRoleAtLeast } from '#domain/people/role.ts'
import { answerOf, listOf, pageOf, pageQuery, Timestamp } from '#operations/schemas.ts'
import { countedMs } from '#operations/sessions/failed-sign-in-log.ts'
import { MemberView, memberView } from './member-view.ts'

const ListedMember = MemberView.extend({
  failedSignIns: z
    .object({
      count: z.int().meta({ description: 'Number of failed sign-ins.' }),
      firstAt: Timestamp.meta({ description: 'When the first of these failed.' }),
      lastAt: Timestamp.meta({ description: 'When the latest failed.' }),
      lastAddress: z.string().meta({ description: 'Network address of the latest.' }),
    })
    .nullable()
    .meta({
      description:
        'Failed password sign-ins of the last 30 days. Null if there were none. Only admins and tokens with that role see those of others; members see their own.',
    }),
}).meta({ id: 'ListedMember', description: 'A person of the team, with failed sign-ins.' })

export default operation({
  id: 'team.list',
  method: 'GET',
  path: '/v1/team',
  scope: 'organization',
  summary: 'List the team',
  description:
    'Members, and who is invited to be one (`joinedAt` is null). Newest first; removed ones are left out.',
  query: pageQuery,
  output: listOf(ListedMember),
  async run({ query }, { actor, nowMs, organization, store }) {
    const failed = await store.failedSignIns.sums(organization.id, nowMs - countedMs)
    return answerOf(store.members.list(organization.id, pageOf(query)), (member) => {
      const sum =
        isRoleAtLeast(actor.role, 'admin') || member.id === actor.id ? failed.get(member.id) : undefined
      return {
        ...memberView(member),
        failedSignIns: sum
          ? { count: sum.count, firstAt: sum.firstAtMs, lastAt: sum.lastAtMs, lastAddress: sum.lastAddress }
          : null,
      }
    })
  },
})
