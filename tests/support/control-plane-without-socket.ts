import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { Role } from '#domain/people/team-roles.ts'
import { firstRequest, performed, steps } from '#cli/operations/recipe-of-first-request.ts'
import { demoTier } from '#demo/demo-tier.ts'
import { FamiliarSites } from '#domain/network/familiar-client-networks.ts'
import { idSource, type IdSource } from '#domain/ids-sorted-by-time.ts'
import type { IdentityProvider } from '#domain/people/identity-provider-interface.ts'
import { passkeyVerifier } from '#app/passkey-verifier.ts'
import type { Mail } from '#domain/people/mail-sender.ts'
import { derivedSecret } from '#domain/secrets/secret-derived-from-master-key.ts'
import { Passwords } from '#domain/people/hash-and-check-passwords.ts'
import type { PreviewRoute, RoutePlan, TargetCircuit } from '#domain/route-preview-interface.ts'
import type { ProbeAccount, ProbeAnswer } from '#domain/health/provider-probes.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { PollPace } from '#domain/people/device-poll-interval.ts'
import type { Ledger } from '#domain/ledger-interface.ts'
import {
  keyRing,
  newMasterKey,
  decrypt,
  encrypt,
  type KeyRing,
} from '#domain/secrets/encrypt-stored-secrets.ts'
import type { Store } from '#domain/store-interface.ts'
import { sessionCookieName } from '#http/authenticate-caller.ts'
import { controlApp, type ControlDeps } from '#http/control-plane-app.ts'
import type { BuiltPages } from '#http/pages/built-pages.ts'
import { DeviceCookies } from '#http/known-device-cookie.ts'
import { portalApp } from '#http/portal-app.ts'
import { OpenStreams } from '#http/count-open-streams.ts'
import type { RateLimits } from '#http/control-plane-rate-limiter.ts'
import type { Refusal } from '#domain/rejected-request-facts.ts'
import { FailedSignInLog } from '#operations/kernel/record-failed-sign-ins.ts'
import { Emitters } from '#emitters/send-settled-calls-to-emitters.ts'
import type { Poster } from '#emitters/deliver-batch.ts'
import { streamLimits, type StreamLimits } from '#http/streamed-response.ts'
import type { ApplicationPorts, Ports } from '#operations/kernel/dependencies-of-operations.ts'
import { BodyIntake, type BodyLimits } from '#gateway/overload/limit-memory-of-bodies.ts'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import { foundOrganization } from '#operations/organizations/shared/create-organization.ts'
import type { Database } from '#store/sql/database-interface.ts'
import { emitterProgress } from '#store/nouns/emitter-progress.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { withConnection } from '#store/sqlite/connection.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { CallTailHub } from '#tail/send-ended-calls-to-readers.ts'
import { openOnPostgres, openTemporary } from '../store-conformance/engines.ts'
import { newDataFolder } from './data-folder.ts'
import type { Answer } from './start-product.ts'
import { operationsBy } from './send-operations-by-id.ts'
import { assertDescribed } from './check-responses-against-openapi.ts'
import { quickScryptCost } from './quick-scrypt-cost.ts'
import { repeatableSecrets, type Drawn } from './repeatable-secrets.ts'
import { dumpOf, stateOf } from './dump-of-stored-data.ts'
import type { TestedEngine } from './reduced-suite.ts'

export interface Control {
  readonly folder: string
  readonly database: Database
  readonly store: Store
  readonly ledger: Ledger
  readonly ring: KeyRing
  readonly newId: IdSource
  readonly randomByte: () => number
  readonly token: string
  readonly organizationId: string
  /** The sign-up link for the first owner. */
  readonly setupUrl: string
  /** The clock advances only when a test advances it. */
  readonly clock: { nowMs: number }
  /** Tests report ended calls to this tail hub. In production, the gateway reports ended calls to the hub. */
  readonly callTail: CallTailHub
  /**
   * Internal errors, which are not rejections of requests. A test that expects no errors checks that `internal` is
   * empty.
   */
  readonly internal: unknown[]
  readonly untrusted: readonly string[]
  /** Requests that were rejected with 401, 403 or 429. */
  readonly refusals: readonly Refusal[]
  readonly failedSignIns: FailedSignInLog
  /**
   * `count` counts the reports of changed applications. `released` contains the ports that were allocated but not
   * stored.
   */
  readonly changes: { count: number; readonly released: ApplicationPorts[] }
  found(name: string): Promise<string>
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Sends a GET request whose streamed response is not read yet. */
  stream(path: string, options?: CallOptions): Promise<Response>
  /** Invites a person with the first organization's token, accepts the invitation, and signs in. */
  join(email: string, role: Role, token?: string): Promise<Session>
  /** Duration of each wait after a wrong password, in milliseconds. The tests do not actually wait. */
  readonly pauses: number[]
  /** Null if there is no mail server, so that links are shown instead. */
  readonly outgoing: { mail: Mail | null }
  /** Calls the host of an application's portal, without a token. */
  portal(slug: string): Pick<Control, 'call'>
  sibling(): Pick<Control, 'call'>
  /** Returns every row of every table that an operation may write, except the audit log, as one text. */
  dump(): Promise<string>
  /** @throws if the money or anything else in the store does not add up */
  verify(): Promise<void>
  /**
   * Closes a repeatable control plane on SQLite, and returns its state for `ControlOptions.from`. Calls in flight
   * remain in flight in a control plane that starts from this state.
   */
  closeToCopy(): Promise<ControlState>
  close(): Promise<void>
}

export interface ControlState {
  readonly file: Buffer
  readonly masterKey: string
  readonly deviceSecret: string
  readonly first: Awaited<ReturnType<typeof foundOrganization>>
  readonly drawn: Drawn
  readonly port: number
}

export interface CallOptions {
  readonly file?: { readonly type: string; readonly bytes: Uint8Array }
  /** A string is sent unchanged. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Null means no credential. */
  readonly token?: string | null
  /** A signed-in member whose session replaces the token, as on a page of the console. */
  readonly session?: Session
  readonly app?: string
  readonly mode?: 'live' | 'test'
  /** The address from which the request comes, unknown by default. */
  readonly address?: string
}

export interface Session {
  readonly cookie: string
  readonly csrfToken: string
  readonly id: string
}

export const password = 'correct horse battery'

export function quickPasswords(
  monotonicMs: () => number,
  paused: (ms: number) => void = () => {},
): Passwords {
  return new Passwords({
    cost: quickScryptCost,
    monotonicMs,
    pause: async (ms) => paused(ms),
    isFamiliar: () => false,
  })
}

export function sessionOf({ body, headers }: Answer): Session {
  const cookies = headers.getSetCookie().map((text) => text.split(';')[0] ?? '')
  const cookie = cookies.find((text) => text.startsWith(`${sessionCookieName}=`)) ?? ''
  return { cookie, csrfToken: body.csrfToken, id: body.id }
}

const accepting: Poster = {
  send: async () => ({ kind: 'answered', status: 200, text: '' }),
  close() {},
}

/** For a stream of events, which does not end, returns only the beginning. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text()
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return Buffer.from(value ?? []).toString()
}

type Serve = (request: Request, address?: string) => Promise<Response>

function incomingFrom(request: Request, address: string): IncomingMessage {
  const socket = { remoteAddress: address, destroy() {} }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is read
  return { headers: Object.fromEntries(request.headers), socket } as unknown as IncomingMessage
}

export interface ControlOptions {
  readonly circuits?: readonly TargetCircuit[]
  readonly previewRoute?: PreviewRoute
  readonly probeAccount?: ProbeAccount
  readonly engine?: TestedEngine
  readonly allowPrivateProviders?: boolean
  readonly mail?: Mail
  readonly identityProvider?: IdentityProvider
  /** Whether IDs and secrets are the same in every run. */
  readonly isRepeatable?: boolean
  /** If `from` is set, the engine must be SQLite. */
  readonly from?: ControlState
  /** The maximum number of readers of the live tail, 3 by default. */
  readonly tailReadersMax?: number
  readonly streams?: Partial<StreamLimits>
  /** The rate limits, none by default. */
  readonly rateLimits?: RateLimits
  readonly bodyLimits?: Partial<BodyLimits>
  readonly pages?: BuiltPages
  readonly hasDemo?: boolean
  readonly seenStore?: (store: Store) => Store
  /** The state of the disk. By default, half of two tebibytes is free. */
  readonly diskSpace?: Ports['diskSpace']
  readonly passwords?: Passwords
  readonly poster?: Poster
  /** Called in addition to the count of `changes`. */
  readonly onApplicationsChanged?: () => Promise<void>
}

/** Random bytes are read in blocks, because reading them one by one takes most of the time to open a control plane. */
let fresh = Buffer.alloc(0)
function freshByte(): number {
  if (fresh.length === 0) fresh = randomBytes(4_096)
  const [byte = 0] = fresh
  fresh = fresh.subarray(1)
  return byte
}

const plannedRoute: RoutePlan = {
  router: null,
  policy: 'priority',
  inputTokens: 8,
  targets: [
    {
      path: ['acme/smart'],
      accountId: 'pa_1',
      model: 'gpt-x',
      skip: null,
      expectedMicros: 2_008n,
      worstMicros: 65_544n,
      circuit: { kind: 'closed' },
      inFlight: 0,
      firstTokenMs: null,
      lost: [],
      deadlines: { connectMs: 10_000, firstByteMs: 120_000, idleMs: 120_000, totalMs: 3_600_000 },
    },
  ],
  refusal: null,
}

const answeredProbe: ProbeAnswer = {
  status: 200,
  latencyMs: 120,
  usage: { ...zeroUsage, input: 8, output: 1 },
  failure: null,
}

export async function openControl(options: ControlOptions = {}): Promise<Control> {
  const { from } = options
  const folder = newDataFolder('control')
  if (from) writeFileSync(sqlitePath(folder), from.file)
  const internal: unknown[] = []
  const untrusted: string[] = []
  const refusals: Refusal[] = []
  const clock = { nowMs: Date.UTC(2026, 10, 20, 12) }
  const opening = { nowMs: () => clock.nowMs, onFatal: (error: Error) => void internal.push(error) }
  const engineStore =
    options.engine === 'PostgreSQL'
      ? await openOnPostgres(opening)
      : await openTemporary({ ...opening, folder, writer: 'inline' })
  const { database, hours, ledger } = engineStore.store
  const store = sqlStore(database, hours)
  const seenStore = options.seenStore?.(store) ?? store
  const masterKey = from?.masterKey ?? newMasterKey()
  const ring = keyRing(masterKey)
  const repeatable = from || options.isRepeatable === true ? repeatableSecrets(() => clock.nowMs) : null
  const randomByte = repeatable?.randomByte ?? freshByte
  const changes: Control['changes'] = { count: 0, released: [] }
  let port = from?.port ?? 8101
  const pauses: number[] = []
  const outgoing: Control['outgoing'] = { mail: options.mail ?? null }
  // No call settles in this control plane, so the emitters only deliver samples.
  const emitters = new Emitters({
    progress: emitterProgress(database),
    newPoster: () => options.poster ?? accepting,
    openSecret: (sealed, { id, organizationId }) => decrypt(ring, sealed, { organizationId, id }) ?? '',
    derivedSecret: (purpose) => derivedSecret(ring, purpose),
    openCallIds: () => [],
    isLedgerAway: () => false,
    epoch: engineStore.store.epoch,
    isShared: false,
    newId: () => ports.newId(),
    nowMs: () => clock.nowMs,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const callTail = new CallTailHub({
    store: seenStore,
    nowMs: () => clock.nowMs,
    link: null,
    onFault: (error) => void internal.push(error),
    readersMax: options.tailReadersMax ?? 3,
  })
  // Failed sign-ins are written only when a test requests the write.
  const failedSignIns = new FailedSignInLog({ store, newId: () => ports.newId(), later: () => {} })
  const ports: Ports = {
    identityProvider: options.identityProvider ?? null,
    emitters: {
      changed: async () => {},
      deliverSample: (emitter, event) => emitters.deliverSample(emitter, event),
      listenSecret: (application) => emitters.listenSecret(application),
      batchOfCalls: (application, amount, callIds) => emitters.batchOfCalls(application, amount, callIds),
      batchOf: (application, amount, events) => emitters.batchOf(application, amount, events),
    },
    epoch: engineStore.store.epoch,
    baseUrl: () => 'http://localhost:8080',
    circuits: () => options.circuits ?? [],
    previewRoute: options.previewRoute ?? (async () => plannedRoute),
    probeAccount: options.probeAccount ?? (async () => answeredProbe),
    familiarSites: new FamiliarSites(),
    failedSignIns,
    passwords:
      options.passwords ??
      quickPasswords(
        () => clock.nowMs,
        (ms) => pauses.push(ms),
      ),
    passkeys: passkeyVerifier,
    mail: null,
    callTail,
    devicePolls: new PollPace(() => clock.nowMs),
    ledger,
    store: seenStore,
    seal: (plaintext, owner) => encrypt(ring, plaintext, owner),
    newId:
      repeatable?.newId ??
      idSource(
        () => clock.nowMs,
        (bytes) => {
          for (const at of bytes.keys()) bytes[at] = freshByte()
        },
      ),
    randomByte,
    allocatePorts: async () => ({ gateway: port++, portal: port++ }),
    releasePorts: async (allocated) => void changes.released.push(allocated),
    urls: ({ gatewayPort, portalPort, slug }) => ({
      gateway: `http://${slug}.gateway.localhost:8080`,
      portal: `http://${slug}.portal.localhost:8080`,
      localGateway: `http://127.0.0.1:${gatewayPort}`,
      localPortal: `http://127.0.0.1:${portalPort}`,
    }),
    applicationsChanged: async () => {
      changes.count += 1
      await options.onApplicationsChanged?.()
    },
    allowPrivateProviders: options.allowPrivateProviders ?? false,
    isOwnUrl: (url) => url.includes('.gateway.localhost'),
    diskSpace: options.diskSpace ?? (async () => ({ freeBytes: 2 ** 40, totalBytes: 2 ** 41 })),
    noteFault: (error) => void internal.push(error),
  }
  const deviceSecret = from?.deviceSecret ?? folder
  const devices = new DeviceCookies(Buffer.from(deviceSecret))
  const deps = (): ControlDeps => ({
    store: seenStore,
    ports: {
      ...ports,
      devicePolls: new PollPace(() => clock.nowMs),
      get mail() {
        return outgoing.mail
      },
    },
    identityProvider: options.identityProvider ?? null,
    devices,
    demo: options.hasDemo === false ? null : demoTier({ ...ports, nowMs: () => clock.nowMs }),
    nowMs: () => clock.nowMs,
    monotonicMs: () => clock.nowMs,
    rateLimits: options.rateLimits ?? null,
    bodies: new BodyIntake({ ...gatewayLimits, ...options.bodyLimits }),
    onRefused: (refusal) => void refusals.push(refusal),
    onUntrustedProxy: (address) => void untrusted.push(address),
    streams: { ...streamLimits, ...options.streams, open: new OpenStreams() },
    trustedProxies: null,
    pages: options.pages ?? { html: () => null, asset: () => null },
    gatewayOrigins: () => ['http://*.gateway.localhost:8080'],
    onInternal: (error) => void internal.push(error),
    readiness: async () => ({ isReady: true, checks: { store: 'ok' } }),
    metrics: {
      addresses: null,
      scrape: async () => ({ contentType: 'text/plain', text: 'up 1\n' }),
      scrapeWithoutStore: async () => ({ contentType: 'text/plain', text: 'up 0\n' }),
    },
  })
  const newApp = (): Serve => {
    const app = controlApp(deps())
    return async (request, address) =>
      app.fetch(request, address === undefined ? undefined : { incoming: incomingFrom(request, address) })
  }
  const app = newApp()
  const portal = portalApp(deps())
  const found = (name: string, label: string) =>
    store.transaction((nouns) => foundOrganization(nouns, ports, { name, label, nowMs: clock.nowMs }))
  const first = from?.first ?? (await found('First', 'first'))
  // Like the copied control plane, this control plane has already generated the IDs of the demo tier. The next IDs must
  // follow all IDs of the copied control plane.
  if (from) repeatable?.continueFrom(from.drawn)
  const sendTo =
    (serve: Serve, ownToken: string | null) =>
    (method: string, path: string, given: CallOptions): Promise<Response> => {
      const { app: slug, body, file, headers, mode, session, token = session ? null : ownToken } = given
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
      const content = file ? Uint8Array.from(file.bytes) : text
      const request = new Request(`http://control.test${path}`, {
        method,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(session && {
            cookie: session.cookie,
            'x-csrf-token': session.csrfToken,
            'sec-fetch-site': 'same-origin',
          }),
          ...(slug !== undefined && { 'x-svc-app': slug }),
          ...(mode !== undefined && { 'x-svc-mode': mode }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(file && { 'content-type': file.type }),
          ...headers,
        },
        ...(content !== undefined && { body: content }),
      })
      return serve(request, given.address)
    }
  const callsOf =
    (serve: Serve, ownToken: string | null = first.token): Control['call'] =>
    async (method, path, given = {}) => {
      const response = await sendTo(serve, ownToken)(method, path, given)
      const text = await textOf(response)
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
      const parsed = isJson && text ? JSON.parse(text) : null
      // The host of a portal does not serve every operation.
      if (parsed?.error?.code !== 'no_such_path') {
        assertDescribed({ method, path, status: response.status, body: parsed })
      }
      return { status: response.status, headers: response.headers, text, body: parsed }
    }
  const call = callsOf(app)
  let dumped: { readonly state: string; readonly text: string } | null = null
  return {
    folder,
    database,
    store,
    ledger,
    ring,
    newId: ports.newId,
    randomByte,
    token: first.token,
    organizationId: first.organizationId,
    setupUrl: first.setupUrl,
    clock,
    callTail,
    internal,
    untrusted,
    refusals,
    failedSignIns,
    changes,
    async found(name) {
      const { token } = await found(name, name)
      return token
    },
    call,
    stream: (path, given = {}) => sendTo(app, first.token)('GET', path, given),
    pauses,
    outgoing,
    async join(email, role, token = first.token) {
      const invited = await call('PUT', `/v1/team/${email}`, { token, body: { role } })
      const link = new URL(invited.body.inviteUrl).hash.slice(1)
      const body = { token: link, name: email, password }
      const joined = await call('POST', '/v1/invitations/accept', { token: null, body })
      assert.equal(joined.status, 200, joined.text)
      return sessionOf(joined)
    },
    portal: (slug) => ({
      call: callsOf(async (request) => {
        const application = await store.read.applications.bySlug(slug)
        assert(application, `there is no application ${slug}`)
        return portal(request, { address: '192.0.2.1', userAgent: 'test' }, application.id)
      }, null),
    }),
    sibling: () => ({ call: callsOf(newApp()) }),
    async dump() {
      const state = await stateOf(database, options.engine ?? 'SQLite')
      if (dumped?.state === state) return dumped.text
      const text = await dumpOf(database, options.engine ?? 'SQLite')
      dumped = { state, text }
      return text
    },
    verify: () => engineStore.verify(),
    async closeToCopy() {
      assert(repeatable, 'the control plane is not repeatable')
      const drawn = repeatable.drawn()
      await engineStore.store.close()
      // The copy has the epoch number of the original, so the copy treats the calls in flight as its own.
      await withConnection(sqlitePath(folder), 'write', (connection) =>
        connection.exec('DELETE FROM epochs; PRAGMA wal_checkpoint(TRUNCATE)'),
      )
      const file = readFileSync(sqlitePath(folder))
      await engineStore.close()
      return { file, masterKey, deviceSecret, first, drawn, port }
    },
    async close() {
      assert.deepEqual(internal, [], 'a request failed on an internal error')
      await engineStore.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function opened(control: Control, sealed: string | null, id: string): string | null {
  assert(sealed !== null)
  return decrypt(control.ring, sealed, { organizationId: control.organizationId, id })
}

/**
 * Creates an application with a provider, a priced model, and a bundle that allows the model. Most tests start with the
 * application that `ready` creates.
 */
export async function ready(control: Control, slug = 'acme', token?: string): Promise<void> {
  const send = async (method: string, encoded: string, body?: unknown): Promise<unknown> => {
    // The API examples show the slashes in a model name unescaped.
    const path = encoded.replaceAll('%2F', '/')
    const answer = await control.call(method, path, {
      app: slug,
      ...(token !== undefined && { token }),
      body,
    })
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const recipe = firstRequest({
    application: { slug, name: slug },
    provider: {
      label: 'main',
      kind: 'openai_compatible',
      baseUrl: 'https://api.example.com/v1',
      apiKey: 'sk-upstream-0001',
    },
    models: [{ name: 'acme/smart', upstream: 'gpt-x', price: { input: '1000000', output: '4000000' } }],
    bundles: [{ slug: 'free', displayName: 'Free', allow: ['acme/*'] }],
  })
  await performed(
    [
      // The second account is created before the model, because the API examples contain the IDs in this order.
      ...recipe.toSpliced(3, 0, steps.provider({ label: 'spare', kind: 'simulator' })),
      steps.endUser({ externalId: 'user-1', email: 'one@example.com' }),
    ],
    operationsBy(send),
  )
}
