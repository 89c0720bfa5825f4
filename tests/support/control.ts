/** The control plane over a real store in a folder of its own, called without a socket. */
import assert from 'node:assert/strict'
import { randomBytes, randomFillSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { idSource, type IdSource } from '#domain/id.ts'
import type { Ledger } from '#domain/ledger.ts'
import { keyRing, newMasterKey, decrypt, encrypt, type KeyRing } from '#domain/encryption.ts'
import type { Store } from '#domain/store.ts'
import { controlApp } from '#http/control-app.ts'
import type { Ports } from '#operations/operation.ts'
import { foundOrganization } from '#operations/organizations/found.ts'
import type { Database } from '#store/sql/database.ts'
import { sqlStore } from '#store/nouns/store.ts'
import { openOnPostgres, openTemporary } from '../store-conformance/engines.ts'
import type { Answer } from './harness.ts'
import { hasPostgres } from './postgres.ts'

export interface Control {
  readonly folder: string
  readonly database: Database
  readonly store: Store
  readonly ledger: Ledger
  readonly ring: KeyRing
  readonly newId: IdSource
  /** The first organization's token. */
  readonly token: string
  readonly organizationId: string
  /** Moves only when a test moves it. */
  readonly clock: { nowMs: number }
  /** Errors that are no refusals. A test that expects none checks that this is empty. */
  readonly internal: unknown[]
  /** The number of notices that applications changed. */
  readonly changes: { count: number }
  /** Another organization with a token of its own. */
  found(name: string): Promise<string>
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Another process on the same store, from the control plane's view. */
  sibling(): Pick<Control, 'call'>
  /** Every row of every table that an operation may write, as one text. */
  dump(): Promise<string>
  close(): Promise<void>
}

export interface CallOptions {
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Null: no credential. */
  readonly token?: string | null
  readonly app?: string
  readonly mode?: 'live' | 'test'
}

export type ControlEngine = 'SQLite' | 'PostgreSQL'

/** For `describe.each`: the engines of this machine. */
export const controlEngines: readonly ControlEngine[] = hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite']

export interface ControlOptions {
  /** SQLite when left out. */
  readonly engine?: ControlEngine
  readonly allowPrivateProviders?: boolean
  /** Replaces the store for the control plane. */
  readonly seenStore?: (store: Store) => Store
  /** Runs when applications change, besides the count. */
  readonly onApplicationsChanged?: () => Promise<void>
}

export async function openControl(options: ControlOptions = {}): Promise<Control> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-control-'))
  const internal: unknown[] = []
  const clock = { nowMs: Date.UTC(2026, 10, 20, 12) }
  const opening = { nowMs: () => clock.nowMs, onFatal: (error: Error) => void internal.push(error) }
  const engineStore =
    options.engine === 'PostgreSQL'
      ? await openOnPostgres(opening)
      : await openTemporary({ ...opening, folder, writer: 'inline' })
  const { database, ledger } = engineStore.store
  const store = sqlStore(database)
  const seenStore = options.seenStore?.(store) ?? store
  const ring = keyRing(newMasterKey())
  const changes = { count: 0 }
  let port = 8101
  const ports: Ports = {
    ledger,
    store: seenStore,
    seal: (plaintext, owner) => encrypt(ring, plaintext, owner),
    newId: idSource(
      () => clock.nowMs,
      (bytes) => void randomFillSync(bytes),
    ),
    randomByte: () => randomBytes(1)[0] ?? 0,
    allocatePorts: async () => ({ gateway: port++, portal: port++ }),
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
  }
  const newApp = () =>
    controlApp({
      store: seenStore,
      ports,
      nowMs: () => clock.nowMs,
      onInternal: (error) => internal.push(error),
      readiness: async () => ({ isReady: true, checks: { store: 'ok' } }),
    })
  const app = newApp()
  const found = (name: string, label: string) =>
    store.transaction((nouns) => foundOrganization(nouns, ports, { name, label, nowMs: clock.nowMs }))
  const first = await found('First', 'first')
  const callsOf =
    (to: typeof app): Control['call'] =>
    async (method, path, { app: slug, body, headers, mode, token = first.token } = {}) => {
      const response = await to.request(path, {
        method,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(slug !== undefined && { 'x-svc-app': slug }),
          ...(mode !== undefined && { 'x-svc-mode': mode }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson && text ? JSON.parse(text) : null,
      }
    }
  return {
    folder,
    database,
    store,
    ledger,
    ring,
    newId: ports.newId,
    token: first.token,
    organizationId: first.organizationId,
    clock,
    internal,
    changes,
    async found(name) {
      const { token } = await found(name, name)
      return token
    },
    call: callsOf(app),
    sibling: () => ({ call: callsOf(newApp()) }),
    async dump() {
      const tables = [
        'organizations',
        'applications',
        'provider_accounts',
        'account_prices',
        'aliases',
        'bundles',
        'bundle_prices',
        'bundle_includes',
        'outcomes',
        'end_users',
        'keys',
        'accounts',
        'sources',
        'ledger',
        'grants',
        'invoices',
        'invoice_lines',
        'outcome_runs',
        'idempotency_keys',
      ] as const
      const rows: unknown[] = []
      for (const table of tables)
        rows.push(table, await database.read.selectFrom(table).selectAll().execute())
      // The last use of a token is not a requested change.
      const tokens = await database.read.selectFrom('tokens').selectAll().execute()
      rows.push(tokens.map((token) => ({ ...token, last_used_at_ms: null })))
      return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
    },
    async close() {
      assert.deepEqual(internal, [], 'a request failed on an internal error')
      await engineStore.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The plaintext of a provider credential, for tests of what was stored. */
export function opened(control: Control, sealed: string | null, id: string): string | null {
  assert(sealed !== null)
  return decrypt(control.ring, sealed, { organizationId: control.organizationId, id })
}

/** An application with a provider, a priced model and a bundle that allows it: the start of most tests. */
export async function ready(control: Control, slug = 'acme', token?: string): Promise<void> {
  const options = { app: slug, ...(token !== undefined && { token }) }
  const steps: readonly (readonly [string, string, unknown?])[] = [
    [
      'PUT',
      '/v1/providers/main',
      { kind: 'openai_compatible', baseUrl: 'https://api.example.com/v1', apiKey: 'sk-upstream-0001' },
    ],
    ['POST', '/v1/providers/main/price', { model: 'gpt-x', price: { input: '1000000', output: '4000000' } }],
    ['PUT', '/v1/providers/spare', { kind: 'simulator' }],
    ['PUT', '/v1/models/acme/smart', { sources: [{ provider: 'main', model: 'gpt-x' }] }],
    ['PUT', '/v1/bundles/free', { displayName: 'Free' }],
    ['POST', '/v1/bundles/free/allow', { models: ['acme/*'] }],
    ['PUT', '/v1/end-users/user-1', { email: 'one@example.com' }],
  ]
  const { app: _, ...own } = options
  const made = await control.call('PUT', `/v1/apps/${slug}`, { ...own, body: { name: slug } })
  assert.equal(made.status, 200, made.text)
  for (const [method, path, body] of steps) {
    const answer = await control.call(method, path, { ...options, body })
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
  }
}
