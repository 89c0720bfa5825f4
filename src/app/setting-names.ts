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

/** An empty variable counts as unset. */
export function unknownSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment)
    .filter(([name, value]) => name.startsWith('TOLLGATE_') && value !== '' && !known.has(name))
    .map(([name]) => name)
}
