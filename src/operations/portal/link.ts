import * as z from 'zod'
import { idOf } from '#domain/id.ts'
import { operation } from '#operations/operation.ts'
import { ownEndUser } from '#operations/own.ts'
import { Refused } from '#operations/refused.ts'
import { ExternalId, Timestamp } from '#operations/schemas.ts'
import { ReturnPath } from './return-path.ts'
import { handoffMs, portalSecret } from './session-terms.ts'

export default operation({
  id: 'portal.link',
  method: 'POST',
  path: '/v1/portal-sessions',
  scope: 'application',
  summary: 'Hand an end user to their portal',
  description:
    'Makes a link that signs one person in at the portal of the application, in the mode of the request: once, within 60 seconds. Send the browser of the person there at once. The token of the link stands in its fragment (after `#`), which no browser sends: it is in no log and no Referer.',
  body: z.strictObject({
    endUserId: ExternalId.meta({ description: "The customer's own id of the person." }),
    returnPath: ReturnPath.default('/').meta({
      description: 'Where on the portal to go then: a path that begins with one `/`; `/` when left out.',
    }),
    access: z.exactOptional(z.enum(['read', 'write'])).meta({
      description:
        'What the session may do. `read`: every change returns 403 `portal_read_only`. Defaults to `read` for a member of the team who has signed in, and to `write` for a token.',
    }),
  }),
  output: z.object({
    id: z.string().meta({ description: 'Id of the handoff, `pl_…`.' }),
    access: z.enum(['read', 'write']).meta({ description: 'What the session may do.' }),
    url: z.string().meta({ description: 'Where to send the browser of the person.' }),
    localUrl: z.exactOptional(z.string()).meta({
      description: 'The same by address and port, for clients that do not resolve `*.localhost`.',
    }),
    expiresAt: Timestamp.meta({ description: 'When the link is worth nothing any more.' }),
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
      openedById: member?.id ?? null,
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
