import * as z from 'zod'
import { idOf } from '#domain/id.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { operation } from '#operations/operation.ts'
import { refused } from '#operations/refused.ts'
import { ApplicationSlug, ExternalId, text, Timestamp } from '#operations/schemas.ts'
import { handoffMs, portalSecret, sessionMs } from './session-terms.ts'

export default operation({
  id: 'portal.redeem',
  method: 'POST',
  path: '/v1/portal-sessions/redeem',
  scope: 'public',
  summary: 'Spend a handoff token',
  description:
    "Signs in the person whom the token of portal.link is for. At the host of the application's portal the session is a cookie that no script can read, and its pages send `csrfToken` with each change. At the control plane, for a portal of the customer's own, the session is the secret `sessionToken`, for `Authorization: Bearer`. A session lasts 24 hours, and ends after an hour without use. A token that is unknown, redeemed, expired or of another application's portal: one refusal.",
  body: z.strictObject({
    token: text(128).meta({ description: 'What follows `#handoff=` in the link, `ph_…`.' }),
  }),
  output: z.object({
    endUserId: ExternalId,
    application: ApplicationSlug.meta({ description: 'Slug of the application.' }),
    livemode: z.boolean().meta({ description: 'Whether live data are shown; false: test data.' }),
    returnPath: z.string().meta({ description: 'Where on the portal to go now.' }),
    expiresAt: Timestamp.meta({ description: 'When the session ends at the latest.' }),
    csrfToken: z.exactOptional(z.string()).meta({
      description: "What pages send as `x-csrf-token`; at the portal's host only.",
    }),
    sessionToken: z.exactOptional(z.string()).meta({
      description: 'The secret of the session, `ps_…`, shown once; at the control plane only.',
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
    // Remove the former session. Its cookie is replaced, so no one could end that session in this browser any more.
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
