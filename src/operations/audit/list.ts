import * as z from 'zod'
import type { AuditEntry } from '#domain/audit-log.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { findIfNamed, ownApplication } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import {
  ApplicationSlug,
  answerOf,
  listOf,
  pageOf,
  pageQuery,
  text,
  Timestamp,
} from '#operations/kernel/value-and-page-schemas.ts'

const AuditView = z
  .object({
    id: z.string().meta({ description: 'ID of the entry, `aud_…`.' }),
    at: Timestamp.meta({ description: 'When the change was made.' }),
    operation: z.string().meta({ description: 'ID of the operation that made the change.' }),
    resource: z.string().meta({ description: 'Method and path of the request.' }),
    applicationId: z.string().nullable().meta({
      description: 'ID of the application that was changed. Null if the change belongs to the organization.',
    }),
    mode: z.enum(['live', 'test']).meta({ description: 'Mode of the request.' }),
    actor: z
      .object({
        kind: z.string().meta({
          description:
            '`token`: a control-plane token. `member`: a member of the team. `end_user`: an end user in the portal. `stranger`: someone whose sign-in failed.',
        }),
        id: z.string().meta({
          description:
            'ID of the token, member or end user. For a failed sign-in, the ID of the member whose account was tried.',
        }),
        label: z.string().meta({ description: 'Label of the token, or email address of the member.' }),
        address: z.string().meta({ description: 'Network address of the client.' }),
      })
      .meta({ description: 'Caller that made the change.' }),
    requestId: z.string().meta({ description: 'ID of the request, `req_…`.' }),
    before: z.unknown().meta({
      description:
        'Configuration before the change. Null if the resource did not exist or has no state to compare.',
    }),
    after: z.unknown().meta({
      description:
        'Configuration after the change. If there is no state to compare, this field contains the response of the operation. Secrets are never included.',
    }),
  })
  .meta({ id: 'AuditEntry', description: 'A change made through the control plane.' })

export default operation({
  id: 'audit.list',
  method: 'GET',
  path: '/v1/audit',
  scope: 'organization',
  leastRole: 'admin',
  isExtension: true,
  summary: 'List audit log entries',
  description:
    'Returns the changes made through the control plane, newest first, with the caller of each change.\n\n- Rejected requests change nothing and are not listed. Gateway requests are in `requests.list`.\n- Failed sign-ins of members are listed, with one entry for each account, network and hour. The field `after` of an entry for failed sign-ins contains `failures` (their number), `site`, `firstAt` and `lastAt`. If sign-ins fail from more than five networks in an hour, one entry counts the failures from all other networks.',
  query: {
    ...pageQuery,
    application: ApplicationSlug.optional().meta({
      description: 'Returns only changes of this application.',
    }),
    actorId: text(64).optional().meta({ description: 'Returns only changes by this token or member.' }),
    operation: text(64).optional().meta({
      description: 'ID of an operation, such as `keys.mint`. Returns only changes that this operation made.',
    }),
    from: Timestamp.optional().meta({ description: 'Returns only changes at or after this time.' }),
    to: Timestamp.optional().meta({ description: 'Returns only changes before this time.' }),
  },
  output: listOf(AuditView),
  errors: ['not_found'],
  async run({ query }, context) {
    const application = await findIfNamed(ownApplication, query.application, context, 'application')
    if (application instanceof Refused) return application
    const filter = {
      applicationId: application?.id ?? null,
      actorId: query.actorId ?? null,
      operationId: query.operation ?? null,
      fromMs: query.from ?? null,
      toMs: query.to ?? null,
    }
    const { organization, store } = context
    return answerOf(store.audit.list(organization.id, filter, pageOf(query)), auditView)
  },
})

function auditView(entry: AuditEntry): z.output<typeof AuditView> {
  return {
    id: entry.id,
    at: entry.createdAtMs,
    operation: entry.operationId,
    resource: entry.resource,
    applicationId: entry.applicationId,
    mode: entry.mode,
    actor: { kind: entry.actorKind, id: entry.actorId, label: entry.actorLabel, address: entry.address },
    requestId: entry.requestId,
    before: entry.before === null ? null : JSON.parse(entry.before),
    after: entry.after === null ? null : JSON.parse(entry.after),
  }
}
