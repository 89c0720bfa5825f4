import * as z from 'zod'
import type { AuditEntry } from '#domain/audit.ts'
import { operation } from '#operations/operation.ts'
import { findIfNamed, ownApplication } from '#operations/own.ts'
import { Refused } from '#operations/refused.ts'
import { ApplicationSlug, answerOf, listOf, pageOf, pageQuery, text, Timestamp } from '#operations/schemas.ts'

const AuditView = z
  .object({
    id: z.string().meta({ description: 'Id of the entry, `aud_…`.' }),
    at: Timestamp.meta({ description: 'When the change was made.' }),
    operation: z.string().meta({ description: 'Id of the operation that made it.' }),
    resource: z.string().meta({ description: 'Method and path of the request.' }),
    applicationId: z
      .string()
      .nullable()
      .meta({ description: 'Id of the application that was changed; null: the organization.' }),
    mode: z.enum(['live', 'test']).meta({ description: 'The mode of the request.' }),
    actor: z
      .object({
        kind: z.string().meta({
          description:
            '`token`, `member` for a person of the team, `end_user` for one in the portal, or `stranger` for failed sign-ins.',
        }),
        id: z.string().meta({
          description:
            'Id of the token or the member; of failed sign-ins, of the member whose account was tried.',
        }),
        label: z.string().meta({ description: 'Label of the token, or e-mail address of the member.' }),
        address: z.string().meta({ description: 'Network address of the client.' }),
      })
      .meta({ description: 'Who made the change.' }),
    requestId: z.string().meta({ description: 'Id of the request, `req_…`.' }),
    before: z.unknown().meta({
      description:
        'The configuration before the change; null: there was none, or it has no state to compare.',
    }),
    after: z.unknown().meta({
      description: 'The configuration after the change, else the answer. Never a secret.',
    }),
  })
  .meta({ id: 'AuditEntry', description: 'A change that somebody made through the control plane.' })

export default operation({
  id: 'audit.list',
  method: 'GET',
  path: '/v1/audit',
  scope: 'organization',
  leastRole: 'admin',
  isExtension: true,
  summary: 'List changes',
  description:
    'Every change that was made through the control plane: by whom, and what it changed. Newest first. Refused requests changed nothing and are not listed; calls of models are in requests.list. Failed sign-ins of members are listed too: one entry for each account, network and hour, whose `after` counts them (`failures`, `site`, `firstAt`, `lastAt`). Beyond five networks an hour, failures are counted in one entry for all other networks.',
  query: {
    ...pageQuery,
    application: ApplicationSlug.optional().meta({ description: 'Changes of this application only.' }),
    actorId: text(64).optional().meta({ description: 'Changes by this token or member only.' }),
    operation: text(64).optional().meta({ description: 'Changes by this operation only.' }),
    from: Timestamp.optional().meta({ description: 'Changes from this time on.' }),
    to: Timestamp.optional().meta({ description: 'Changes before this time.' }),
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
