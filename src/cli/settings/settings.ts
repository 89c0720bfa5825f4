/** The first source that has a value is used: a flag, the environment, the project's file, the profile. */
import { setVariables, unknownSettings } from '#app/setting-names.ts'
import { usageError, type Screen, type Terminal } from '#cli/terminal-interface.ts'
import {
  configFile,
  credentialsFile,
  isOpenToOthers,
  projectFile,
  readSections,
  writeSections,
} from './settings-files.ts'

export interface SettingsFlags {
  readonly profile?: string
  readonly host?: string
  readonly app?: string
  readonly mode?: string
}

export interface Settings {
  readonly profile: Setting
  readonly host: Setting
  readonly app: Setting | null
  readonly mode: Setting
  readonly token: Setting | null
}

export interface Setting {
  readonly value: string
  /** Origin of the value: `--host`, `TOLLGATE_BASE_URL`, the name of a file, or `default`. */
  readonly origin: string
}

const defaultHost = 'http://localhost:8080'

/** A command may read its settings several times, but warns only once per terminal. */
const warned = new WeakSet<Screen>()

export function settingsOf(flags: SettingsFlags, { env: given, err, folder }: Terminal): Settings {
  const env = setVariables(given)
  warnOfUnknown(env, err)
  const project = projectFile(folder)
  const profile = first(
    ['--profile', flags.profile],
    ['TOLLGATE_PROFILE', env['TOLLGATE_PROFILE']],
    [project?.file, project?.keys['profile']],
    ['default', 'default'],
  )
  const name = profile?.value ?? 'default'
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw usageError(`The profile name must have 1 to 64 letters, digits, - or _, but is ${name}.`)
  }
  const file = configFile(env)
  const own = readSections(file)[`profiles.${name}`] ?? {}
  const credentials = credentialsFile(env)
  const kept = readSections(credentials)[`profiles.${name}`] ?? {}
  const host = first(
    ['--host', flags.host],
    ['TOLLGATE_BASE_URL', env['TOLLGATE_BASE_URL']],
    [file, own['host']],
    ['default', defaultHost],
  )
  const mode = first(
    ['--mode', flags.mode],
    ['TOLLGATE_MODE', env['TOLLGATE_MODE']],
    [project?.file, project?.keys['mode']],
    [file, own['mode']],
    ['default', 'live'],
  )
  if (mode && mode.value !== 'live' && mode.value !== 'test') {
    throw usageError(`The mode must be live or test, but is ${mode.value} (${mode.origin}).`)
  }
  const address = host?.value.replace(/\/+$/, '') ?? defaultHost
  if (!/^https?:\/\/./.test(address) || !URL.canParse(address)) {
    throw usageError(
      `The host must be an http or https address, like https://tollgate.example.com, but is ${address} (${host?.origin ?? 'default'}).`,
    )
  }
  // Send a token only to the host that issued it.
  const isItsHost = kept['host'] === address
  if (kept['token'] !== undefined && isItsHost && isOpenToOthers(credentials)) {
    err.write(
      `tollgate: other users can read ${credentials}. Fix the permissions with tollgate doctor --fix.\n`,
    )
  }
  return {
    profile: profile ?? { value: 'default', origin: 'default' },
    host: { value: address, origin: host?.origin ?? 'default' },
    app: first(
      ['--app', flags.app],
      ['TOLLGATE_APP', env['TOLLGATE_APP']],
      [project?.file, project?.keys['app']],
      [file, own['app']],
    ),
    mode: mode ?? { value: 'live', origin: 'default' },
    token: first(
      ['TOLLGATE_TOKEN', env['TOLLGATE_TOKEN']],
      [credentials, isItsHost ? kept['token'] : undefined],
    ),
  }
}

function warnOfUnknown(env: Terminal['env'], err: Screen): void {
  if (warned.has(err)) return
  warned.add(err)
  for (const name of unknownSettings(env)) err.write(`tollgate: ${unknownSettingText(name)}\n`)
}

export function unknownSettingText(name: string): string {
  const meant = name === 'TOLLGATE_HOST' || name === 'TOLLGATE_URL' ? ' Set TOLLGATE_BASE_URL instead.' : ''
  return `The environment variable ${name} is not a setting and is ignored.${meant}`
}

/** The application and the mode in which a command looks for resources: `acme, test mode`. */
export function placeText({ app, mode }: Pick<Settings, 'app' | 'mode'>): string {
  return `${app === null ? '' : `${app.value}, `}${mode.value} mode`
}

function first(...said: readonly (readonly [string | undefined, string | undefined])[]): Setting | null {
  for (const [origin, value] of said) {
    if (value !== undefined && value !== '') return { value, origin: origin ?? '' }
  }
  return null
}

export function keepInProfile(
  profile: string,
  { env }: Pick<Terminal, 'env'>,
  changes: Readonly<Record<string, string | undefined>>,
): void {
  write(
    configFile(env),
    'Profiles of the command line, written by tollgate login and tollgate use.',
    profile,
    changes,
  )
}

export interface Credential {
  readonly host: string
  readonly token: string
  readonly id: string
}

export function keepCredential(
  profile: string,
  { env }: Pick<Terminal, 'env'>,
  kept: Credential | null,
): void {
  const head = 'Credentials of the command line, written by tollgate login and removed by tollgate logout.'
  const none = { host: undefined, token: undefined, id: undefined }
  write(credentialsFile(env), head, profile, kept === null ? none : { ...kept })
}

export function keptCredential(profile: string, { env }: Pick<Terminal, 'env'>): Credential | null {
  const { host, id = '', token } = readSections(credentialsFile(env))[`profiles.${profile}`] ?? {}
  return host === undefined || token === undefined ? null : { host, id, token }
}

function write(
  file: string,
  head: string,
  profile: string,
  changes: Readonly<Record<string, string | undefined>>,
): void {
  const sections = readSections(file)
  const name = `profiles.${profile}`
  const keys = Object.entries({ ...sections[name], ...changes }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  )
  writeSections(file, head, { ...sections, [name]: Object.fromEntries(keys) })
}
