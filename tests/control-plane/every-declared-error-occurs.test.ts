/** No operation may declare an error that it never returns. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '#operations/index.ts'
import type { Mail } from '#domain/people/mail-sender.ts'
import { password, type Control } from '../support/control-plane-without-socket.ts'
import { SoftAuthenticator } from '../support/passkey-authenticator.ts'
import {
  fillBalance,
  openFilled,
  operationOf,
  passkeyOf,
  sampleOf,
  send,
  type Filled,
  type FilledControl,
  type Sample,
} from '../support/valid-request-of-every-operation.ts'

interface Provocation {
  readonly with?: Sample
  readonly withIds?: (ids: Filled) => Sample
  readonly before?: (control: Control, ids: Filled) => Promise<unknown>
  readonly mail?: Mail
}

const noSuch = { with: { path: { id: 'nobody' } } }
const noSuchSlug = { with: { path: { slug: 'nothing' } } }
const noSuchName = { with: { path: { name: 'acme/nothing' } } }
const noSuchPerson = { with: { path: { externalId: 'nobody' } } }

const archived: Provocation = {
  before: (control) =>
    control.database.transaction((tx) => tx.updateTable('applications').set({ archived_at_ms: 1 }).execute()),
}
const secondKey: Provocation = {
  with: { path: { id: 'user-1' } },
  before: (control) => control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } }),
}
const noDefault: Provocation = {
  with: { path: { externalId: 'new' } },
  before: (control) =>
    control.database.transaction((tx) =>
      tx.updateTable('applications').set({ default_bundle_id: null }).execute(),
    ),
}
/** Another end user then asks for this known ID as external ID. */
const ownIdTaken: Provocation['before'] = (control) =>
  control.store.transaction(async (nouns) => {
    const application = await nouns.applications.bySlug('acme')
    const somebody = await nouns.endUsers.byExternalId(application?.id ?? '', 'user-1')
    if (somebody) await nouns.endUsers.put({ ...somebody, id: 'eu_known', externalId: 'user-9' })
  })
const endedNow: Provocation = {
  before: (control) =>
    control.call('POST', '/v1/end-users/user-1/subscription/cancel', { body: { atPeriodEnd: false } }),
}
const countsCredits: Provocation['before'] = (control) =>
  control.call('POST', '/v1/bundles/free/include', {
    body: { slug: 'c', displayName: 'C', unit: 'credits', amount: '1' },
  })

const richUser: Provocation = { before: (control) => fillBalance(control, 'user-1', 10n ** 18n) }

const withoutPlan: Provocation = {
  before: (control) =>
    control.database.transaction((tx) => tx.updateTable('end_users').set({ bundle_id: null }).execute()),
}
const mayNotMint: Provocation = {
  before: (control) => control.call('PATCH', '/v1/portal-settings', { body: { endUsersMayMintKeys: false } }),
}

const ownerHasPasskeys =
  (count: number): NonNullable<Provocation['before']> =>
  (control, { ownerEmail }) =>
    control.store.transaction(async ({ members, passkeys }) => {
      const owner = await members.joinedByEmail(ownerEmail)
      if (!owner) return
      for (let n = 0; n < count; n++) {
        // oxlint-disable-next-line no-await-in-loop -- in one transaction
        await passkeys.insert(passkeyOf(owner, `of the owner ${n}`, control))
      }
    })

const route = (control: Control, target: object): Promise<unknown> =>
  control.call('PUT', '/v1/routers/acme/other', { body: { policy: 'priority', targets: [target] } })

const provocations: Readonly<Record<string, Provocation>> = {
  'audit.list not_found': { with: { query: { application: 'nothing' } } },
  'auth.token no_token_in_use': { withIds: ({ owner }) => ({ session: owner }) },
  'sessions.create sign_in_failed': {
    withIds: ({ ownerEmail }) => ({ body: { email: ownerEmail, password: 'not the right one' } }),
  },
  'sessions.create passkey_required': { before: ownerHasPasskeys(1) },
  'sessions.create passkey_rejected': {
    before: ownerHasPasskeys(1),
    withIds: ({ ownerEmail, usedPasskey }) => ({
      body: { email: ownerEmail, password, passkey: usedPasskey },
    }),
  },
  'sessions.passkey passkey_rejected': {
    with: { body: { credential: new SoftAuthenticator('unknown').use({ challenge: 'A'.repeat(43) }) } },
  },
  'passkeys.add passkey_rejected': {
    with: {
      body: { name: 'x', credential: new SoftAuthenticator('new').make({ challenge: 'A'.repeat(43) }) },
    },
  },
  'passkeys.add too_many_passkeys': { before: ownerHasPasskeys(20) },
  'passkeys.list not_found': { with: { query: { email: 'nobody@example.com' } } },
  'passkeys.list role_required': {
    withIds: ({ developer, ownerEmail }) => ({ session: developer, query: { email: ownerEmail } }),
  },
  'passkeys.rename not_found': noSuch,
  'passkeys.rm not_found': noSuch,
  'sessions.list not_found': { with: { query: { email: 'nobody@example.com' } } },
  'sessions.list role_required': {
    withIds: ({ developer, ownerEmail }) => ({ session: developer, query: { email: ownerEmail } }),
  },
  'sessions.end not_found': noSuch,
  'sessions.end wrong_password': {
    withIds: ({ owner }) => ({ session: owner, body: { password: 'not the right one' } }),
  },
  'sessions.password wrong_password': {
    with: { body: { currentPassword: 'not the right one', newPassword: password } },
  },
  'invitations.accept link_invalid': {
    with: { body: { token: 'x'.repeat(43), name: 'Eve', password } },
  },
  'invitations.accept address_in_use': {
    before: async (control) => control.join('eve@acme.example.com', 'viewer', await control.found('Other')),
  },
  'invitations.show link_invalid': { with: { body: { token: 'x'.repeat(43) } } },
  'deviceAuth.show not_found': { with: { query: { userCode: 'BBBB-BBBB' } } },
  'deviceAuth.approve not_found': { with: { body: { userCode: 'BBBB-BBBB', approve: true } } },
  'deviceAuth.poll authorization_pending': {
    withIds: ({ waitingDeviceCode }) => ({ body: { deviceCode: waitingDeviceCode } }),
  },
  'deviceAuth.poll slow_down': {
    before: (control, { waitingDeviceCode }) =>
      control.call('POST', '/v1/device-auth/token', { body: { deviceCode: waitingDeviceCode } }),
    withIds: ({ waitingDeviceCode }) => ({ body: { deviceCode: waitingDeviceCode } }),
  },
  'deviceAuth.poll expired_token': {
    before: async (control) => {
      control.clock.nowMs += 600_000
    },
  },
  'deviceAuth.poll access_denied': {
    before: (control, { owner, waitingUserCode }) =>
      control.call('POST', '/v1/device-auth/approve', {
        session: owner,
        body: { userCode: waitingUserCode, approve: false },
      }),
    withIds: ({ waitingDeviceCode }) => ({ body: { deviceCode: waitingDeviceCode } }),
  },
  'team.invite already_member': { withIds: ({ ownerEmail }) => ({ path: { email: ownerEmail } }) },
  'team.invite mail_failed': {
    with: { path: { email: 'new@example.com' } },
    mail: {
      send: () => Promise.reject(new Error('the mail server is away')),
    },
  },
  'team.rm not_found': { with: { path: { email: 'nobody@example.com' } } },
  'team.rm last_owner': { withIds: ({ ownerEmail }) => ({ path: { email: ownerEmail } }) },
  'team.role not_found': { with: { path: { email: 'nobody@example.com' } } },
  'team.role last_owner': { withIds: ({ ownerEmail }) => ({ path: { email: ownerEmail } }) },
  'tokens.create not_found': { with: { body: { label: 'x', application: 'nothing' } } },
  'tokens.revoke not_found': noSuch,
  'bill.show not_found': { with: { query: { period: '2026-12' } } },
  'onboarding.fundAndTry onboarding_incomplete': {
    before: (control) =>
      control.database.transaction(async (tx) => {
        await tx.deleteFrom('grants').execute()
        await sql`DELETE FROM sources WHERE kind = 'pool'`.execute(tx)
      }),
  },
  'onboarding.complete onboarding_incomplete': {
    before: async (control, { keyId, portalKeyId }) => {
      for (const id of [keyId, portalKeyId]) await control.call('DELETE', `/v1/keys/${id}`)
    },
  },
  'apps.create already_exists': { with: { path: { slug: 'current' } } },
  'apps.create application_archived': { ...archived, with: { path: { slug: 'acme' } } },
  'apps.show not_found': noSuchSlug,
  'apps.export not_found': noSuchSlug,
  'apps.apply not_found': {
    with: { body: { format: 1, providers: [{ label: 'none', kind: 'simulator' }] } },
  },
  'apps.apply application_archived': archived,
  'apps.apply unknown_model_pattern': {
    with: { body: { format: 1, bundles: [{ slug: 'free', displayName: 'Free', allow: ['none/*'] }] } },
  },
  'apps.apply name_taken': {
    with: {
      body: {
        format: 1,
        routers: [
          { name: 'acme/smart', policy: 'priority', targets: [{ provider: 'main', model: 'gpt-x' }] },
        ],
      },
    },
  },
  'apps.apply model_unpriced': {
    before: async (control) => {
      await control.call('POST', '/v1/models/acme/smart/disable')
    },
    with: {
      body: {
        format: 1,
        models: [{ name: 'acme/smart', sources: [{ provider: 'main', model: 'gpt-z' }], enabled: true }],
      },
    },
  },
  // The end user `debtor` has the bundle that the document omits.
  'apps.apply in_use': { with: { query: { dryRun: 'false', prune: 'true' } } },
  'apps.rm not_found': noSuchSlug,
  'apps.use not_found': noSuchSlug,
  'apps.use application_archived': archived,
  'brand.removeLogo not_found': { before: (control) => control.call('DELETE', '/v1/brand/logo') },
  'portal.application not_found': { with: { path: { keyCode: 'nobody' } } },
  'portal.link not_found': { with: { body: { endUserId: 'nobody' } } },
  'portal.mintKey portal_keys_refused': mayNotMint,
  'portal.mintKey too_many_keys': {
    before: async (control, { portalSession: token }) => {
      for (let key = 1; key < 25; key++) await control.call('POST', '/v1/portal/keys', { token, body: {} })
    },
  },
  'portal.onDemand not_found': withoutPlan,
  'portal.redeem invalid_handoff': { with: { body: { token: 'ph_nothing' } } },
  'portal.request not_found': { with: { path: { id: 'req_00000000000000000000000000' } } },
  'portal.rotateKey not_found': noSuch,
  'portal.rotateKey portal_keys_refused': mayNotMint,
  'portal.rotateKey too_many_keys': {
    with: { body: { graceSeconds: 60 } },
    before: async (control, { portalSession: token }) => {
      for (let key = 1; key < 25; key++) await control.call('POST', '/v1/portal/keys', { token, body: {} })
    },
  },
  'portal.rotateKey key_ended': {
    before: (control, { portalKeyId, portalSession: token }) =>
      control.call('DELETE', `/v1/portal/keys/${portalKeyId}`, { token }),
  },
  'portal.revokeKey not_found': noSuch,
  'portal.revokeKey portal_keys_refused': {
    before: async (control, ids) => {
      await control.database.transaction((tx) =>
        tx.updateTable('keys').set({ actor_type: 'token' }).execute(),
      )
      await mayNotMint.before?.(control, ids)
    },
  },
  'portal.subscription not_found': withoutPlan,
  'portal.team not_found': { before: (control) => control.call('DELETE', '/v1/teams/labs') },
  'gateway.set unknown_model_pattern': { with: { body: { models: ['acme/smart', 'none/*'] } } },
  'limits.set not_found': { with: { body: { application: 'nothing' } } },
  'providers.show not_found': noSuch,
  'providers.models not_found': noSuch,
  'providers.price not_found': noSuch,
  'providers.rotate not_found': noSuch,
  'providers.rm not_found': noSuch,
  'providers.rm in_use': { with: { path: { id: 'main' } } },
  'catalog.models not_found': { with: { query: { provider: 'nobody' } } },
  'catalog.show not_found': { with: { path: { name: 'anthropic/claude-opus-5-55' } } },
  'providers.connect provider_kind_fixed': { with: { body: { kind: 'simulator' } } },
  'models.add not_found': { with: { body: { sources: [{ provider: 'nobody', model: 'x' }] } } },
  'providers.probe not_found': noSuch,
  'models.add name_taken': { with: { path: { name: 'acme/routed' } } },
  'models.show not_found': noSuchName,
  'models.enable not_found': noSuchName,
  'models.enable model_unpriced': {
    before: (control) =>
      control.call('POST', '/v1/providers/main/price', { body: { model: 'gpt-x', price: { input: '1' } } }),
  },
  'models.disable not_found': noSuchName,
  'models.rm not_found': noSuchName,
  'models.rm in_use': { before: (control) => route(control, { alias: 'acme/smart' }) },
  'routers.add name_taken': { with: { path: { name: 'acme/smart' } } },
  'routers.add not_found': { with: { body: { policy: 'priority', targets: [{ alias: 'acme/nothing' }] } } },
  'routers.show not_found': noSuchName,
  'routers.plan not_found': noSuchName,
  'routers.plan bundle_required': {
    before: (control) =>
      control.database.transaction((tx) =>
        tx.updateTable('applications').set({ default_bundle_id: null }).execute(),
      ),
  },
  'routers.rm not_found': noSuchName,
  'routers.rm in_use': { before: (control) => route(control, { router: 'acme/routed' }) },
  'bundles.create in_use': {
    before: countsCredits,
    with: { path: { slug: 'free' }, body: { displayName: 'Free', creditCurrency: null } },
  },
  'bundles.show not_found': noSuchSlug,
  'bundles.edit not_found': noSuchSlug,
  'bundles.edit in_use': { before: countsCredits, with: { body: { creditCurrency: null } } },
  'bundles.allow not_found': noSuchSlug,
  'bundles.allow unknown_model_pattern': { with: { body: { models: ['acme/smart', 'acme/none*'] } } },
  'bundles.deny not_found': noSuchSlug,
  'bundles.deny unknown_model_pattern': { with: { body: { models: ['none'] } } },
  'bundles.default not_found': noSuchSlug,
  'bundles.price not_found': { with: { body: { model: 'acme/none', price: { input: '1', output: '1' } } } },
  'bundles.include not_found': {
    with: { body: { slug: 'a', displayName: 'A', unit: 'micros', amount: '1', spilloverTo: 'none' } },
  },
  'bundles.include unknown_model_pattern': {
    with: { body: { slug: 'a', displayName: 'A', unit: 'micros', amount: '1', models: ['none/*'] } },
  },
  'bundles.rm not_found': noSuchSlug,
  'bundles.rm in_use': { with: { path: { slug: 'free' } } },
  'users.create not_found': { with: { body: { bundle: 'nothing' } } },
  'users.create bundle_required': noDefault,
  'users.create already_exists': { before: ownIdTaken, with: { path: { externalId: 'eu_known' } } },
  'users.list not_found': { with: { query: { bundle: 'nothing' } } },
  'users.show not_found': noSuchPerson,
  'users.freeze not_found': noSuchPerson,
  'users.topUp not_found': noSuchPerson,
  'users.topUp balance_too_large': richUser,
  'users.topUp payment_reference_used': {
    before: (control) =>
      control.call('POST', '/v1/end-users/user-1/top-up', {
        body: { amountUnits: '1', paymentReference: 'paid-once' },
      }),
    with: { body: { amountUnits: '2', paymentReference: 'paid-once' } },
  },
  'users.adjust not_found': noSuchPerson,
  'users.adjust balance_too_large': { ...richUser, with: { body: { amountUnits: '1', reason: 'x' } } },
  'users.adjust adjustment_too_large': {
    with: { body: { amountUnits: '-1000000000000000', reason: 'all' } },
  },
  'users.unfreeze not_found': noSuchPerson,
  'users.rm not_found': noSuchPerson,
  'users.ledger not_found': noSuchPerson,
  'users.limit not_found': noSuchPerson,
  'users.limits not_found': noSuchPerson,
  'users.subscribe not_found': { with: { body: { bundle: 'nothing' } } },
  'subscription.cancel not_found': noSuchPerson,
  'subscription.cancel subscription_ended': endedNow,
  'subscription.resume not_found': noSuchPerson,
  'subscription.resume subscription_ended': { ...endedNow, with: { path: { externalId: 'user-1' } } },
  'subscription.show not_found': { with: { query: { endUserId: 'nobody' } } },
  'subscription.onDemand not_found': { with: { body: { endUserId: 'nobody', enabled: true } } },
  'keys.mint not_found': { with: { body: { endUserId: 'user-1', bundle: 'nothing' } } },
  'keys.mint bundle_required': { ...noDefault, with: { body: { endUserId: 'new' } } },
  'keys.mint already_exists': { before: ownIdTaken, with: { body: { endUserId: 'eu_known' } } },
  'keys.list not_found': { with: { query: { endUserId: 'nobody' } } },
  'keys.show not_found': noSuch,
  'keys.show ambiguous_key': secondKey,
  'keys.cap not_found': noSuch,
  'keys.cap ambiguous_key': secondKey,
  'keys.rotate not_found': noSuch,
  'keys.rotate ambiguous_key': secondKey,
  'keys.rotate key_ended': {
    before: (control, { keyId }) => control.call('DELETE', `/v1/keys/${keyId}`),
  },
  'keys.revoke not_found': noSuch,
  'keys.revoke ambiguous_key': secondKey,
  'grants.issue not_found': {
    with: { body: { endUsers: ['user-1', 'nobody'], amountUnits: '1', reason: 'x' } },
  },
  'grants.issue balance_too_large': {
    ...richUser,
    with: { body: { endUsers: ['user-1'], amountUnits: '1', reason: 'x' } },
  },
  'grants.issue idempotency_mismatch': {
    before: (control) =>
      control.call('POST', '/v1/grants', {
        body: { endUsers: ['user-1'], amountUnits: '1', reason: 'x', idempotencyKey: 'k' },
      }),
    with: { body: { endUsers: ['user-1'], amountUnits: '2', reason: 'x', idempotencyKey: 'k' } },
  },
  'grants.reverse not_found': noSuch,
  'grants.reverse grant_running': {
    before: (control) =>
      control.database.transaction((tx) =>
        tx.updateTable('grants').set({ pending: '[]', done: 0 }).execute(),
      ),
  },
  'grants.show not_found': noSuch,
  'invoices.list not_found': { with: { query: { endUserId: 'nobody' } } },
  'invoices.show not_found': noSuch,
  'invoices.pay not_found': noSuch,
  'invoices.pay invoice_void': {
    before: (control, { invoiceId }) => control.call('POST', `/v1/invoices/${invoiceId}/void`),
  },
  'invoices.void not_found': noSuch,
  'invoices.void invoice_paid': {
    before: (control, { invoiceId }) => control.call('POST', `/v1/invoices/${invoiceId}/pay`),
  },
  'usage not_found': { with: { query: { endUserId: 'nobody' } } },
  'emitters.add unknown_event': {
    with: {
      body: {
        kind: 'vendor_a',
        apiToken: 'metronome-token-0001',
        eventType: 'llm_call',
        events: ['usage.recorded', 'usage.deleted'],
      },
    },
  },
  'emitters.show not_found': noSuch,
  'emitters.update not_found': noSuch,
  'emitters.rotateSecret not_found': noSuch,
  'emitters.update unknown_event': { with: { body: { events: ['usage.recorded', 'usage.deleted'] } } },
  'emitters.rm not_found': noSuch,
  'emitters.test not_found': noSuch,
  'emitters.deliveries not_found': noSuch,
  'emitters.replay not_found': noSuch,
  'emitters.replay replay_running': {
    before: (control, { emitterId }) =>
      control.call('POST', `/v1/emitters/${emitterId}/replay`, {
        body: { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' },
      }),
  },
  'teams.add not_found': { with: { path: { slug: 'new' }, body: { displayName: 'New', payer: 'nobody' } } },
  'teams.add in_use': { with: { path: { slug: 'new' }, body: { displayName: 'New', payer: 'debtor' } } },
  'teams.addMember not_found': { with: { path: { slug: 'labs', externalId: 'nobody' } } },
  'teams.addMember in_use': { with: { path: { slug: 'labs', externalId: 'user-1' } } },
  'teams.members not_found': noSuchSlug,
  'teams.removeMember not_found': { with: { path: { slug: 'labs', externalId: 'user-1' } } },
  'teams.rm not_found': noSuchSlug,
  'teams.show not_found': noSuchSlug,
  'outcomes.show not_found': noSuchSlug,
  'outcomes.runs not_found': noSuchSlug,
  'outcomes.rm not_found': noSuchSlug,
  'outcomes.finish not_found': { with: { path: { slug: 'report', id: 'no-run' } } },
  'outcomes.finish outcome_finished': {
    before: (control) =>
      control.call('POST', '/v1/outcomes/report/runs/run-1/finish', { body: { status: 'failed' } }),
  },
  'usage.export not_found': { with: { query: { endUserId: 'nobody' } } },
  'usage.series not_found': { with: { query: { bucket: 'day', endUserId: 'nobody' } } },
  'requests.list not_found': { with: { query: { endUserId: 'nobody' } } },
  'requests.tail not_found': { with: { query: { endUserId: 'nobody' } } },
  'requests.tail too_many_readers': {
    before: async (control) => {
      for (let n = 0; n < 3; n++) await control.stream('/v1/requests/tail')
    },
  },
  'emitters.delivery not_found': {
    with: { path: { id: 'emt_1', batchId: 'usgb_00000000000000000000000000' } },
  },
  'emitters.listen too_many_readers': {
    before: async (control) => {
      for (let n = 0; n < 3; n++) await control.stream('/v1/requests/tail')
    },
  },
  'requests.refund not_found': { with: { path: { id: 'req_00000000000000000000000000' } } },
  'requests.refund refund_too_large': { with: { body: { amountUnits: '1000000000', reason: 'all' } } },
  'requests.explain not_found': { with: { path: { id: 'req_00000000000000000000000000' } } },
}

describe('a declared error', () => {
  /** A rejection changes nothing, so the tests of all errors that need no preparation share one server. */
  let untouched: FilledControl
  beforeAll(async () => {
    untouched = await openFilled()
  })
  afterAll(() => untouched.control.close())

  for (const [name, provocation] of Object.entries(provocations)) {
    it(`${name} is returned, and nothing changes`, async () => {
      const [id = '', code] = name.split(' ')
      const operation = operationOf(id)
      const { control, ids } = provocation.before ? await openFilled() : untouched
      await provocation.before?.(control, ids)
      control.outgoing.mail = provocation.mail ?? null
      const before = await control.dump()
      const answer = await send(
        control,
        operation,
        { ...sampleOf(operation, ids), ...provocation.with, ...provocation.withIds?.(ids) },
        { app: 'acme' },
      )
      expect(answer.body.error?.code, answer.text).toBe(code)
      expect(await control.dump()).toBe(before)
      if (provocation.before) await control.close()
    })
  }

  it('every declared error is returned by some request', () => {
    const declared = operations.flatMap(({ errors, id }) => errors.map((code) => `${id} ${code}`))
    expect(Object.keys(provocations).toSorted()).toEqual(declared.toSorted())
  })
})
