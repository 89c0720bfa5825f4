/**
 * `tollgate init`: the six steps of onboarding.status, from a provider account to a call that was paid for. What is
 * there already is used and not changed; what is not said is asked for, or is the default with --yes.
 */
import { Api } from '#cli/client.ts'
import type { CommonFlags } from '#cli/common-flags.ts'
import { gatewayCall } from '#cli/gateway-call.ts'
import { microsOf, moneyText } from '#cli/output/money.ts'
import { paint } from '#cli/output/style.ts'
import { harmless } from '#cli/output/text-width.ts'
import { keepInProfile, settingsOf, type Settings } from '#cli/settings/settings.ts'
import { CommandError, exit, usageError, type Terminal } from '#cli/terminal.ts'
import { clientsFor } from '#sdk/clients.ts'

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

interface App {
  readonly slug: string
  readonly name: string
  readonly gateway: string
  readonly localGateway?: string
}

interface Steps {
  readonly steps: readonly { readonly step: string; readonly state: string; readonly sentence: string }[]
}

/** A flag, else what the person types, else the default. */
type Asked = (flag: string | undefined, question: string, otherwise: string, name: string) => Promise<string>

const kinds = ['simulator', 'openai', 'anthropic', 'google', 'openai_compatible']
const prompt = 'Say hello to the first call of this gateway.'
/** What each kind serves cheaply, for the question. */
const cheapModels: Readonly<Record<string, string>> = {
  simulator: 'sim-1',
  openai: 'gpt-5-mini',
  anthropic: 'claude-haiku-4-5',
  google: 'gemini-2.5-flash',
}

export async function init(flags: InitFlags, terminal: Terminal): Promise<number> {
  const { err } = terminal
  const settings = settingsOf(flags, terminal)
  const asked = askedOf(flags, terminal)
  const say = (text: string): void => err.write(`${paint(err, 'green', '✓')} ${harmless(text)}\n`)
  const organization = new Api({ ...settings, app: null }, terminal)

  const app = await applicationOf(organization, settings, flags, asked)
  say(`Application ${app.name} (${app.slug}).`)

  const kind = await asked(flags.kind, `Provider (${kinds.join(', ')})`, 'simulator', '--kind')
  if (!kinds.includes(kind)) throw usageError(`--kind is ${kind}; it is one of ${kinds.join(', ')}.`)
  // The simulator answers test calls only, and every test call.
  const mode = kind === 'simulator' ? 'test' : settings.mode.value
  const own: Settings = {
    ...settings,
    app: { value: app.slug, origin: 'init' },
    mode: { value: mode, origin: 'init' },
  }
  const api = new Api(own, terminal)
  const label = await providerOf(api, kind, flags, asked, terminal)
  say(`Provider account ${label}.`)

  const model = await modelOf(api, { app, kind, label }, flags, asked)
  say(`End users ask for ${model}.`)

  const bundle = await bundleOf(api, model, flags, asked)
  say(`The bundle ${bundle} allows it, and is what new people get.`)

  const user = await asked(flags.user, 'The first end user, by your own id', 'ada', '--user')
  await api.call('users.create', { externalId: user, bundle })
  const creditText = await asked(flags.credit, 'Credit for them', '$5', '--credit')
  const credit = microsOf('--credit', creditText)
  const grant = {
    endUsers: [user],
    amountUnits: credit,
    reason: 'First credit',
    idempotencyKey: `init-${app.slug}-${user}-${mode}`,
  }
  await api.call('grants.issue', grant)
  const minted = await api.call<{ key: string; id: string }>('keys.mint', {
    endUserId: user,
    name: 'init',
    livemode: mode === 'live',
  })
  say(`${user} has ${moneyText(credit)} of credit, and a ${mode} key.`)

  const gateway = app.localGateway ?? app.gateway
  const call = await gatewayCall({ gateway, key: minted.key, model, prompt, maxTokens: 64 }, terminal)
  if (call.status !== 200) {
    throw new CommandError(
      `The call was answered ${call.status}: ${call.text} (${call.requestId}). tollgate doctor --app ${app.slug} --mode ${mode} may know why.`,
      exit.failed,
    )
  }
  const explained = await api.call<{ summary: string; settle: { chargeMicros: string } | null }>(
    'requests.explain',
    { id: call.requestId },
  )
  const charge = explained.settle?.chargeMicros ?? '0'
  say(`A call was answered and charged ${moneyText(charge)}.`)
  keepInProfile(settings.profile.value, terminal, { host: settings.host.value, app: app.slug, mode })
  const status = await api.call<Steps>('onboarding.status')
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
      `  answered  ${harmless(call.text).slice(0, 70)}`,
      `  charged   ${moneyText(charge)}   request ${call.requestId}`,
      '',
      'The key is shown this once. Next:',
      `  tollgate requests explain ${call.requestId}`,
      '  tollgate usage --by user',
      '',
    ].join('\n'),
  )
  return exit.ok
}

function askedOf({ yes }: CommonFlags, { err, input }: Terminal): Asked {
  return async (flag, question, otherwise, name) => {
    if (flag !== undefined) return flag
    if (yes === true && otherwise !== '') return otherwise
    if (!input.isTerminal || !err.isTerminal) {
      throw usageError(
        `Without a terminal nobody can be asked: say ${name}${otherwise === '' ? '' : `, or --yes for ${otherwise}`}.`,
      )
    }
    const typed = await input.ask(`${question}${otherwise === '' ? '' : ` [${otherwise}]`}: `)
    return typed.trim() === '' ? otherwise : typed.trim()
  }
}

async function applicationOf(api: Api, settings: Settings, flags: InitFlags, asked: Asked): Promise<App> {
  if (settings.app !== null) {
    const slug = settings.app.value
    return (
      (await api.find<App>('apps.show', { slug })) ??
      api.call<App>('apps.create', { slug, name: flags.name ?? slug })
    )
  }
  const { data } = await api.call<{ data: readonly (App & { archivedAt: string | null })[] }>('apps.list')
  const [first, ...others] = data.filter(({ archivedAt }) => archivedAt === null)
  if (first && others.length === 0 && flags.name === undefined) return first
  if (others.length > 0 && flags.name === undefined) {
    throw usageError(`There are several applications: name one with --app, or a new one with --name.`)
  }
  const name = await asked(flags.name, 'Name of the application', 'My app', '--name')
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40)
  return api.call<App>('apps.create', { slug, name })
}

async function providerOf(
  api: Api,
  kind: string,
  flags: InitFlags,
  asked: Asked,
  terminal: Terminal,
): Promise<string> {
  const { data } = await api.call<{ data: readonly { label: string; kind: string }[] }>('providers.list')
  const label =
    flags.provider ??
    data.find((one) => one.kind === kind)?.label ??
    (kind === 'simulator' ? 'simulator' : 'main')
  if (data.some((one) => one.label === label)) return label
  const baseUrl =
    kind === 'openai_compatible'
      ? await asked(flags.baseUrl, 'Its address, with /v1', '', '--base-url')
      : flags.baseUrl
  const apiKey = kind === 'simulator' ? undefined : await apiKeyOf(terminal)
  await api.call('providers.connect', { label, kind, baseUrl, apiKey })
  return label
}

/** Never a flag: what stands on a command line is seen by every process, and kept by the shell. */
async function apiKeyOf({ err, input }: Terminal): Promise<string> {
  if (input.isTerminal && err.isTerminal)
    return (await input.ask('Its API key (not shown): ', { isSecret: true })).trim()
  const key = new TextDecoder().decode(await input.read()).trim()
  if (key === '')
    throw usageError('The API key of the provider is read from standard input: tollgate init … < file.')
  return key
}

async function modelOf(
  api: Api,
  { app, kind, label }: { readonly app: App; readonly kind: string; readonly label: string },
  flags: InitFlags,
  asked: Asked,
): Promise<string> {
  const name = await asked(flags.model, 'The name of a model, for end users', `${app.slug}/fast`, '--model')
  if ((await api.find('models.show', { name })) !== null) return name
  const upstream = await asked(
    flags.upstream,
    "The provider's model behind it",
    cheapModels[kind] ?? '',
    '--upstream',
  )
  if (kind === 'openai_compatible' || flags.inputPrice !== undefined) {
    const input = microsOf(
      '--input-price',
      await asked(flags.inputPrice, 'What a million tokens in cost you', '', '--input-price'),
    )
    const output = microsOf(
      '--output-price',
      await asked(flags.outputPrice, 'And a million tokens out', '', '--output-price'),
    )
    await api.call('providers.price', { id: label, model: upstream, price: { input, output } })
  }
  await api.call('models.add', { name, sources: [{ provider: label, model: upstream }] })
  return name
}

async function bundleOf(api: Api, model: string, flags: InitFlags, asked: Asked): Promise<string> {
  const { data } = await api.call<{ data: readonly { slug: string; isDefault?: boolean }[] }>('bundles.list')
  const slug =
    flags.bundle ?? data[0]?.slug ?? (await asked(undefined, 'The first plan', 'starter', '--bundle'))
  if (!data.some((one) => one.slug === slug)) {
    await api.call('bundles.create', { slug, displayName: slug[0]?.toUpperCase() + slug.slice(1) })
  }
  await api.call('bundles.allow', { slug, models: [model] })
  // The first one that is made is the default already.
  if (data.length > 0 && flags.bundle !== undefined) await api.call('bundles.default', { slug })
  return slug
}
