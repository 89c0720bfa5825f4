import * as z from 'zod'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { ApplicationSlug, ExternalId, text, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { handoffMs, portalSecret, sessionMs } from '#operations/portal/shared/link-and-session-lifetimes.ts'

export default operation({
  id: 'portal.redeem',
  method: 'POST',
  path: '/v1/portal-sessions/redeem',
  scope: 'public',
  summary: 'Redeem a portal link',
  description:
    "Signs in the end user of a portal link (portal.link). A session lasts 24 hours and expires after one hour without use.\n\n- On the portal's host, the session is an HTTP-only cookie. The pages of the portal send `csrfToken` with each change.\n- On the host of the control plane, the operation returns the secret `sessionToken`. A portal that the customer has built sends this secret as `Authorization: Bearer`.\n- Unknown, used and expired tokens, and tokens for another portal, all return the same error.",
  body: z.strictObject({
    token: text(128).meta({ description: 'Token of the link: the part after `#handoff=`, `ph_…`.' }),
  }),
  output: z.object({
    endUserId: ExternalId,
    application: ApplicationSlug.meta({ description: 'Slug of the application.' }),
    livemode: z
      .boolean()
      .meta({ description: 'Whether the session shows live data. If false, the session shows test data.' }),
    returnPath: z.string().meta({ description: 'Path in the portal to open.' }),
    expiresAt: Timestamp.meta({ description: 'When the session expires at the latest.' }),
    csrfToken: z.exactOptional(z.string()).meta({
      description: "Token that pages send as `x-csrf-token`. Returned only on the portal's host.",
    }),
    sessionToken: z.exactOptional(z.string()).meta({
      description:
        'Secret of the session, `ps_…`. The secret is returned once, and only on the control plane.',
    }),
  }),
  errors: ['invalid_handoff'],
  answersSecret: true,
  async run({ body }, { browser, nowMs, portalOf, ports, store }) {
    const invalid = refused('invalid_handoff', { seconds: handoffMs / 1000 })
    const link = await store.portals.takeLink(sha256(body.token), portalOf, nowMs)
    if (!link) return invalid
    const {
      access,
      applicationId,
      endUserId,
      id,
      mode,
      openedById,
      openedByLabel,
      organizationId,
      returnPath,
    } = link
    const application = await store.applications.byId(organizationId, applicationId)
    const endUser = await store.endUsers.byId(applicationId, endUserId)
    if (!application || application.archivedAtMs !== null || !endUser) return invalid
    const { hash, secret } = portalSecret('ps_', ports)
    const session = {
      id: idOf('pse', ports.newId()),
      organizationId,
      applicationId,
      endUserId,
      mode,
      createdAtMs: nowMs,
      lastUsedAtMs: nowMs,
      expiresAtMs: nowMs + sessionMs,
      access,
      openedById,
      openedByLabel,
      linkId: id,
    }
    // This browser loses the cookie of its former session, and could no longer end that session.
    if (portalOf !== null && browser.formerSessionHash !== null)
      await store.portals.endSessionByHash(browser.formerSessionHash)
    await store.portals.insertSession(session, hash)
    return {
      endUserId: endUser.externalId,
      application: application.slug,
      livemode: mode === 'live',
      returnPath,
      expiresAt: session.expiresAtMs,
      ...(portalOf === null ? { sessionToken: secret } : { csrfToken: browser.begin(secret) }),
    }
  },
})
