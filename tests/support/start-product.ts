/**
 * Starts the whole product, in this process or as the command in a separate process. Tests call the control plane like
 * a customer, and the provider of their application is the fake provider.
 *
 *   const server = await startServer()
 *   const acme = await makeApplication(server)
 *   const ada = await acme.newUser({ balanceMicros: 1_000_000n })
 *   const answer = await acme.call(ada, { messages: [...] })
 *   await server.close() // also runs `tollgate verify` over the data of the tests
 */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { readConfig } from '#app/server-configuration.ts'
import { firstRequest, keySteps, performed } from '#cli/operations/recipe-of-first-request.ts'
import { gatewayOf } from '#sdk/clients.ts'
import { abortedWarning, startTollgate, type TollgateOptions } from '#app/start-tollgate.ts'
import { verifyStore } from '#app/store-maintenance.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { inlineReaders, writeMigratedFile } from '../store-conformance/engines.ts'
import { bundledCommand } from './bundled-command.ts'
import type { Rates } from './expected-costs.ts'
import { newDataFolder } from './data-folder.ts'
import { startFakeProvider, type FakeCall, type FakeProvider, type Script } from './fake-provider.ts'
import { operationsBy } from './send-operations-by-id.ts'
import { postAt } from './send-post-to-process-port.ts'
import type { TestDatabase } from './start-postgres.ts'
import { quickScryptCost } from './quick-scrypt-cost.ts'
import { migratedDatabase } from './reused-databases.ts'
import { isLong } from './reduced-suite.ts'

export interface Server {
  readonly baseUrl: string
  readonly port: number
  readonly token: string
  readonly organizationId: string
  readonly folder: string
  /** Null means the embedded store in the folder. */
  readonly databaseUrl?: string | null
}

export interface LocalServer extends Server {
  /** Empty if this is not the first start. */
  readonly setupUrl: string
  /** The log lines, each beginning with its level. A test that expects no fault searches the lines for `error`. */
  readonly log: readonly LogLine[]
  readonly bodyBytesHeld: number
  readonly callsWaiting: number
  /** Fails if a call never ends, if the log contains a fault, or if `tollgate verify` finds a fault. */
  close(): Promise<void>
}

interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: object
}

export interface StartOptions extends TollgateOptions {
  readonly folder?: string
  /** Required if the folder already contains data. */
  readonly token?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly databaseUrl?: string
  /** Whether the log may contain faults, for tests of faults. */
  readonly mayLogFaults?: boolean
  /** Whether calls may be cut when the server stops, for tests of cut calls. */
  readonly mayCutCalls?: boolean
}

/** The server must never reject a test's concurrent requests as overloaded, even on a busy machine. */
const waitingMs = '60000'

const edge = process.env['TOLLGATE_HTTP_EDGE']

/** The drain lasts longer than any call that is in flight at the end of a test, even on a busy machine. */
const drainSeconds = 60

let newDatabaseUrl: (() => Promise<string>) | null = null

/**
 * Gives each server that starts without a `databaseUrl` its own database. Test files use this to run another test file
 * on another engine.
 */
export function startServersOn(newUrl: () => Promise<string>): void {
  newDatabaseUrl = newUrl
}

/** Uses the engine that `startServersOn` has set, by default PostgreSQL. */
export async function databaseOfServers(): Promise<TestDatabase> {
  const url = await newDatabaseUrl?.()
  return url === undefined ? migratedDatabase() : { url, drop: async () => {} }
}

export async function startServer(options: StartOptions = {}): Promise<LocalServer> {
  const {
    databaseUrl = await newDatabaseUrl?.(),
    environment = {},
    mayCutCalls = false,
    mayLogFaults = false,
    token: known,
    ...rest
  } = options
  const folder = options.folder ?? newDataFolder('e2e')
  if (databaseUrl === undefined) writeMigratedFile(sqlitePath(folder))
  const log: LogLine[] = []
  const write =
    (level: LogLine['level']) =>
    (fields: object, message: string): void =>
      void log.push({ level, message, fields })
  const config = readConfig(
    {
      TOLLGATE_LISTEN: '127.0.0.1:0',
      // The test server has no rate limit, because one token creates all objects that a test needs.
      // tests/control-plane/control-plane-rate-limits.test.ts tests rate limits.
      TOLLGATE_CONTROL_RATE: '0',
      TOLLGATE_WAITING_MS: waitingMs,
      TOLLGATE_ALLOW_PRIVATE_PROVIDERS: 'true',
      TOLLGATE_DRAIN_SECONDS: String(drainSeconds),
      // A warm-up would rehearse batches on PostgreSQL, and generate the API document.
      TOLLGATE_WARM_UP: 'false',
      // The environment of the tests selects the HTTP edge, `own` or `node`. Servers in separate processes inherit
      // TOLLGATE_HTTP_EDGE.
      ...(edge === undefined ? {} : { TOLLGATE_HTTP_EDGE: edge }),
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...environment,
    },
    { data: folder },
  )
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  const tollgate = await startTollgate(config, logger, {
    startsTokenizer: false,
    openReaders: isLong ? undefined : inlineReaders,
    passwordCost: quickScryptCost,
    ...rest,
  })
  const port = Number(new URL(tollgate.baseUrl).port)
  const token = tollgate.setup?.token ?? known
  assert(token !== undefined, `the folder ${folder} has data: pass the token of its first start`)
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    token,
    organizationId: tollgate.setup?.organizationId ?? '',
    setupUrl: tollgate.setup?.setupUrl ?? '',
    folder,
    databaseUrl: databaseUrl ?? null,
    log,
    get bodyBytesHeld() {
      return tollgate.bodyBytesHeld
    },
    get callsWaiting() {
      return tollgate.callsWaiting
    },
    async close() {
      await tollgate.close()
      const isCut = log.some(({ message }) => message === abortedWarning)
      assert(!isCut || mayCutCalls, 'a call did not end')
      assert.equal(tollgate.bodyBytesHeld, 0, 'bytes of request bodies are still held')
      const faults = log.filter(({ level }) => level === 'error')
      if (!mayLogFaults) assert.deepEqual(faults, [], 'nothing broke')
      await verifies(folder, databaseUrl)
      if (options.folder === undefined) rmSync(folder, { recursive: true })
    },
  }
}

export interface SpawnedServer extends Server {
  readonly child: ChildProcess
  /** The line that the server printed when it was ready. */
  readonly line: string
  readonly stderr: () => string
  /** Resolves with the exit code or the signal. */
  readonly ended: Promise<number | string>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
export const command = join(root, 'bin', 'tollgate')

/** The flags of `bin/tollgate` and of the launcher in the npm package. */
const serverFlags = ['--max-semi-space-size=32', '--disable-sigusr1']

export async function spawnServer(
  folder: string,
  options: {
    readonly token?: string
    readonly environment?: Readonly<Record<string, string>>
    readonly args?: readonly string[]
    readonly program?: readonly string[]
  } = {},
): Promise<SpawnedServer> {
  const args = ['serve', '--data', folder, '--port', '0', '--json', ...(options.args ?? [])]
  // A module that NODE_OPTIONS names replaces functions of packages, so these packages must not be in a bundle.
  const isFromSources = options.environment?.['NODE_OPTIONS'] !== undefined
  const [file, ...given] = options.program
    ? [process.execPath, ...options.program]
    : isFromSources
      ? [command, ...args]
      : [process.execPath, ...serverFlags, await bundledCommand(), ...args]
  const child = spawn(file, given, {
    env: {
      ...process.env,
      TOLLGATE_ALLOW_PRIVATE_PROVIDERS: 'true',
      TOLLGATE_CONTROL_RATE: '0',
      TOLLGATE_WAITING_MS: waitingMs,
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (piece) => (stderr += String(piece)))
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? code)
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => String(text)),
    ended.then((end) => Promise.reject(new Error(`the server ended at its start (${end}): ${stderr}`))),
  ])
  const { baseUrl, setup } = JSON.parse(line)
  const port = Number(new URL(baseUrl).port)
  const token = setup?.token ?? options.token
  assert(token !== undefined, `the folder ${folder} has data: pass the token of its first start`)
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    token,
    organizationId: setup?.organizationId ?? '',
    folder,
    child,
    line,
    stderr: () => stderr,
    ended,
  }
}

export async function run(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(file, args, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (piece) => (stdout += String(piece)))
  child.stderr.on('data', (piece) => (stderr += String(piece)))
  const [code] = await once(child, 'close')
  return { code: Number(code), stdout, stderr }
}

/**
 * Runs the checks of `tollgate verify`, also while a server is running. tests/operator-commands tests the command
 * itself. A separate process for each store would take a second of CPU time.
 */
export async function verifies(folder: string, databaseUrl?: string): Promise<void> {
  const found = await verifyStore(
    databaseUrl === undefined
      ? { engine: 'sqlite', folder, masterKey: null }
      : { engine: 'postgres', url: databaseUrl },
  )
  assert.deepEqual(
    found.filter(({ difference }) => difference !== null),
    [],
    'the store adds up',
  )
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Null if the body is not JSON. Tests read only the fields that they expect. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the point of a test is to look at what is there
  readonly body: any
}

export async function control(
  server: Pick<Server, 'baseUrl' | 'token'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(server.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${server.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return answerOf(response)
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export interface Application {
  readonly server: Server
  readonly slug: string
  readonly provider: FakeProvider
  /** The provider's own name for the model is `upstream-model-1`. */
  readonly model: string
  readonly rates: Rates
  /** Each gateway has its own loopback port. */
  readonly gateway: string
  readonly gatewayPort: number
  readonly gatewayHost: string
  /** The request must succeed. @returns the body */
  // oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
  api(method: string, path: string, body?: unknown): Promise<any>
  newUser(options?: UserOptions): Promise<User>
  /**
   * Returns the same application at another server, on the same folder or the same database. Calls use that server's
   * own port, because only one of two servers has the application's ports.
   */
  again(server: Server): Promise<Application>
  person(user: User): User
  call(user: Pick<User, 'key'>, body?: object, options?: CallOptions): Promise<Answer>
  /** A test computes the hold from this body. */
  bodyOf(body?: object): string
}

interface UserOptions {
  readonly balanceMicros?: bigint
  readonly bundle?: string
  readonly capMicros?: bigint
  readonly expiresAt?: string
  readonly forTeam?: string
}

interface CallOptions {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

export interface User {
  readonly externalId: string
  /** Begins with `ak_`. */
  readonly key: string
  readonly keyId: string
  readonly endUserId: string
  balance(): Promise<{ readonly balanceMicros: bigint; readonly reservedMicros: bigint }>
  grant(amountMicros: bigint): Promise<void>
  ledger(): Promise<readonly LedgerEntry[]>
  /** Newest first. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
  requests(): Promise<readonly any[]>
}

interface LedgerEntry {
  readonly kind: string
  readonly amountUnits: string
  readonly balanceAfterUnits: string
  readonly unit: string
  readonly source: string
  readonly requestId?: string
}

/** The last digits of the prices are odd, so that rounding changes the charge. */
export const defaultRates: Rates = { input: 2_500_000n, output: 10_000_001n }

export const upstreamModel = 'upstream-model-1'
export const upstreamKey = 'sk-upstream-canary-0123456789abcdef'

let applications = 0
let people = 0

export interface ApplicationOptions {
  readonly slug?: string
  readonly rates?: Rates
  readonly script?: Script
  /** For a second application or a restarted server. */
  readonly provider?: FakeProvider
  /** Accepts the fields of `bundles.create`. */
  readonly bundle?: object
  /** The maximum output tokens of a request that states no maximum. */
  readonly outputTokens?: number
}

/** The default bundle allows the one priced model. */
export async function makeApplication(
  server: Server,
  options: ApplicationOptions = {},
): Promise<Application> {
  const slug = options.slug ?? `app-${process.pid}-${++applications}`
  const rates = options.rates ?? defaultRates
  const provider = options.provider ?? (await startFakeProvider(options.script))
  const model = 'acme/smart'
  const api = apiOf(server, slug)
  const { application } = await performed(
    firstRequest({
      application: { slug, name: slug },
      provider: {
        label: slug,
        kind: 'openai_compatible',
        baseUrl: provider.baseUrl,
        apiKey: upstreamKey,
      },
      models: [
        {
          name: model,
          upstream: upstreamModel,
          price: { input: String(rates.input), output: String(rates.output) },
          ...(options.outputTokens !== undefined && { ceilings: { outputTokens: options.outputTokens } }),
        },
      ],
      bundles: [{ slug: 'basic', displayName: 'Basic', allow: ['acme/*'], ...options.bundle }],
    }),
    operationsBy(api),
  )
  return applicationOf({ server, slug, provider, model, rates, created: application, api })
}

/** A failed request throws an error with the server's log. */
export function apiOf(
  server: Server & { readonly log?: readonly LogLine[] },
  slug: string,
): Application['api'] {
  return async (method, path, body) => {
    const answer = await control(server, method, path, body, { 'x-svc-app': slug })
    if (answer.status < 300) return answer.body
    const faults = (server.log ?? []).filter(({ level }) => level === 'error')
    const logged = faults.map(({ fields }) => inspect(fields)).join('\n')
    throw new Error(`${method} ${path}: ${answer.status} ${answer.text} ${logged}`)
  }
}

function applicationOf({
  server,
  slug,
  provider,
  model,
  rates,
  created,
  api,
}: Pick<Application, 'server' | 'slug' | 'provider' | 'model' | 'rates' | 'api'> & {
  created: { gateway: string; localGateway?: string | undefined }
}): Application {
  const known = { slug, provider, model, rates }
  const gateway = gatewayOf(created)
  const bodyOf: Application['bodyOf'] = (body = {}) =>
    JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], ...body })
  return {
    server,
    slug,
    provider,
    model,
    rates,
    gateway,
    gatewayPort: Number(new URL(gateway).port),
    gatewayHost: new URL(created.gateway).hostname,
    api,
    bodyOf,
    async newUser({ balanceMicros, bundle, capMicros, expiresAt, forTeam } = {}) {
      const externalId = `user-${++people}`
      if (forTeam !== undefined) await api('PUT', `/v1/end-users/${externalId}?forTeam=${forTeam}`, {})
      const minted = await api('POST', '/v1/keys', {
        endUserId: externalId,
        ...(bundle === undefined ? {} : { bundle }),
        ...(capMicros === undefined ? {} : { capMicros: String(capMicros) }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      })
      const user = userOf(api, externalId, minted)
      if (balanceMicros !== undefined && balanceMicros > 0n) await user.grant(balanceMicros)
      return user
    },
    async again(other) {
      const otherApi = apiOf(other, slug)
      const shown = await otherApi('GET', `/v1/apps/${slug}`)
      const there = applicationOf({ ...known, server: other, created: shown, api: otherApi })
      return {
        ...there,
        call: ({ key }, body, { headers = {}, signal } = {}) =>
          postAt(
            other.port,
            bodyOf(body),
            {
              host: there.gatewayHost,
              authorization: `Bearer ${key}`,
              'content-type': 'application/json',
              ...headers,
            },
            signal,
          ),
      }
    },
    person: ({ endUserId, externalId, key, keyId }) => userOf(api, externalId, { key, id: keyId, endUserId }),
    async call({ key }, body, { headers = {}, signal } = {}) {
      const response = await fetch(`${gateway}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: bodyOf(body),
        signal: signal ?? null,
      })
      return answerOf(response)
    },
  }
}

function userOf(
  api: Application['api'],
  externalId: string,
  minted: { key: string; id: string; endUserId: string },
): User {
  return {
    externalId,
    key: minted.key,
    keyId: minted.id,
    endUserId: minted.endUserId,
    async balance() {
      const { balance } = await api('GET', `/v1/end-users/${externalId}`)
      return { balanceMicros: BigInt(balance.balanceUnits), reservedMicros: BigInt(balance.reservedUnits) }
    },
    async grant(amountMicros) {
      await api('POST', '/v1/grants', {
        endUsers: [externalId],
        amountUnits: String(amountMicros),
        reason: 'test',
      })
    },
    ledger: () => all(api, `/v1/end-users/${externalId}/ledger?source=all&limit=200`),
    requests: () => all(api, `/v1/requests?endUserId=${externalId}&limit=200`),
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
async function all(api: Application['api'], path: string): Promise<any[]> {
  // oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
  const rows: any[] = []
  let cursor: string | null = null
  do {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const page: { data: unknown[]; nextCursor: string | null } = await api(
      'GET',
      cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`,
    )
    rows.push(...page.data)
    cursor = page.nextCursor
  } while (cursor !== null)
  return rows
}

/** The simulator answers the calls of this key. */
export async function testKeyOf({ server, slug }: Application): Promise<string> {
  const headers = { 'x-svc-app': slug, 'x-svc-mode': 'test' }
  const { keys } = await performed(
    keySteps({
      key: { endUserId: 'newcomer', livemode: false },
      credit: { amountUnits: '100000000', reason: 'test' },
    }),
    operationsBy(async (method, path, body) => {
      const answer = await control(server, method, path, body, headers)
      assert(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
      return answer.body
    }),
  )
  return keys.get('newcomer') ?? ''
}

export interface Account {
  readonly kind: string
  readonly baseUrl: string
  readonly apiKey: string
}

export interface NamedAccount extends Account {
  readonly model: string
  readonly price: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

/** Offers the model as `acme/<label>`. */
export async function connectAccount(
  application: Application,
  label: string,
  { apiKey, baseUrl, kind, model, price }: NamedAccount,
): Promise<void> {
  await application.api('PUT', `/v1/providers/${label}`, { kind, baseUrl, apiKey })
  await application.api('POST', `/v1/providers/${label}/price`, { model, price })
  await application.api('PUT', `/v1/models/${encodeURIComponent(`acme/${label}`)}`, {
    sources: [{ provider: label, model }],
  })
}

/** Checks that nothing is held and that each source is the sum of its entries. @returns the balance of the wallet */
export async function settledBalance(user: Pick<User, 'balance' | 'ledger'>): Promise<bigint> {
  const { balanceMicros, reservedMicros } = await user.balance()
  assert.equal(reservedMicros, 0n, `${reservedMicros} micros are still held`)
  const sums = new Map<string, bigint>()
  for (const entry of (await user.ledger()).toReversed()) {
    const sum = (sums.get(entry.source) ?? 0n) + BigInt(entry.amountUnits)
    assert.equal(entry.balanceAfterUnits, String(sum), `the entries of ${entry.source} do not add up`)
    sums.set(entry.source, sum)
  }
  assert.equal(sums.get('wallet') ?? 0n, balanceMicros, 'the wallet differs from the sum of its entries')
  return balanceMicros
}

/** Writes to the store, because the server creates no expired keys. Only for the embedded store. */
export async function expire({ folder }: Pick<Server, 'folder'>, keyId: string, atMs: number): Promise<void> {
  await eventually(async () => {
    // The write does not wait for locks. An open transaction may belong to this thread, and would then never end.
    const database = new DatabaseSync(join(folder, 'tollgate.db'), { timeout: 0 })
    try {
      database.prepare('UPDATE keys SET expires_at_ms = ? WHERE id = ?').run(atMs, keyId)
    } finally {
      database.close()
    }
  })
}

/** `[DONE]` is returned as text. */
// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
export function framesOf(text: string): any[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => (frame === 'data: [DONE]' ? '[DONE]' : JSON.parse(frame.slice(6))))
}

export function textsOf(text: string): string[] {
  return framesOf(text)
    .map((frame) => frame.choices?.[0]?.delta?.content)
    .filter((content) => typeof content === 'string' && content !== '')
}

/** Call this before the request is sent. */
export async function arrival(provider: FakeProvider): Promise<FakeCall> {
  const seen = provider.calls.length
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- those that came before are passed over
    const call = await provider.nextCall()
    if (provider.calls.indexOf(call) >= seen) return call
  }
}

/**
 * Repeats `attempt` until it succeeds.
 *
 * @throws the error of the last attempt
 */
export async function eventually<T>(attempt: () => Promise<T>, withinMs = 60_000): Promise<T> {
  const endsAt = performance.now() + withinMs
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one try after the other
      return await attempt()
    } catch (error) {
      if (performance.now() > endsAt) throw error
    }
    // oxlint-disable-next-line no-await-in-loop -- what it waits for has no event on this side
    await delay(10)
  }
}

export interface RawAnswer {
  /** 0 if the connection was closed without a status line. */
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
  readonly body: any
}

/** For requests that no client would send. */
export function sendRaw(port: number, ...pieces: readonly (string | Uint8Array)[]): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    const end = (): void => {
      socket.destroy()
      resolve(parseRaw(received))
    }
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      if (isWhole(received)) end()
    })
    // A server that rejects a partial body closes the connection while the client is still sending.
    socket.on('error', () => {})
    socket.on('close', end)
    for (const piece of pieces) socket.write(piece)
  })
}

function isWhole(received: string): boolean {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const head = received.slice(0, headEnd)
  if (isChunked(head)) return received.endsWith('\r\n0\r\n\r\n')
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  return length !== undefined && received.length >= headEnd + 4 + Number(length)
}

function isChunked(head: string): boolean {
  return /\r\ntransfer-encoding: chunked/i.test(head)
}

function unchunked(text: string): string {
  const size = Number.parseInt(text, 16)
  const start = text.indexOf('\r\n') + 2
  return size > 0 ? text.slice(start, start + size) + unchunked(text.slice(start + size + 2)) : ''
}

function parseRaw(received: string): RawAnswer {
  const headEnd = received.indexOf('\r\n\r\n')
  const head = received.slice(0, Math.max(0, headEnd))
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const rest = headEnd < 0 ? '' : received.slice(headEnd + 4)
  const text = isChunked(head) ? unchunked(rest) : rest
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, text, body: parsed(text) }
}
