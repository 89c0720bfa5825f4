/**
 * The state of each step is computed from the store for each request. If the result of a step is deleted, such as a
 * key, the step counts as missing again.
 */
import type { Application } from '#domain/application-record.ts'
import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import { servedNames } from '#operations/routers/shared/names-that-bundles-serve.ts'
import type { OperationCall } from '#operations/kernel/suggested-call.ts'
import type { Context } from '#operations/kernel/operation-context.ts'

export const stepNames = [
  'provider_answered',
  'name_served',
  'bundle_allows',
  'default_bundle',
  'key_minted',
  'call_settled',
] as const

export interface Step {
  readonly step: (typeof stepNames)[number]
  readonly isDone: boolean
  readonly sentence: string
  readonly call: OperationCall
}

export interface SetUp {
  /** Null if the organization has no active application. */
  readonly application: Application | null
  readonly steps: readonly Step[]
}

/** The response shows the application that has completed the most steps. */
const applicationsMax = 20
/** Newest charged requests in which to look for an account that has returned a response. */
const callsMax = 500

export async function setUpOf(context: Context): Promise<SetUp> {
  const applications = await context.store.applications.serving(context.organization.id, applicationsMax)
  let nearest: SetUp | null = null
  for (const application of applications) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other: most have one
    const steps = await stepsOf(application, context)
    if (nearest === null || doneOf(steps) > doneOf(nearest.steps)) nearest = { application, steps }
  }
  return nearest ?? { application: null, steps: await stepsOf(null, context) }
}

export function missingOf({ steps }: SetUp): readonly Step[] {
  return steps.filter(({ isDone }) => !isDone)
}

export function nextOf({ call, sentence }: Pick<Step, 'call' | 'sentence'>): string {
  return `${sentence} See ${call.operation}, ${call.method} ${call.path}`
}

function doneOf(steps: readonly Step[]): number {
  return steps.filter(({ isDone }) => isDone).length
}

async function stepsOf(application: Application | null, context: Context): Promise<readonly Step[]> {
  const { mode, nowMs, store } = context
  const names = application === null ? null : await servedNames({ ...context, application })
  const served = names?.models.filter(({ state }) => state.status === 'serving') ?? []
  const routed = names?.routers.filter(({ state }) => state.isServing) ?? []
  const allowing = names?.bundles.filter(({ isEmpty }) => !isEmpty) ?? []
  const defaultBundle = names?.bundles.find(({ bundle }) => bundle.id === application?.defaultBundleId)
  const hasKey = application !== null && (await store.diagnosis.hasKey(application.id, mode, nowMs))
  const calls = application === null ? 0 : await settledCalls(application.id, context)
  return [
    await providerStep(application, calls, context),
    nameStep(
      [
        ...served.map(({ alias: { name } }) => showName('models', name)),
        ...routed.map(({ router: { name } }) => showName('routers', name)),
      ],
      names?.models.find(({ state }) => state.status === 'test_only')?.alias.name ?? null,
    ),
    bundleStep(allowing.map(({ bundle }) => bundle.slug)),
    defaultStep(application, defaultBundle?.bundle.slug ?? null),
    keyStep(hasKey, context),
    callStep(calls, application, context),
  ]
}

async function settledCalls(applicationId: string, { mode, store }: Context): Promise<number> {
  const all = { endUserId: null, fromDay: null, toDay: null }
  const sums = await store.usage.byAlias(applicationId, mode, all)
  return sums.reduce((sum, { calls }) => sum + calls, 0)
}

async function providerStep(application: Application | null, calls: number, context: Context): Promise<Step> {
  const { mode, organization, store } = context
  const accounts = await store.providers.all(organization.id)
  const [first] = accounts
  const answered = await answeredAccount(application, calls, accounts, context)
  const step = 'provider_answered'
  if (answered !== null) {
    return {
      step,
      isDone: true,
      sentence: `The provider account ${answered} has responded.`,
      call: showAccount(answered),
    }
  }
  const remote = accounts.find(({ kind }) => kindFacts(kind).place !== 'built_in')
  if (first === undefined || (mode === 'live' && remote === undefined)) {
    const sentence = first
      ? 'The only provider account is the simulator, which does not serve live requests.'
      : 'No provider account is connected.'
    const body = { kind: 'openai', apiKey: '<your API key at the provider>' }
    const call: OperationCall = {
      operation: 'providers.connect',
      method: 'PUT',
      path: '/v1/providers/main',
      body: mode === 'test' ? { kind: 'simulator' } : body,
    }
    return { step, isDone: false, sentence, call }
  }
  const { label } = remote ?? first
  return {
    step,
    isDone: false,
    sentence: `The provider account ${label} is connected but has not responded yet. Probe the account or send a request.`,
    call: probeAccount(label, mode),
  }
}

/** There are no probes in test mode, so the call shows the account. */
function probeAccount(label: string, mode: Context['mode']): OperationCall {
  if (mode === 'test') return showAccount(label)
  return { operation: 'providers.probe', method: 'POST', path: `/v1/providers/${label}/probe`, body: {} }
}

function showAccount(label: string): OperationCall {
  return { operation: 'providers.show', method: 'GET', path: `/v1/providers/${label}`, body: null }
}

/** In test mode, the simulator responds for all accounts. */
async function answeredAccount(
  application: Application | null,
  calls: number,
  accounts: readonly {
    readonly id: string
    readonly kind: Parameters<typeof kindFacts>[0]
    readonly label: string
  }[],
  { mode, organization, store }: Context,
): Promise<string | null> {
  if (mode === 'test') {
    const simulator = accounts.find(({ kind }) => kindFacts(kind).place === 'built_in')
    return simulator?.label ?? (calls > 0 ? (accounts[0]?.label ?? null) : null)
  }
  const probes = await store.probes.newest(organization.id)
  const probed = accounts.find(({ id }) =>
    probes.some(({ accountId, errorCode }) => accountId === id && errorCode === null),
  )
  if (probed) return probed.label
  if (application === null || calls === 0) return null
  const answers = await store.diagnosis.accountAnswers(application.id, mode, 0, callsMax)
  const answered = new Set(
    answers.flatMap(({ accountId, errorCode }) => (errorCode === null ? accountId : [])),
  )
  const account = accounts.find(({ id, kind }) => answered.has(id) && kindFacts(kind).place !== 'built_in')
  return account?.label ?? null
}

interface ShownName {
  readonly name: string
  readonly call: OperationCall
}

function showName(noun: 'models' | 'routers', name: string): ShownName {
  return { name, call: { operation: `${noun}.show`, method: 'GET', path: `/v1/${noun}/${name}`, body: null } }
}

/** @param testOnly a model name that is served only in test mode */
function nameStep([shown]: readonly ShownName[], testOnly: string | null): Step {
  const step = 'name_served'
  if (shown !== undefined) {
    const { call, name } = shown
    return { step, isDone: true, sentence: `The model name ${name} has a price and is served.`, call }
  }
  return {
    step,
    isDone: false,
    sentence:
      testOnly === null
        ? 'No model name is served. Add a model name with a source that has a price.'
        : `No model name is served in live mode. Every source of ${testOnly} is a simulator. Add a model name with a source at a provider.`,
    call: {
      operation: 'models.add',
      method: 'PUT',
      path: '/v1/models/smart',
      body: { sources: [{ provider: 'main', model: 'gpt-5-mini' }] },
    },
  }
}

function bundleStep([slug]: readonly string[]): Step {
  const step = 'bundle_allows'
  if (slug !== undefined) {
    const call: OperationCall = {
      operation: 'bundles.show',
      method: 'GET',
      path: `/v1/bundles/${slug}`,
      body: null,
    }
    return { step, isDone: true, sentence: `The bundle ${slug} allows a model name that is served.`, call }
  }
  return {
    step,
    isDone: false,
    sentence:
      'No bundle allows a model name that is served. Create a bundle that allows a served model name.',
    call: {
      operation: 'bundles.allow',
      method: 'POST',
      path: '/v1/bundles/free/allow',
      body: { models: ['*'] },
    },
  }
}

function defaultStep(application: Application | null, slug: string | null): Step {
  const step = 'default_bundle'
  if (application === null) {
    return {
      step,
      isDone: false,
      sentence: 'No application exists.',
      call: { operation: 'apps.create', method: 'PUT', path: '/v1/apps/acme', body: { name: 'Acme' } },
    }
  }
  if (slug === null) {
    return {
      step,
      isDone: false,
      sentence: `The application ${application.slug} has no default bundle. The first bundle that is created becomes the default.`,
      call: {
        operation: 'bundles.create',
        method: 'PUT',
        path: '/v1/bundles/free',
        body: { displayName: 'Free' },
      },
    }
  }
  return {
    step,
    isDone: true,
    sentence: `New end users of ${application.slug} get the bundle ${slug}.`,
    call: { operation: 'apps.show', method: 'GET', path: `/v1/apps/${application.slug}`, body: null },
  }
}

function keyStep(hasKey: boolean, { mode }: Context): Step {
  const step = 'key_minted'
  if (hasKey) {
    const call: OperationCall = { operation: 'keys.list', method: 'GET', path: '/v1/keys', body: null }
    return { step, isDone: true, sentence: `A valid ${mode} key exists.`, call }
  }
  return {
    step,
    isDone: false,
    sentence: `No valid ${mode} key exists.`,
    call: {
      operation: 'keys.mint',
      method: 'POST',
      path: '/v1/keys',
      body: { endUserId: 'user-1', livemode: mode === 'live' },
    },
  }
}

function callStep(calls: number, application: Application | null, { mode, ports }: Context): Step {
  const step = 'call_settled'
  const call: OperationCall = { operation: 'requests.list', method: 'GET', path: '/v1/requests', body: null }
  if (calls > 0) return { step, isDone: true, sentence: `Settled requests in ${mode} mode: ${calls}.`, call }
  const address = application === null ? null : gatewayOf(application, ports)
  const where = address === null ? 'the gateway' : `${address}/v1/chat/completions`
  return {
    step,
    isDone: false,
    sentence: `No ${mode} request has settled. Send a request to ${where} with a key.`,
    call,
  }
}

function gatewayOf(application: Application, ports: Context['ports']): string {
  const { gateway, localGateway = gateway } = ports.urls(application)
  return localGateway
}
