import * as z from 'zod'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { ownEndUser } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { descriptions, ExternalId, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { ReturnPath } from '#operations/portal/shared/return-path-schema.ts'
import { handoffMs, portalSecret } from '#operations/portal/shared/link-and-session-lifetimes.ts'

export default operation({
  id: 'portal.link',
  method: 'POST',
  path: '/v1/portal-sessions',
  scope: 'application',
  summary: 'Create a portal link',
  description:
    "Creates a link that signs an end user in to the application's portal, in the mode of the request. The link works once, within 60 seconds, so redirect the end user's browser immediately. The token is in the fragment (after `#`), which browsers never send, so no log and no Referer contains it.",
  body: z.strictObject({
    endUserId: ExternalId.meta({ description: 'External ID of the end user.' }),
    returnPath: ReturnPath.default('/').meta({
      description:
        'Path in the portal to open after the sign-in. The path must start with exactly one `/`. Defaults to `/`.',
    }),
    access: z.exactOptional(z.enum(['read', 'write'])).meta({
      description:
        'Whether the session may change data. With `read`, every change returns 403 `portal_read_only`. Defaults to `read` for a signed-in team member and to `write` for a token.',
    }),
  }),
  output: z.object({
    id: z.string().meta({ description: 'ID of the link, `pl_…`.' }),
    access: z
      .enum(['read', 'write'])
      .meta({ description: '`read`: the session can only read. `write`: the session can also change data.' }),
    url: z.string().meta({ description: "Address to open in the end user's browser." }),
    localUrl: z.exactOptional(z.string()).meta({
      description: descriptions.localUrl,
    }),
    expiresAt: Timestamp.meta({ description: 'When the link expires.' }),
  }),
  errors: ['not_found'],
  answersSecret: true,
  async run({ body }, context) {
    const { actor, application, editAudit, mode, nowMs, organization, ports, store } = context
    const member = actor.kind === 'member' ? actor : null
    const access = body.access ?? (member === null ? 'write' : 'read')
    const endUser = await ownEndUser.find(body.endUserId, context, 'endUserId')
    if (endUser instanceof Refused) return endUser
    const { hash, secret } = portalSecret('ph_', ports)
    const link = {
      id: idOf('pl', ports.newId()),
      organizationId: organization.id,
      applicationId: application.id,
      endUserId: endUser.id,
      mode,
      returnPath: body.returnPath,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + handoffMs,
      access,
      openedById: actor.kind === 'token' ? actor.token.memberId : actor.id,
      openedByLabel: member?.label ?? null,
    }
    await store.portals.insertLink(link, hash)
    const made = JSON.stringify({ id: link.id, endUserId: endUser.externalId, access })
    editAudit((entry) => ({ ...entry, after: made, externalId: endUser.externalId }))
    const { localPortal, portal } = ports.urls(application)
    const fragment = `/#handoff=${secret}`
    return {
      id: link.id,
      access,
      url: portal + fragment,
      ...(localPortal !== undefined && { localUrl: localPortal + fragment }),
      expiresAt: link.expiresAtMs,
    }
  },
})
