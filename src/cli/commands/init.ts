/**
 * `tollgate init`: the six steps of onboarding.status, from a provider account to a charged request. Existing resources
 * are used unchanged, so a second run completes an interrupted first run. With --yes, the command uses the defaults.
 */
import { isRemoteKind, kindFacts, providerKindNames } from '#domain/accounts/provider-kinds.ts'
import { Api } from '#cli/api-client.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { gatewayCall } from '#cli/call-gateway.ts'
import { steps, usual } from '#cli/operations/recipe-of-first-request.ts'
import { microsOf, moneyText } from '#cli/output/dollars-and-micros.ts'
import { paint } from '#cli/output/terminal-colors.ts'
import { cut, harmless } from '#cli/output/text-width.ts'
import { questions, type Ask } from '#cli/prompts-of-command.ts'
import { keepInProfile, settingsOf, type Settings } from '#cli/settings/settings.ts'
import { CommandError, exit, usageError, type Terminal } from '#cli/terminal-interface.ts'
import { clientsFor, gatewayOf } from '#sdk/clients.ts'
import type { RequestsExplainOutput } from '#sdk/generated/operations.ts'
import type {
  Application,
  Bundle,
  EndUser,
  MintedKey,
  Model,
  Onboarding,
  ProviderAccount,
} from '#sdk/generated/types.ts'

export interface InitFlags extends CommonFlags {
  readonly name?: string
  readonly kind?: string
  readonly baseUrl?: string
  readonly provider?: string
  readonly model?: string
  readonly upstream?: string
  readonly inputPrice?: string
  readonly outputPrice?: string
  readonly bundle?: string
  readonly user?: string
  readonly credit?: string
}

/** The simulator comes first, because it needs no account. */
const kinds: readonly string[] = ['simulator', ...providerKindNames.filter((kind) => kind !== 'simulator')]
const prompt = 'Say hello to the first request of this gateway.'
const cheapModels: Readonly<Record<string, string>> = {
  simulator: usual.upstream,
  openai: 'gpt-5-mini',
  anthropic: 'claude-haiku-4-5',
  google: 'gemini-2.5-flash',
}

export async function init(flags: InitFlags, terminal: Terminal): Promise<number> {
  const { err } = terminal
  const settings = settingsOf(flags, terminal)
  const ask = questions(flags, terminal)
  const say = (text: string): void => err.write(`${paint(err, 'green', '✓')} ${harmless(text)}\n`)
  const organization = new Api({ ...settings, app: null }, terminal)

  const app = await applicationOf(organization, settings, flags, ask)
  say(`Application ${app.name} (${app.slug}).`)

  const kind = await ask(
    { name: '--kind', flag: flags.kind, text: `Provider (${kinds.join(', ')})`, otherwise: usual.provider },
    (answer) => {
      if (!kinds.includes(answer))
        throw usageError(`--kind must be one of ${kinds.join(', ')}, but is ${answer}.`)
      return answer
    },
  )
  // The simulator serves all requests in test mode, and none in live mode.
  const mode = kind === 'simulator' ? 'test' : settings.mode.value
  const own: Settings = {
    ...settings,
    app: { value: app.slug, origin: 'init' },
    mode: { value: mode, origin: 'init' },
  }
  const api = new Api(own, terminal)
  const label = await providerOf(api, kind, flags, ask)
  say(`Provider account ${label}.`)

  const model = await modelOf(api, { app, kind, label }, flags, ask)
  say(`Model ${model}.`)

  const bundle = await bundleOf(api, model, flags, ask)
  say(`Bundle ${bundle}, which allows the model and is the default for new end users.`)

  const user = await ask(
    { name: '--user', flag: flags.user, text: 'Your ID for the first end user', otherwise: usual.endUserId },
    async (externalId) => {
      const found = await api.find<EndUser>('users.show', { externalId })
      // Another bundle would change the plan of the end user, and could create an invoice.
      const isKept = found !== null && found.bundle !== null && flags.bundle === undefined
      if (!isKept) await api.perform(steps.endUser({ externalId, bundle }))
      return externalId
    },
  )
  const credit = await ask(
    {
      name: '--credit',
      flag: flags.credit,
      text: 'Credit for the end user',
      otherwise: moneyText(usual.creditMicros).replace('.00', ''),
    },
    async (answer) => {
      const amountUnits = microsOf('--credit', answer)
      // The credit is granted only once, however often the command runs.
      const idempotencyKey = `init-${app.slug}-${user}-${mode}-${amountUnits}`
      await api.perform(steps.credit(user, { amountUnits, reason: 'First credit', idempotencyKey }))
      return amountUnits
    },
  )
  const minted = await api.perform<MintedKey>(
    steps.key({ endUserId: user, name: 'init', livemode: mode === 'live' }),
  )
  say(`End user ${user} with ${moneyText(credit)} of credit and a ${mode} key.`)

  const gateway = gatewayOf(app)
  const call = await gatewayCall({ gateway, key: minted.key, model, prompt, maxTokens: 64 }, terminal)
  if (call.status !== 200) {
    throw new CommandError(
      `The request failed with status ${call.status}: ${call.text} (${call.requestId}). To find the cause, run tollgate doctor --app ${app.slug} --mode ${mode}.`,
      exit.failed,
    )
  }
  const explained = await api.call<RequestsExplainOutput>('requests.explain', { id: call.requestId })
  const charge = explained.settle?.chargeMicros ?? '0'
  say(`The first request succeeded. Its charge is ${moneyText(charge)}.`)
  keepInProfile(settings.profile.value, terminal, { host: settings.host.value, app: app.slug, mode })
  const status = await api.call<Onboarding>('onboarding.status')
  const { openai } = clientsFor(gateway, minted.key)
  const result = {
    app: app.slug,
    mode,
    provider: label,
    model,
    bundle,
    endUserId: user,
    key: minted.key,
    keyId: minted.id,
    gateway,
    requestId: call.requestId,
    chargeMicros: charge,
    steps: status.steps,
  }
  if (flags.json === true) {
    terminal.out.write(`${JSON.stringify(result)}\n`)
    return exit.ok
  }
  terminal.out.write(
    [`export OPENAI_BASE_URL=${openai.baseURL}`, `export OPENAI_API_KEY=${openai.apiKey}`, ''].join('\n'),
  )
  err.write(
    [
      '',
      `  answer   ${cut(harmless(call.text), 70)}`,
      `  charged  ${moneyText(charge)}   request ${call.requestId}`,
      '',
      'The key is shown only once. Next:',
      `  tollgate requests explain ${call.requestId}`,
      '  tollgate usage --by user',
      '',
    ].join('\n'),
  )
  return exit.ok
}

async function applicationOf(api: Api, settings: Settings, flags: InitFlags, ask: Ask): Promise<Application> {
  if (settings.app !== null) {
    const slug = settings.app.value
    return (
      (await api.find<Application>('apps.show', { slug })) ??
      api.perform<Application>(steps.application({ slug, name: flags.name ?? slug }))
    )
  }
  const { data } = await api.call<{ data: readonly Application[] }>('apps.list')
  const serving = data.filter(({ archivedAt }) => archivedAt === null)
  const [first, ...others] = serving
  if (first && flags.name === undefined) {
    if (others.length === 0) return first
    const slugs = serving.map(({ slug }) => slug).join(', ')
    // This question has no default answer.
    return ask({ name: '--app', text: `Application (${slugs})`, otherwise: '' }, (answer) => {
      const found = serving.find(({ slug }) => slug === answer)
      if (!found)
        throw usageError(
          `${answer === '' ? 'Enter the slug of an application.' : `There is no application ${answer}.`} The applications are ${slugs}.`,
        )
      return found
    })
  }
  return ask(
    { name: '--name', flag: flags.name, text: 'Name of the application', otherwise: usual.application },
    (name) => {
      const slug = name
        .normalize('NFKD')
        .replaceAll(/\p{M}/gu, '')
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .slice(0, 40)
        .replaceAll(/^-|-$/g, '')
      if (slug === '') {
        throw usageError(`The name must contain a letter from a to z or a digit, but is ${name}.`)
      }
      return api.perform<Application>(steps.application({ slug, name }))
    },
  )
}

async function providerOf(api: Api, kind: string, flags: InitFlags, ask: Ask): Promise<string> {
  const { data } = await api.call<{ data: readonly ProviderAccount[] }>('providers.list')
  const label =
    flags.provider ??
    data.find((one) => one.kind === kind)?.label ??
    (kind === 'simulator' ? usual.provider : 'main')
  if (data.some((one) => one.label === label)) return label
  const connect = async (baseUrl: string | undefined): Promise<string> => {
    const keyless = { label, kind, ...(baseUrl !== undefined && { baseUrl }) }
    if (kind === 'simulator') await api.call('providers.connect', keyless)
    else {
      await ask(
        { name: 'the API key of the provider', text: 'API key of the provider', isSecret: true },
        (apiKey) => api.call('providers.connect', { ...keyless, apiKey }),
      )
    }
    return label
  }
  if (!isRemoteKind(kind) || kindFacts(kind).place === 'vendor') return connect(flags.baseUrl)
  const baseUrl = await ask(
    {
      name: '--base-url',
      flag: flags.baseUrl,
      text: 'Base URL of the provider, including /v1',
      otherwise: '',
    },
    (answer) => {
      if (!/^https?:\/\/[^/]/.test(answer)) {
        throw usageError(
          `--base-url must begin with https://, or http:// within your network, but is ${answer}.`,
        )
      }
      return answer
    },
  )
  return connect(baseUrl)
}

interface Place {
  readonly app: Application
  readonly kind: string
  readonly label: string
}

async function modelOf(api: Api, { app, kind, label }: Place, flags: InitFlags, ask: Ask): Promise<string> {
  const model = await ask(
    {
      name: '--model',
      flag: flags.model,
      text: 'Model name for end users',
      otherwise: `${app.slug}/fast`,
    },
    async (name) => {
      const found = await api.find<Model>('models.show', { name })
      if (found) return found
      const upstream = await ask(
        {
          name: '--upstream',
          flag: flags.upstream,
          text: 'Model ID at the provider',
          otherwise: cheapModels[kind] ?? '',
        },
        (answer) => {
          if (answer === '')
            throw usageError('--upstream must be the model ID at the provider, but is empty.')
          return answer
        },
      )
      return api.perform<Model>(steps.model(label, { name, upstream }))
    },
  )
  const [source] = model.sources
  if (source && (model.status === 'unpriced' || flags.inputPrice !== undefined)) {
    await priceOf(api, source, flags, ask)
  }
  return model.name
}

/** A model without a price is not served. */
async function priceOf(
  api: Api,
  { model, provider }: Model['sources'][number],
  flags: InitFlags,
  ask: Ask,
): Promise<void> {
  const price = (name: string, flag: string | undefined, text: string): Promise<string> =>
    ask({ name, flag, text, otherwise: '' }, (answer) => microsOf(name, answer))
  const input = await price(
    '--input-price',
    flags.inputPrice,
    `Your cost for a million input tokens of ${model}`,
  )
  const output = await price('--output-price', flags.outputPrice, 'Your cost for a million output tokens')
  await api.perform(steps.price(provider, model, { input, output }))
}

async function bundleOf(api: Api, model: string, flags: InitFlags, ask: Ask): Promise<string> {
  const { data } = await api.call<{ data: readonly Bundle[] }>('bundles.list', { limit: 200 })
  const present = data.find((one) => one.default)
  const first = flags.bundle ?? (present ?? data[0])?.slug
  const bundle = await ask(
    { name: '--bundle', flag: first, text: 'First bundle, a plan for end users', otherwise: usual.bundle },
    async (slug) => {
      if ((await api.find<Bundle>('bundles.show', { slug })) === null) {
        await api.perform(steps.bundle({ slug, displayName: slug[0]?.toUpperCase() + slug.slice(1) }))
      }
      return slug
    },
  )
  await api.perform(steps.allow(bundle, [model]))
  // The first bundle of an application becomes its default bundle automatically.
  if (data.length > 0 && bundle !== present?.slug) await api.call('bundles.default', { slug: bundle })
  return bundle
}
