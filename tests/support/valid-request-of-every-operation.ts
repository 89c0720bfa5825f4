/**
 * Defines a request for each operation. Each request is valid for the data of `ready` and `filled`, and has an effect.
 * Tests that are generated from the table of operations start with these requests and break one part at a time.
 */
import { bundleIdIn } from '#domain/billing/subscription-records.ts'
import assert from 'node:assert/strict'
import type { Role } from '#domain/people/team-roles.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { NewCredential, Passkey, UsedCredential } from '#domain/people/passkeys.ts'
import type { Member } from '#domain/people/member-records.ts'
import { randomText } from '#domain/secrets/random-link-and-cookie-secrets.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { makeUserCode } from '#domain/people/device-sign-in-code.ts'
import { sessionCookieName } from '#http/authenticate-caller.ts'
import { csrfTokenOf } from '#http/session-cookie-and-csrf.ts'
import type { Mode } from '#domain/billing/money-account-key.ts'
import type { ReserveResult } from '#domain/ledger-interface.ts'
import { timeIn } from '#domain/test-clock.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import type { Target } from '#domain/ledger-interface.ts'
import type { Quote } from '#money/decision-types.ts'
import { zeroUsage, type Usage } from '#money/usage-counts.ts'
import { SoftAuthenticator } from './passkey-authenticator.ts'
import {
  openControl,
  password,
  quickPasswords,
  ready,
  type CallOptions,
  type Control,
  type ControlOptions,
  type ControlState,
  type Session,
} from './control-plane-without-socket.ts'

export interface Sample {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
  /** Replaces the token, for operations that only people may call. */
  readonly session?: Session
  readonly token?: string
  readonly file?: { readonly type: string; readonly bytes: Uint8Array }
}

export interface Filled {
  readonly tokenId: string
  readonly keyId: string
  readonly grantId: string
  /** An open invoice of `debtor`, whose subscription is canceled. */
  readonly invoiceId: string
  /** A webhook emitter that was tested once. */
  readonly emitterId: string
  readonly batchId: string
  readonly callId: string
  readonly openCallId: string
  /** The owner's password is `password`. */
  readonly owner: Session
  readonly ownerEmail: string
  readonly otherSessionId: string
  readonly developer: Session
  readonly developerEmail: string
  readonly inviteToken: string
  /** The sign-in of this device is approved. */
  readonly approvedDeviceCode: string
  /** This device waits for approval. */
  readonly waitingUserCode: string
  readonly waitingDeviceCode: string
  readonly passkeyId: string
  readonly usedPasskey: UsedCredential
  readonly newPasskey: NewCredential
  /** The `<code>` in the secrets of the application's keys. */
  readonly keyCode: string
  /** For `user-1`. */
  readonly portalSession: string
  readonly portalKeyId: string
  /** The link was not redeemed. */
  readonly handoff: string
}

/** An operation without a credential and without input cannot reject one. */
export function canBeRefused({ input: { body, path, query }, scope }: Operation): boolean {
  return scope !== 'public' || body !== null || Object.keys({ ...path.shape, ...query.shape }).length > 0
}

export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

/** End users can create keys in the portal, without a total limit. */
export const portalKeysAllowed = { endUsersMayMintKeys: true, keyCapsTotalMicros: null }

export async function filled(control: Control, slug = 'acme', token?: string): Promise<Filled> {
  await ready(control, slug, token)
  const options = { app: slug, ...(token !== undefined && { token }) }
  const key = await control.call('POST', '/v1/keys', { ...options, body: { endUserId: 'user-1' } })
  const made = await control.call('POST', '/v1/application-keys', { ...options, body: { label: 'second' } })
  const steps: readonly (readonly [string, string, unknown])[] = [
    ['PUT', '/v1/outcomes/report', { displayName: 'Report', ceilingMicros: '5000000' }],
    ['PUT', '/v1/bundles/spare', { displayName: 'Spare' }],
    [
      'PUT',
      '/v1/routers/acme/routed',
      { policy: 'priority', targets: [{ provider: 'main', model: 'gpt-x' }] },
    ],
    ['PUT', '/v1/bundles/pro', { displayName: 'Pro', priceMicros: '20000000' }],
    [
      'POST',
      '/v1/bundles/pro/include',
      { slug: 'base', displayName: 'Base', unit: 'micros', amount: '1000000' },
    ],
    ['PUT', '/v1/end-users/debtor', { bundle: 'pro' }],
    ['POST', '/v1/end-users/debtor/subscription/cancel', { atPeriodEnd: true }],
    ['PUT', '/v1/teams/labs', { displayName: 'Labs', payer: 'user-1' }],
    ['PUT', '/v1/teams/labs/members/debtor', { capMicros: '5000000' }],
    ['POST', '/v1/grants', { endUsers: ['user-1'], amountUnits: '1000000', reason: 'welcome' }],
    ['PATCH', '/v1/portal-settings', portalKeysAllowed],
  ]
  for (const [method, path, body] of steps) {
    const answer = await control.call(method, path, { ...options, body })
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
  }
  const who = await control.call('GET', '/v1/whoami', options)
  const organizationId: string = who.body.organization.id
  const webhook = { kind: 'webhook', url: 'https://hooks.example.com/usage' }
  const emitter = await control.call('POST', '/v1/emitters', { ...options, body: webhook })
  assert.equal(emitter.status, 200, emitter.text)
  const callId = await reserveCall(control, slug, key.body.id)
  await settleCall(control, slug, callId)
  const openCallId = await reserveCall(control, slug, key.body.id)
  const grants = await control.call('GET', '/v1/grants', options)
  const invoices = await control.call('GET', '/v1/invoices', options)
  const file = { type: 'image/png', bytes: png }
  const logo = await control.call('POST', '/v1/brand/logo', { ...options, file })
  assert.equal(logo.status, 200, logo.text)
  const application = await control.store.read.applications.bySlug(slug)
  const portalSession = await signIn(control, 'user-1', options)
  const own = await control.call('POST', '/v1/portal/keys', { token: portalSession, body: {} })
  const handoff = await handOff(control, 'user-1', options)
  const members = await team(control, slug, organizationId)
  const tested = await control.call('POST', `/v1/emitters/${emitter.body.id}/test`, options)
  assert.equal(tested.status, 200, tested.text)
  return {
    tokenId: made.body.id,
    keyId: key.body.id,
    grantId: grants.body.data[0].id,
    invoiceId: invoices.body.data[0].id,
    emitterId: emitter.body.id,
    callId,
    openCallId,
    keyCode: application?.code ?? '',
    portalSession,
    portalKeyId: own.body.id,
    handoff,
    batchId: tested.body.batchId,
    ...members,
  }
}

export interface FilledControl {
  readonly control: Control
  readonly ids: Filled
}

let first: Promise<{ readonly state: ControlState; readonly ids: Filled }> | null = null

/**
 * The requests that create the data would take most of a test's time. Each process sends them once, and each control
 * plane on SQLite gets a copy of the data.
 */
export async function openFilled(options: ControlOptions = {}): Promise<FilledControl> {
  if (options.engine === 'PostgreSQL') {
    const control = await openControl({ ...options, isRepeatable: true })
    return { control, ids: await filled(control) }
  }
  first ??= (async () => {
    const control = await openControl({ isRepeatable: true })
    const ids = await filled(control)
    return { ids, state: await control.closeToCopy() }
  })()
  const { ids, state } = await first
  return { control: await openControl({ ...options, from: state }), ids }
}

/** The hash is computed once for all tests. */
const passwordHash = quickPasswords(() => 0).hash(password, { address: '', proof: null })

type Team = Pick<
  Filled,
  | 'owner'
  | 'ownerEmail'
  | 'developer'
  | 'otherSessionId'
  | 'developerEmail'
  | 'inviteToken'
  | 'approvedDeviceCode'
  | 'waitingUserCode'
  | 'waitingDeviceCode'
  | 'passkeyId'
  | 'usedPasskey'
  | 'newPasskey'
>

/**
 * Writes all rows in one transaction. The operations that create these rows have their own tests
 * (tests/control-plane/team-invitations-and-roles.test.ts).
 */
async function team(control: Control, slug: string, organizationId: string): Promise<Team> {
  const { nowMs } = control.clock
  const { newId } = control
  const secrets = Array.from({ length: 6 }, () => randomText(control))
  const [
    cookie = '',
    otherCookie = '',
    developerCookie = '',
    inviteToken = '',
    approvedDeviceCode = '',
    waitingDeviceCode = '',
  ] = secrets
  const [userCode, waitingUserCode] = [1, 2].map(() => makeUserCode(control))
  const person = (name: string, role: Role): Member => ({
    id: idOf('mem', newId()),
    organizationId,
    email: `${name}@${slug}.example.com`,
    name,
    role,
    passwordHash: null,
    oidcIssuer: null,
    oidcSubject: null,
    createdAtMs: nowMs,
    joinedAtMs: nowMs,
    removedAtMs: null,
    inviteExpiresAtMs: null,
  })
  const owner = { ...person('ada', 'owner'), passwordHash: await passwordHash }
  const developer = person('bob', 'developer')
  const invited = { ...person('eve', 'viewer'), joinedAtMs: null, inviteExpiresAtMs: nowMs + 1_000_000 }
  const [id = '', otherId = '', developerId = ''] = [1, 2, 3].map(() => idOf('ses', newId()))
  const place = { organizationId, memberId: owner.id, address: '', userAgent: '', activeApplicationId: null }
  const session = { ...place, createdAtMs: nowMs, lastUsedAtMs: nowMs }
  const device = {
    clientName: 'laptop',
    askedRole: null,
    address: '',
    userAgent: '',
    createdAtMs: nowMs,
    expiresAtMs: nowMs + 600_000,
  }
  const undecided = { decision: null, organizationId: null, memberId: null, role: null }
  const approved = { decision: 'approved', organizationId, memberId: owner.id, role: 'admin' } as const
  const authenticator = new SoftAuthenticator(`bob of ${slug}`)
  const [signInChallenge, ownChallenge] = ['sign-in', 'registration'].map((use) =>
    sha256(`${use} of ${slug}`),
  )
  const usedPasskey = authenticator.use({ challenge: signInChallenge ?? '' })
  const newPasskey = new SoftAuthenticator(`ada of ${slug}`).make({ challenge: ownChallenge ?? '' })
  const passkey = passkeyOf(developer, `bob of ${slug}`, control)
  await control.store.transaction(async ({ deviceSignIns, memberSessions, members, passkeys }) => {
    await members.insert(owner, null)
    await members.insert(developer, null)
    await members.insert(invited, sha256(inviteToken))
    await passkeys.insert(passkey)
    for (const [challenge, memberId] of [
      [signInChallenge, null],
      [ownChallenge, owner.id],
    ] as const) {
      const hash = sha256(challenge ?? '')
      const kept = { hash, memberId, network: slug, expiresAtMs: nowMs + 300_000 }
      // oxlint-disable-next-line no-await-in-loop -- in one transaction
      await passkeys.putChallenge(kept, nowMs)
    }
    await memberSessions.insert({ id, ...session }, sha256(cookie))
    await memberSessions.insert({ id: otherId, ...session }, sha256(otherCookie))
    await memberSessions.insert(
      { ...session, id: developerId, memberId: developer.id },
      sha256(developerCookie),
    )
    await deviceSignIns.insert(
      { id: idOf('dev', newId()), ...device, ...approved },
      { device: sha256(approvedDeviceCode), user: sha256(userCode ?? '') },
    )
    await deviceSignIns.insert(
      { id: idOf('dev', newId()), ...device, ...undecided },
      { device: sha256(waitingDeviceCode), user: sha256(waitingUserCode ?? '') },
    )
  })
  return {
    owner: sessionWith(id, cookie),
    developer: sessionWith(developerId, developerCookie),
    ownerEmail: owner.email,
    otherSessionId: otherId,
    developerEmail: developer.email,
    inviteToken,
    approvedDeviceCode,
    waitingUserCode: waitingUserCode ?? '',
    waitingDeviceCode,
    passkeyId: passkey.id,
    usedPasskey,
    newPasskey,
  }
}

export async function handOff(
  control: Control,
  endUserId: string,
  options: Parameters<Control['call']>[2] = {},
): Promise<string> {
  const link = await control.call('POST', '/v1/portal-sessions', { ...options, body: { endUserId } })
  assert.equal(link.status, 200, link.text)
  return new URL(link.body.url).hash.replace('#handoff=', '')
}

export async function signIn(
  control: Control,
  endUserId: string,
  options: Parameters<Control['call']>[2] = {},
): Promise<string> {
  const body = { token: await handOff(control, endUserId, options) }
  const session = await control.call('POST', '/v1/portal-sessions/redeem', { token: null, body })
  assert.equal(session.status, 200, session.text)
  return session.body.sessionToken
}

function sessionWith(id: string, secret: string): Session {
  return { id, cookie: `${sessionCookieName}=${secret}`, csrfToken: csrfTokenOf(secret) }
}

export function passkeyOf({ id, organizationId }: Member, name: string, control: Control): Passkey {
  const { id: credentialId, publicKey } = new SoftAuthenticator(name)
  return {
    id: idOf('psk', control.newId()),
    organizationId,
    memberId: id,
    name,
    credentialId,
    publicKey,
    counter: 0,
    createdAtMs: control.clock.nowMs,
    lastUsedAtMs: null,
  }
}

/** Credits the end user of the application `acme` up to the balance. */
export async function fillBalance(control: Control, externalId: string, micros: bigint): Promise<void> {
  const application = await control.store.read.applications.bySlug('acme')
  const endUser = await control.store.read.endUsers.byExternalId(application?.id ?? '', externalId)
  assert(application && endUser)
  const { body } = await control.call('GET', `/v1/end-users/${externalId}`)
  const grantId = `gr_${control.newId()}`
  await control.ledger.credit({
    grantId,
    applicationId: application.id,
    mode: 'live',
    nowMs: control.clock.nowMs,
    kind: 'grant',
    amountMicros: micros - BigInt(body.balance.balanceUnits),
    endUserIds: [endUser.id],
    reason: 'test',
    idempotencyKey: null,
    requestHash: grantId,
  })
}

/**
 * Leaves a call of `user-1` in flight, in a run of `report`.
 * @returns its ID
 */
export async function reserveCall(
  control: Control,
  slug: string,
  keyId: string,
  outcome: { slug: string; runId: string; ceilingMicros: bigint } | null = {
    slug: 'report',
    runId: 'run-1',
    ceilingMicros: 5_000_000n,
  },
  terms: Partial<Omit<Quote, 'credits'> & { readonly target: Target }> = {},
): Promise<string> {
  const application = await control.store.read.applications.bySlug(slug)
  const key = await control.store.read.keys.byId(application?.id ?? '', keyId)
  const person = await control.store.read.endUsers.byId(application?.id ?? '', key?.endUserId ?? '')
  assert(application && key && person)
  const bundleId = bundleIdIn(person, await control.store.read.subscriptions.of(person.id, key.mode))
  assert(bundleId)
  const main = await control.store.read.providers.byLabel(application.organizationId, 'main')
  const price = { input: 1_000_000n, output: 4_000_000n }
  const callId = control.newId()
  const reserved = await control.ledger.reserve({
    callId,
    applicationId: application.id,
    configVersion: application.configVersion,
    keyId,
    endUserId: key.endUserId,
    bundleId,
    mode: key.mode,
    nowMs: timeIn(key.mode, application, control.clock.nowMs),
    quote: {
      id: terms.id ?? 'quote-1',
      cost: terms.cost ?? price,
      sell: terms.sell ?? price,
      basis: terms.basis ?? 'provider_cost',
      credits: null,
      policy: terms.policy ?? 'hard_token',
      maxOverdraftMicros: terms.maxOverdraftMicros ?? 0n,
    },
    bound: {
      alias: 'acme/smart',
      textTokens: 100,
      audioTokens: 0,
      imageTokens: 0,
      outputTokens: 200,
      choices: 1,
      serviceTier: null,
      canReport: { cacheWrite: true, cacheWriteLong: true, audioOutput: true, imageOutput: true },
    },
    outcome,
    target: terms.target ?? { accountId: main?.id ?? '', provider: 'openai_compatible', model: 'gpt-x' },
    inputEstimate: 80,
  })
  if (reserved.kind !== 'reserved') throw new NotReserved(reserved)
  return callId
}

/** Thrown if the server rejects the call. */
export class NotReserved extends Error {
  readonly result: Exclude<ReserveResult, { kind: 'reserved' }>

  constructor(result: Exclude<ReserveResult, { kind: 'reserved' }>) {
    super(result.kind === 'refused' ? `a call is refused: ${result.code}` : 'a call is stale')
    this.result = result
  }
}

/** The call has 50 input tokens, 100 output tokens, and a charge of 450 micros. */
export async function settleCall(
  control: Control,
  slug: string,
  callId: string,
  traced: { readonly route?: object; readonly [section: string]: unknown } = {},
  mode: Mode = 'live',
  used: Partial<Usage> = {},
): Promise<void> {
  const application = await control.store.read.applications.bySlug(slug)
  assert(application)
  const story = await control.store.read.requests.story(application.id, mode, callId)
  assert(story)
  const nowMs = timeIn(mode, application, control.clock.nowMs)
  await control.ledger.settle({
    callId,
    nowMs,
    usage: { ...zeroUsage, input: 50, output: 100, ...used },
    tokenSource: 'provider_reported',
    ...('answeredBy' in (traced.route ?? {}) && { isDisputed: true }),
    record: {
      callId,
      applicationId: application.id,
      mode: story.call.mode,
      endUserId: story.call.endUserId,
      keyId: story.call.keyId,
      alias: 'acme/smart',
      tags: null,
      target: { accountId: 'pa_1', provider: 'openai_compatible', model: 'gpt-x' },
      wire: 'chat',
      streamed: false,
      status: 'settled',
      httpStatus: 200,
      errorCode: null,
      atMs: nowMs,
      latencyMs: 120,
      firstByteMs: 40,
      trace: JSON.stringify({
        auth: { keyId: story.call.keyId },
        attempts: [{ status: 200 }],
        stream: { end: 'done' },
        ...traced,
      }),
    },
  })
}

export function sampleOf({ id, isForPeople, scope }: Operation, filledIds: Filled): Sample {
  const {
    callId,
    batchId,
    emitterId,
    grantId,
    handoff,
    invoiceId,
    keyCode,
    keyId,
    portalKeyId,
    portalSession,
    tokenId,
  } = filledIds
  const price = { input: '1', output: '2' }
  const samples: Readonly<Record<string, Sample>> = {
    'auth.whoami': {},
    'auth.token': {},
    'sessions.create': { body: { email: filledIds.ownerEmail, password } },
    'sessions.passkey': { body: { credential: filledIds.usedPasskey } },
    'sessions.passkeyChallenge': { body: { email: filledIds.ownerEmail } },
    'sessions.policy': {},
    'sessions.setPolicy': { body: { passkeyRequired: true } },
    'passkeys.add': { body: { name: 'Laptop', credential: filledIds.newPasskey } },
    'passkeys.list': { query: { email: filledIds.developerEmail } },
    'passkeys.rename': { path: { id: filledIds.passkeyId }, body: { name: 'Tablet' } },
    'passkeys.rm': { path: { id: filledIds.passkeyId } },
    'passkeys.start': {},
    'sessions.list': {},
    'sessions.options': {},
    'sessions.current': {},
    'sessions.end': { path: { id: filledIds.otherSessionId }, body: { password } },
    'sessions.endCurrent': {},
    'sessions.password': { body: { currentPassword: password, newPassword: `new ${password}` } },
    'invitations.accept': { body: { token: filledIds.inviteToken, name: 'Eve', password } },
    'invitations.show': { body: { token: filledIds.inviteToken } },
    'deviceAuth.start': { body: { clientName: 'laptop' } },
    'deviceAuth.poll': { body: { deviceCode: filledIds.approvedDeviceCode } },
    'deviceAuth.show': { query: { userCode: filledIds.waitingUserCode } },
    'deviceAuth.approve': { body: { userCode: filledIds.waitingUserCode, approve: true } },
    'team.invite': { path: { email: 'new@example.com' }, body: { role: 'viewer' } },
    'team.list': {},
    'team.rm': { path: { email: filledIds.developerEmail } },
    'team.role': { path: { email: filledIds.developerEmail }, body: { role: 'viewer' } },
    'tokens.create': { body: { label: 'third' } },
    'tokens.list': {},
    'tokens.revoke': { path: { id: tokenId } },
    'customer.show': {},
    'bill.show': { query: { period: '2026-11' } },
    'bill.tiers': {},
    'bill.subscribe': { body: { tier: 'team' } },
    'onboarding.status': {},
    'onboarding.fundAndTry': {},
    'onboarding.complete': {},
    'apps.create': { path: { slug: 'other' }, body: { name: 'Other' } },
    'apps.list': {},
    'apps.show': { path: { slug: 'acme' } },
    'apps.use': { path: { slug: 'acme' } },
    'apps.current': {},
    'gateway.show': {},
    'gateway.set': { body: { wires: ['chat', 'messages'], defaultMaxTokens: 4096 } },
    'tags.list': {},
    'tags.set': {
      body: {
        tags: [
          { slug: 'search' },
          { slug: 'batch', limits: [{ measure: 'micros', window: 'month', most: '500000000' }] },
        ],
      },
    },
    'limits.show': {},
    'limits.set': { body: { callsPerDay: 1000, spendPerDayMicros: '50000000' } },
    'apps.export': { path: { slug: 'acme' } },
    'apps.apply': {
      path: { slug: 'acme' },
      query: { dryRun: 'false', prune: 'false' },
      body: {
        format: 1,
        application: { name: 'Acme' },
        gateway: { wires: ['chat'] },
        providers: [{ label: 'main', kind: 'openai_compatible' }],
        models: [{ name: 'acme/smart', sources: [{ provider: 'main', model: 'gpt-y' }] }],
        bundles: [
          {
            slug: 'free',
            displayName: 'Free',
            allow: ['acme/*'],
            prices: [{ model: 'acme/smart', price }],
            includes: [{ slug: 'base', displayName: 'Base', unit: 'credits', amount: '5' }],
          },
        ],
        outcomes: [{ slug: 'report', displayName: 'Report', ceilingMicros: '1000000' }],
      },
    },
    'apps.rm': { path: { slug: 'acme' } },
    'providers.connect': {
      path: { label: 'main' },
      body: {
        kind: 'openai_compatible',
        baseUrl: 'https://other.example.com/v1',
        apiKey: 'sk-upstream-0002',
      },
    },
    'providers.list': {},
    'providers.show': { path: { id: 'main' } },
    'providers.models': { path: { id: 'main' } },
    'catalog.providers': {},
    'catalog.models': { query: { provider: 'anthropic' } },
    'catalog.show': { path: { name: 'anthropic/claude-opus-5-5' } },
    'providers.price': { path: { id: 'main' }, body: { model: 'gpt-y', price } },
    'providers.probe': { path: { id: 'main' }, body: { model: 'gpt-x' } },
    'providers.rotate': { path: { id: 'main' }, body: { apiKey: 'sk-upstream-0003' } },
    'providers.rm': { path: { id: 'spare' } },
    'models.add': { path: { name: 'acme/fast' }, body: { sources: [{ provider: 'main', model: 'gpt-y' }] } },
    'models.list': {},
    'models.show': { path: { name: 'acme/smart' } },
    'models.enable': { path: { name: 'acme/smart' } },
    'models.disable': { path: { name: 'acme/smart' } },
    'models.rm': { path: { name: 'acme/smart' } },
    'routers.add': {
      path: { name: 'acme/best' },
      body: {
        policy: 'weighted',
        targets: [
          { alias: 'acme/smart', weight: 3, when: { features: ['tools'], inputTokensMax: 100_000 } },
          { provider: 'main', model: 'gpt-y', maxInFlight: 20, timeouts: { firstByteMs: 10_000 } },
        ],
        attempts: { withinMs: 30_000, attemptsMax: 3, alsoMovesOn: [451] },
      },
    },
    'routers.list': {},
    'routers.show': { path: { name: 'acme/routed' } },
    'routers.plan': {
      path: { name: 'acme/smart' },
      body: { request: { messages: [{ role: 'user', content: 'Hello' }] } },
    },
    'routers.rm': { path: { name: 'acme/routed' } },
    'bundles.create': { path: { slug: 'team' }, body: { displayName: 'Team' } },
    'bundles.list': {},
    'bundles.show': { path: { slug: 'free' } },
    'bundles.edit': { path: { slug: 'free' }, body: { spendLimitMicros: '5000000' } },
    'bundles.allow': { path: { slug: 'pro' }, body: { models: ['acme/*'] } },
    'bundles.deny': { path: { slug: 'free' }, body: { models: ['acme/smart'] } },
    'bundles.default': { path: { slug: 'pro' } },
    'bundles.price': { path: { slug: 'free' }, body: { model: 'acme/smart', price } },
    'bundles.rm': { path: { slug: 'spare' } },
    'bundles.include': {
      path: { slug: 'free' },
      body: { slug: 'extra', displayName: 'Extra', unit: 'credits', amount: '1000000' },
    },
    'users.create': { path: { externalId: 'user-2' }, body: { email: 'two@example.com' } },
    'users.list': {},
    'users.show': { path: { externalId: 'user-1' } },
    'users.topUp': {
      path: { externalId: 'user-1' },
      body: { amountUnits: '5000000', paymentReference: 'pi_3PqR', reason: 'top-up of November' },
    },
    'users.adjust': {
      path: { externalId: 'user-1' },
      body: { amountUnits: '-500', reason: 'credited to the wrong account' },
    },
    'users.freeze': { path: { externalId: 'user-1' } },
    'users.unfreeze': { path: { externalId: 'user-1' } },
    'users.rm': { path: { externalId: 'user-1' } },
    'users.ledger': { path: { externalId: 'user-1' } },
    'users.limit': {
      path: { externalId: 'user-1' },
      body: { limits: [{ measure: 'micros', window: 'month', most: '20000000' }] },
    },
    'users.limits': { path: { externalId: 'user-1' } },
    'users.subscribe': { path: { externalId: 'user-1' }, body: { bundle: 'pro' } },
    'subscription.show': { query: { endUserId: 'user-1' } },
    'subscription.cancel': { path: { externalId: 'user-1' }, body: { atPeriodEnd: true } },
    'subscription.resume': { path: { externalId: 'debtor' } },
    'subscription.onDemand': { body: { endUserId: 'user-1', enabled: true, limitMicros: '5000000' } },
    'keys.mint': { body: { endUserId: 'user-1' } },
    'keys.list': {},
    'keys.show': { path: { id: keyId } },
    'keys.cap': { path: { id: keyId }, body: { capMicros: '1000000' } },
    'keys.rotate': { path: { id: keyId }, body: { graceSeconds: 3_600 } },
    'keys.revoke': { path: { id: keyId } },
    'grants.issue': { body: { endUsers: ['user-1'], amountUnits: '1000', reason: 'thanks' } },
    'grants.list': {},
    'grants.reverse': { path: { id: grantId }, body: { reason: 'issued by mistake' } },
    'grants.show': { path: { id: grantId } },
    'invoices.list': { query: { endUserId: 'debtor' } },
    'invoices.show': { path: { id: invoiceId } },
    'invoices.pay': { path: { id: invoiceId } },
    'invoices.void': { path: { id: invoiceId } },
    'testClock.show': {},
    'testClock.advance': { body: { to: '2027-02-01T00:00:00Z' } },
    usage: { query: { endUserId: 'user-1' } },
    'emitters.add': {
      body: { kind: 'vendor_a', apiToken: 'metronome-token-0001', eventType: 'llm_call' },
    },
    'emitters.list': {},
    'emitters.show': { path: { id: emitterId } },
    'emitters.update': { path: { id: emitterId }, body: { name: 'Billing', enabled: false } },
    'emitters.rotateSecret': { path: { id: emitterId }, body: { graceSeconds: 3_600 } },
    'emitters.rm': { path: { id: emitterId } },
    'emitters.test': { path: { id: emitterId } },
    'emitters.deliveries': { path: { id: emitterId } },
    'emitters.delivery': { path: { id: emitterId, batchId } },
    'emitters.listen': {},
    'emitters.sample': {},
    'emitters.replay': {
      path: { id: emitterId },
      body: { from: '2026-11-19T00:00:00Z', to: '2026-11-20T00:00:00Z' },
    },
    'usage.export': { query: { endUserId: 'user-1' } },
    'usage.series': { query: { bucket: 'day', by: 'model', from: '2026-11-19', to: '2026-11-22' } },
    'outcomes.add': { path: { slug: 'summary' }, body: { displayName: 'Summary', ceilingMicros: '1000000' } },
    'outcomes.list': {},
    'outcomes.show': { path: { slug: 'report' } },
    'outcomes.runs': { path: { slug: 'report' } },
    'outcomes.rm': { path: { slug: 'report' } },
    'outcomes.finish': { path: { slug: 'report', id: 'run-1' }, body: { status: 'done' } },
    'teams.add': {
      path: { slug: 'labs' },
      body: { displayName: 'Research', limits: [{ measure: 'requests', window: 'minute', most: '600' }] },
    },
    'teams.addMember': { path: { slug: 'labs', externalId: 'debtor' }, body: { capMicros: '2000000' } },
    'teams.list': {},
    'teams.members': { path: { slug: 'labs' } },
    'teams.removeMember': { path: { slug: 'labs', externalId: 'debtor' } },
    'teams.rm': { path: { slug: 'labs' } },
    'teams.show': { path: { slug: 'labs' } },
    'requests.refund': {
      path: { id: `req_${callId}` },
      body: { amountUnits: '10', reason: 'the response was useless' },
    },
    'requests.list': {},
    'requests.tail': {},
    'requests.explain': { path: { id: `req_${callId}` } },
    margin: { query: { by: 'model' } },
    health: {},
    'brand.show': {},
    'brand.set': { body: { productName: 'Acme Assistant', primaryColor: '#2563eb' } },
    'brand.logo': { file: { type: 'image/png', bytes: png } },
    'brand.removeLogo': {},
    'portal.link': { body: { endUserId: 'user-1', returnPath: '/usage?range=30d' } },
    'portal.redeem': { body: { token: handoff } },
    'portal.application': { path: { keyCode } },
    'portal.account': {},
    'portal.keys': {},
    'portal.mintKey': { body: { name: 'laptop', capMicros: '5000000' } },
    'portal.rotateKey': { path: { id: portalKeyId }, body: { graceSeconds: 0 } },
    'portal.revokeKey': { path: { id: portalKeyId } },
    'portal.ledger': { query: { source: 'all' } },
    'portal.usage': { query: { from: '2026-11-01' } },
    'portal.subscription': {},
    'portal.models': {},
    'portal.onDemand': { body: { enabled: true, limitMicros: '5000000' } },
    'portal.requests': {},
    'portal.request': { path: { id: `req_${callId}` } },
    'portal.signOut': {},
    'portal.team': {},
    'portal.settings': {},
    'portal.configure': { body: { keyCapMicros: '10000000' } },
    doctor: {},
    'audit.list': {},
  }
  const sample = samples[id]
  assert(sample, `tests/support/valid-request-of-every-operation.ts lacks a sample of ${id}`)
  if (scope === 'end_user') return { ...sample, token: portalSession }
  return isForPeople ? { ...sample, session: filledIds.owner } : sample
}

/** The read operations whose response is one JSON value. */
export const reads = operations.filter(({ method, streams }) => method === 'GET' && streams.length === 0)

/** Excludes the measured latency, and reads that were rejected. */
export async function readings(
  control: Control,
  ids: Filled,
  operationsRead: readonly Operation[] = reads,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const read of operationsRead) {
    // oxlint-disable-next-line no-await-in-loop -- the clock of a control and its ids are shared
    const { status, text } = await send(control, read, sampleOf(read, ids), { app: 'acme' })
    if (status === 200) texts.set(read.id, text.replaceAll(/"latencyMs":\d+/g, '"latencyMs":0'))
  }
  return texts
}

export function urlOf({ path }: Operation, sample: Sample): string {
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(sample.path?.[name] ?? ''),
  )
  const query = new URLSearchParams(sample.query).toString()
  return query === '' ? filledPath : `${filledPath}?${query}`
}

export async function send(
  control: Control,
  operation: Operation,
  sample: Sample,
  options: Parameters<Control['call']>[2] = {},
): ReturnType<Control['call']> {
  const hasBody = sample.body !== undefined && operation.input.body !== null
  return control.call(operation.method, urlOf(operation, sample), {
    ...(hasBody && { body: sample.body }),
    ...(sample.file && { file: sample.file }),
    ...(options.token === undefined && callerOf(sample)),
    ...options,
  })
}

export function callerOf({ session, token }: Sample): Pick<CallOptions, 'session' | 'token'> {
  return { ...(session && { session }), ...(token !== undefined && { token }) }
}

export function operationOf(id: string): Operation {
  const operation = operations.find((candidate) => candidate.id === id)
  assert(operation, `there is no operation ${id}`)
  return operation
}
