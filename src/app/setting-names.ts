/** For code that only needs to recognize the settings of a server and of its clients. */

export const settingNames = [
  'TOLLGATE_BASE_URL',
  'TOLLGATE_GATEWAY_URL',
  'TOLLGATE_PORTAL_URL',
  'TOLLGATE_LISTEN',
  'TOLLGATE_DATA',
  'TOLLGATE_MASTER_KEY',
  'TOLLGATE_MASTER_KEY_LOST',
  'TOLLGATE_ALLOW_PRIVATE_PROVIDERS',
  'TOLLGATE_LOG_LEVEL',
  'TOLLGATE_WRITER',
  'TOLLGATE_BODY_MEMORY_MIB',
  'TOLLGATE_IN_FLIGHT_MAX',
  'TOLLGATE_WAITING_MAX',
  'TOLLGATE_WAITING_MS',
  'TOLLGATE_CONNECTIONS_MAX',
  'TOLLGATE_CONTROL_RATE',
  'TOLLGATE_SMTP_URL',
  'TOLLGATE_SMTP_FROM',
  'TOLLGATE_OIDC_ISSUER',
  'TOLLGATE_OIDC_CLIENT_ID',
  'TOLLGATE_OIDC_CLIENT_SECRET',
  'TOLLGATE_OIDC_ALLOWED_DOMAINS',
  'TOLLGATE_DRAIN_SECONDS',
  'TOLLGATE_DEMO',
  'TOLLGATE_HELD_WAIT_MS',
  'TOLLGATE_TRUSTED_PROXIES',
  'TOLLGATE_METRICS_ADDRESSES',
  'TOLLGATE_LOG_CALLS',
  'TOLLGATE_HTTP_EDGE',
  'TOLLGATE_WARM_UP',
] as const
export type SettingName = (typeof settingNames)[number]

/** Settings of SDKs and the command line, which may also be set on a server's machine. */
const clientNames = ['TOLLGATE_TOKEN', 'TOLLGATE_APP', 'TOLLGATE_MODE', 'TOLLGATE_PROFILE']

const known: ReadonlySet<string> = new Set([...settingNames, ...clientNames])

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the variables that are set. Compose files and systemd pass an unset variable as an empty variable. White space
 * around the value of a setting is removed, because values from files often end in a line break (CR LF on Windows).
 */
export function setVariables(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment)
      .map(([name, value = '']) => [name, isSetting(name) ? value.trim() : value] as const)
      .filter(([, value]) => value !== ''),
  )
}

function isSetting(name: string): boolean {
  return name.startsWith('TOLLGATE_') || name === 'DATABASE_URL'
}

export function unknownSettings(environment: Environment): string[] {
  return Object.keys(setVariables(environment)).filter(
    (name) => name.startsWith('TOLLGATE_') && !known.has(name),
  )
}
