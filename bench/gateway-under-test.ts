/**
 * Runs the gateway under test in the same way as an operator. The benchmark sets up an application with the published
 * API, and sends calls to the application's loopback address. This file uses no internals of the gateway.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, startChild, textAt, type Child } from './start-child-process.ts'
import { jsonCall, type Scenario, tagOfRequests, type Target } from './targets-and-scenarios.ts'
import type { TailSource } from './live-tail-cost.ts'
import type { WireName } from './wires/wire-format-interface.ts'

export interface TollgateOptions {
  readonly folder: string
  /** Defaults to this checkout. */
  readonly root?: string
  readonly providerUrl: string
  readonly people: number
  /** The application has a model name for each model of these scenarios. */
  readonly scenarios: readonly Scenario[]
  /** Null means the gateway's default. */
  readonly writer: string | null
  readonly nodeOptions?: string
  /** If omitted, the embedded store is used. */
  readonly databaseUrl?: string
  /** If omitted, the gateway runs in one process. */
  readonly workers?: number
  readonly isWarmedUp?: boolean
  /**
   * Limits of each key, the bundle, each end user, the application and the tag of the requests. If omitted, there are
   * no limits and no tag.
   */
  readonly limits?: readonly object[]
}

/** A data folder that `npm run seed` has filled: its organization, its application, and its end users with money. */
export interface FilledStore {
  readonly organizationId: string
  readonly application: string
  readonly externalId: (n: number) => string
}

export interface Tollgate {
  readonly target: Target
  readonly child: Child
  readonly tail: TailSource
  usage(): Promise<{ calls: number; billedMicros: string }>
  /**
   * Sends a GET request to the control plane for the application.
   * @throws if the response is not successful
   */
  get(path: string): Promise<Record<string, unknown>>
  addApplication(slug: string, people: number, limits?: TollgateOptions['limits']): Promise<Target>
  /** Stops the gateway as an operator would, and starts it again with the same data and the same keys. */
  restart(changed?: Pick<TollgateOptions, 'isWarmedUp' | 'workers'>): Promise<Tollgate>
}

const ownRoot = join(import.meta.dirname, '..')
export const ownApplication = 'bench'
const bundle = 'everyone'
/** On its first start with a filled store, the gateway computes the hourly and daily totals of all stored calls. */
const filledStartMs = 600_000

export async function startTollgate(options: TollgateOptions): Promise<Tollgate> {
  const child = await serve(options)
  const { setup } = child.greeting
  if (!isObject(setup)) throw new Error('the data folder was not new')
  const token = textAt(setup, 'token')
  const application = ownApplication
  const control = controlPlane({ child, token, application })
  const { gatewayUrl, keys } = await setUp(control, application, options)
  return tollgate({ options, child, token, application, gatewayUrl, keys })
}

/**
 * The measurements of a gateway that loses calls cannot be used.
 * @param answered calls of this gateway and of its earlier processes, if it was started again on the same data
 */
export async function checkBooks(
  { target, usage }: Pick<Tollgate, 'target' | 'usage'>,
  answered = target.answered.calls,
): Promise<void> {
  const { calls } = await usage()
  if (calls !== answered) throw new Error(`${answered} calls were answered, ${calls} are on the books`)
}

export async function startOnFilledStore(options: TollgateOptions, store: FilledStore): Promise<Tollgate> {
  const { application, externalId, organizationId } = store
  const child = await serve(options, filledStartMs)
  const { folder, people, root = ownRoot } = options
  const words = ['token', '--data', join(folder, 'data'), '--organization', organizationId]
  const token = execFileSync(join(root, 'bin', 'tollgate'), words, { encoding: 'utf8', stdio: 'pipe' }).trim()
  const control = controlPlane({ child, token, application })
  await addModels(control, options)
  const keys: string[] = []
  await eachOf(
    Array.from({ length: people }, (_, n) => externalId(n)),
    16,
    async (endUserId, i) => {
      keys[i] = textAt(await control('POST', '/v1/keys', { endUserId }), 'key')
    },
  )
  const gatewayUrl = textAt(await control('GET', `/v1/apps/${application}`), 'localGateway')
  return tollgate({ options, child, token, application, gatewayUrl, keys })
}

function tollgate({
  options,
  child,
  token,
  application,
  gatewayUrl,
  keys,
}: {
  options: TollgateOptions
  child: Child
  token: string
  application: string
  gatewayUrl: string
  keys: readonly string[]
}): Tollgate {
  const control = controlPlane({ child, token, application })
  const target: Target = {
    name: options.root === undefined ? 'tollgate' : 'reference',
    url: gatewayUrl,
    pid: child.pid,
    keys,
    modelName: aliasOf,
    isGateway: true,
    answered: { calls: 0 },
  }
  return {
    child,
    tail: { url: textAt(child.greeting, 'baseUrl'), token },
    target,
    async usage() {
      const { totals } = await control('GET', '/v1/usage')
      if (!isObject(totals) || typeof totals['calls'] !== 'number')
        throw new Error('usage has no totals.calls')
      return { calls: totals['calls'], billedMicros: textAt(totals, 'billedMicros') }
    },
    get: (path) => control('GET', path),
    async addApplication(slug, people, limits) {
      const own = controlPlane({ child, token, application: slug })
      const made = await setUp(own, slug, { ...options, people, ...(limits && { limits }) })
      return { ...target, name: slug, url: made.gatewayUrl, keys: made.keys, answered: { calls: 0 } }
    },
    async restart(changed = {}) {
      await child.stop()
      const next = await serve({ ...options, ...changed })
      const again = controlPlane({ child: next, token, application })
      const shown = await again('GET', `/v1/apps/${application}`)
      const moved = textAt(shown, 'localGateway')
      return tollgate({ options, child: next, token, application, keys, gatewayUrl: moved })
    },
  }
}

async function serve(
  { databaseUrl, folder, isWarmedUp, nodeOptions, root = ownRoot, workers, writer }: TollgateOptions,
  timeoutMs?: number,
): Promise<Child> {
  // Settings in the user's environment must not affect the measurements.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('TOLLGATE_') && name !== 'DATABASE_URL' && name !== 'NODE_OPTIONS',
  )
  return startChild({
    command: join(root, 'bin', 'tollgate'),
    args: [
      'serve',
      '--data',
      join(folder, 'data'),
      '--port',
      '0',
      '--json',
      ...(workers === undefined ? [] : ['--workers', String(workers)]),
    ],
    env: {
      ...Object.fromEntries(inherited),
      TOLLGATE_ALLOW_PRIVATE_PROVIDERS: 'true',
      // All end users are created with one token, so disable the rate limit. Older gateways without this rate limit
      // reject the setting.
      ...(knowsRates(root) ? { TOLLGATE_CONTROL_RATE: '0' } : {}),
      ...(writer === null ? {} : { TOLLGATE_WRITER: writer }),
      ...(isWarmedUp === undefined ? {} : { TOLLGATE_WARM_UP: String(isWarmedUp) }),
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }),
    },
    logPath: join(folder, 'tollgate.log'),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
}

type Control = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>

async function setUp(
  control: Control,
  application: string,
  options: TollgateOptions,
): Promise<{ gatewayUrl: string; keys: string[] }> {
  const { limits, people, providerUrl, root, scenarios } = options
  const ofLimits = limits && { limits }
  const created = await control('PUT', `/v1/apps/${application}`, { name: 'Bench' })
  await addModels(control, options)
  if (scenarios.includes(jsonCall) && root === undefined) await addRouter(control, providerUrl)
  await control('PUT', `/v1/bundles/${bundle}`, { displayName: 'Everyone', ...ofLimits })
  await control('POST', `/v1/bundles/${bundle}/allow`, { models: ['bench/*'] })

  const endUsers = Array.from({ length: people }, (_, i) => `person-${String(i).padStart(4, '0')}`)
  const keys: string[] = []
  await eachOf(endUsers, 16, async (endUserId, i) => {
    await control('PUT', `/v1/end-users/${endUserId}`, { bundle })
    keys[i] = textAt(await control('POST', '/v1/keys', { endUserId, ...ofLimits }), 'key')
    if (limits) await control('PUT', `/v1/end-users/${endUserId}/limit`, { limits })
  })
  if (limits) {
    await control('PUT', '/v1/tags', { tags: [{ slug: tagOfRequests, limits }] })
    await control('PATCH', '/v1/gateway', { limits })
  }
  // 10,000 dollars for each end user, so that no call is rejected or shortened for lack of money.
  await control('POST', '/v1/grants', {
    endUsers,
    amountUnits: '10000000000',
    reason: 'bench',
    idempotencyKey: 'bench-1',
  })
  return { gatewayUrl: textAt(created, 'localGateway'), keys }
}

async function addModels(control: Control, { providerUrl, scenarios }: TollgateOptions): Promise<void> {
  const upstreams = new Map(
    scenarios.map(({ provider, upstreamModel }) => [
      provider.name + upstreamModel,
      { provider, upstreamModel },
    ]),
  )
  const accounts = new Map<WireName, string>()
  for (const { provider, upstreamModel: model } of upstreams.values()) {
    let id = accounts.get(provider.name)
    if (id === undefined) {
      const { kind, path } = accountOf[provider.name]
      const connected = await control('PUT', `/v1/providers/${provider.name}`, {
        kind,
        baseUrl: `${providerUrl}${path}`,
        apiKey: 'sk-fake-provider',
      })
      id = textAt(connected, 'id')
      accounts.set(provider.name, id)
    }
    await control('POST', `/v1/providers/${id}/price`, { model, price })
  }
  for (const scenario of scenarios) {
    await control('PUT', `/v1/models/${encodeURIComponent(aliasOf(scenario))}`, {
      sources: [{ provider: scenario.provider.name, model: scenario.upstreamModel }],
    })
  }
}

/**
 * Creates five accounts of one provider, like a customer who has several API keys, and a router that chooses among
 * them.
 */
async function addRouter(control: Control, providerUrl: string): Promise<void> {
  const { kind, path } = accountOf[jsonCall.provider.name]
  const model = jsonCall.upstreamModel
  const targets: object[] = []
  for (let at = 1; at <= 5; at++) {
    const label = `pooled-${at}`
    const account = { kind, baseUrl: `${providerUrl}${path}`, apiKey: 'sk-fake-provider' }
    // oxlint-disable-next-line no-await-in-loop -- five
    const connected = await control('PUT', `/v1/providers/${label}`, account)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await control('POST', `/v1/providers/${textAt(connected, 'id')}/price`, { model, price })
    targets.push({ provider: label, model })
  }
  await control('PUT', `/v1/routers/${encodeURIComponent(routerName)}`, { policy: 'weighted', targets })
}

/** This router has five targets and serves the fastest call (`jsonCall`). */
export const routerName = 'bench/router'

const price = {
  input: '150000',
  cacheRead: '75000',
  cacheWrite: '187500',
  cacheWriteLong: '300000',
  output: '600000',
}

/**
 * Differs from the provider's model name, so that the gateway rewrites the name in both directions, as for a customer.
 */
function aliasOf({ upstreamModel, provider }: Scenario): string {
  return upstreamModel.replace('fake-', `bench/${provider.name}-`)
}

/** For each wire, the kind of account that serves it, and the path at the end of the account's base URL. */
const accountOf: Readonly<Record<WireName, { readonly kind: string; readonly path: string }>> = {
  chat: { kind: 'openai_compatible', path: '/v1' },
  messages: { kind: 'anthropic', path: '' },
  generate: { kind: 'google', path: '' },
  responses: { kind: 'openai', path: '/v1' },
}

function controlPlane({
  application,
  child,
  token,
}: {
  readonly child: Child
  readonly token: string
  readonly application: string
}): Control {
  const baseUrl = textAt(child.greeting, 'baseUrl')
  return async (method, path, body) => {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-svc-app': application,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) throw new Error(`${method} ${path} did not answer an object`)
    return value
  }
}

async function eachOf<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const entries = items.entries()
  const lane = async () => {
    for (const [index, item] of entries) await work(item, index)
  }
  await Promise.all(Array.from({ length: width }, lane))
}

/** Searches all files of the folder, because the file with the settings has other names in older checkouts. */
function knowsRates(root: string): boolean {
  const folder = join(root, 'src/app')
  return readdirSync(folder, { withFileTypes: true }).some(
    (entry) =>
      entry.isFile() && readFileSync(join(folder, entry.name), 'utf8').includes('TOLLGATE_CONTROL_RATE'),
  )
}
