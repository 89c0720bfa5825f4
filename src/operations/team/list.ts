import { operation } from '#operations/kernel/declare-operation.ts'
import * as z from 'zod'
import { isRoleAtLeast } from '#domain/people/team-roles.ts'
import { answerOf, listOf, pageOf, pageQuery, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { countedMs } from '#operations/kernel/record-failed-sign-ins.ts'
import { MemberView, memberView } from '#operations/team/shared/member-view.ts'

const ListedMember = MemberView.extend({
  failedSignIns: z
    .object({
      count: z.int().meta({ description: 'Number of failed sign-ins.' }),
      firstAt: Timestamp.meta({ description: 'When the first of the counted sign-ins failed.' }),
      lastAt: Timestamp.meta({ description: 'When the latest sign-in failed.' }),
      lastAddress: z.string().meta({ description: 'Network address of the latest failed sign-in.' }),
    })
    .nullable()
    .meta({
      description:
        'Sign-ins of the last 30 days that failed because of the password or the passkey. Null if no sign-in failed. For members other than the caller, this field is null unless the caller has the admin role.',
    }),
}).meta({ id: 'ListedMember', description: 'A team member, with a summary of failed sign-ins.' })

export default operation({
  id: 'team.list',
  method: 'GET',
  path: '/v1/team',
  scope: 'organization',
  summary: 'List the team',
  description:
    'Returns members and open invitations, newest first. In open invitations, `joinedAt` is null. Removed members are omitted.',
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
