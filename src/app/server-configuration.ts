import * as z from 'zod'
import { isLoopback } from '#domain/network/surface-selected-by-host.ts'
import { settingNames, setVariables, unknownSettings, type SettingName } from './setting-names.ts'
import { rangeFault } from '#domain/network/address-ranges.ts'
import { keyRing } from '#domain/secrets/encrypt-stored-secrets.ts'

/**
 * The configuration of a process, parsed and checked once at startup. An error lists all faults of the settings. An
 * unknown variable that starts with TOLLGATE_ is a fault, because it may be a misspelled limit, which must not be
 * ignored silently.
 */
export interface Config {
  readonly baseUrl: string
  /** URL templates, with `{slug}` in place of the application's slug. */
  readonly gatewayUrl: string
  readonly portalUrl: string
  readonly listenHost: string
  /** 0 for any free port. */
  readonly listenPort: number
  /** Also needed with PostgreSQL, for the master key, unless a setting contains the key. */
  readonly dataFolder: string
  /**
   * URL of a PostgreSQL database that replaces the embedded store. Contains a password, so it must never appear in a
   * log or a message.
   */
  readonly databaseUrl: string | null
  readonly masterKey: string | null
  /** Whether the operator wants to start although the master key differs from the key that encrypted the data. */
  readonly isMasterKeyLost: boolean
  readonly allowPrivateProviders: boolean
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /**
   * The thread that writes the embedded store. `auto` chooses by the duration of commits
   * (store/sqlite/choose-writer-thread.ts).
   */
  readonly writer: 'auto' | 'thread' | 'inline'
  /** For all requests in flight together. Further requests are rejected and can be retried. */
  readonly bodyBytesMax: number
  /**
   * Null means that the server computes the maximum. The same applies to `waitingMax` and `connectionsMax`, the maximum
   * at each port.
   */
  readonly inFlightMax: number | null
  readonly waitingMax: number | null
  readonly waitingMs: number
  readonly connectionsMax: number | null
  /** With one credential of the control plane. 0 means no limit. */
  readonly controlCallsPerSecond: number
  /** Null means that invitation links are shown to the member who creates them. The URL may contain a password. */
  readonly smtp: { readonly url: string; readonly from: string } | null
  /** Null means that members sign in with passwords only. */
  readonly oidc: OidcConfig | null
  readonly drainMs: number
  /** How long a request waits for money that other requests in flight hold. */
  readonly heldWaitMs: number
  /** Whether the control plane has a demo tier, which anyone can read. */
  readonly servesDemo: boolean
  /** Proxies whose X-Forwarded-For is used. Null if no proxy is trusted. */
  readonly trustedProxies: readonly string[] | null
  /** Address ranges that can read `/metrics` without a token. Null if every reader needs a token. */
  readonly metricsAddresses: readonly string[] | null
  /** Share of successful requests that are logged, from 0 to 1. Failures are always logged. */
  readonly callLogShare: number
  /**
   * The server that reads gateway requests in the most common form: the server's own edge (http/edge) or Node's. Node's
   * server reads all other requests.
   */
  readonly httpEdge: 'own' | 'node'
  /** Whether `serve` compiles the hot path (cli/warm-up) and starts the tokenizer before the server listens. */
  readonly warmsUp: boolean
  /** Whether spans are sent to a collector, which OTEL_* variables configure (telemetry/start-tracing.ts). */
  readonly isTracing: boolean
}

export interface OidcConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Domains of email addresses that the identity provider may confirm. Null means any domain. */
  readonly allowedDomains: readonly string[] | null
}

const oneOf = <Word extends string>(...words: readonly Word[]) =>
  z.enum(words, { error: `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}` })
const flag = oneOf('true', 'false').transform((text) => text === 'true')
const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most, {
      error: `must be a whole number from ${least} to ${most}`,
    })
    .transform(Number)
const template = z
  .string()
  .refine((text) => text.split('{slug}').length === 2 && isAddress(text.replace('{slug}', 'a')), {
    error: 'must be an http(s) address that contains {slug} once and has no path',
  })
  .transform(withoutSlash)

const addressRanges = z
  .string()
  .transform((text) => text.split(',').map((range) => range.trim()))
  .superRefine((ranges, context) => {
    for (const range of ranges) {
      const fault = rangeFault(range)
      if (fault !== null) context.addIssue({ code: 'custom', message: `${range || '(empty)'} ${fault}` })
    }
  })

const shape = {
  TOLLGATE_BASE_URL: z
    .string()
    .refine(isAddress, { error: 'must be an http(s) address without a path' })
    .transform(withoutSlash)
    .default('http://localhost:8080'),
  TOLLGATE_GATEWAY_URL: template.default('http://{slug}.gateway.localhost:8080'),
  TOLLGATE_PORTAL_URL: template.default('http://{slug}.portal.localhost:8080'),
  TOLLGATE_LISTEN: z
    .string()
    .regex(/^(?:[^\s:]+|\[[0-9a-fA-F:.]+\]):\d{1,5}$/, {
      error: 'must be host:port, for example 127.0.0.1:8080',
    })
    .refine((text) => Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535, {
      error: 'must have a port of at most 65535',
    })
    .default('127.0.0.1:8080'),
  TOLLGATE_DATA: z.string().min(1, { error: 'must name a folder' }).default('./data'),
  TOLLGATE_MASTER_KEY: z
    .string()
    .superRefine((text, context) => {
      const fault = masterKeyFault(text)
      if (fault !== null) context.addIssue({ code: 'custom', message: fault })
    })
    .optional(),
  TOLLGATE_MASTER_KEY_LOST: flag.default(false),
  TOLLGATE_ALLOW_PRIVATE_PROVIDERS: flag.default(false),
  TOLLGATE_LOG_LEVEL: oneOf('debug', 'info', 'warn', 'error', 'silent').default('info'),
  TOLLGATE_WRITER: oneOf('auto', 'thread', 'inline').default('auto'),
  TOLLGATE_BODY_MEMORY_MIB: wholeNumber(32, 1_048_576).default(256),
  TOLLGATE_IN_FLIGHT_MAX: wholeNumber(1, 1_000_000).optional(),
  TOLLGATE_WAITING_MAX: wholeNumber(0, 1_000_000).optional(),
  TOLLGATE_WAITING_MS: wholeNumber(0, 60_000).default(750),
  TOLLGATE_CONNECTIONS_MAX: wholeNumber(1, 1_000_000).optional(),
  TOLLGATE_CONTROL_RATE: wholeNumber(0, 1_000_000).default(100),
  TOLLGATE_SMTP_URL: z
    .string()
    .refine((text) => /^smtps?:$/.test(URL.parse(text)?.protocol ?? ''), {
      error: 'must be smtp://user:password@host:port, or smtps:// for TLS from the start',
    })
    .optional(),
  TOLLGATE_SMTP_FROM: z
    .string()
    .regex(/[^@]@[^@]/, { error: 'must be an email address, for example Tollgate <tollgate@example.com>' })
    .optional(),
  TOLLGATE_OIDC_ISSUER: z
    .string()
    .refine(isIssuer, { error: 'must be the https address of the issuer' })
    .optional(),
  TOLLGATE_OIDC_CLIENT_ID: z.string().min(1).optional(),
  TOLLGATE_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  TOLLGATE_OIDC_ALLOWED_DOMAINS: z.string().min(1).optional(),
  TOLLGATE_DRAIN_SECONDS: wholeNumber(0, 3_600).default(600),
  TOLLGATE_DEMO: flag.optional(),
  TOLLGATE_HELD_WAIT_MS: wholeNumber(0, 60_000).default(2_000),
  TOLLGATE_TRUSTED_PROXIES: addressRanges.optional(),
  TOLLGATE_METRICS_ADDRESSES: addressRanges.optional(),
  TOLLGATE_LOG_CALLS: z
    .string()
    .refine(
      (text) => text === 'all' || text === 'errors' || (/^0?\.\d{1,9}$/.test(text) && Number(text) > 0),
      {
        error:
          'must be all, errors, or the share of successful requests to log, like 0.01; failures are always logged',
      },
    )
    .transform((text) => (text === 'all' ? 1 : text === 'errors' ? 0 : Number(text)))
    .default(0.01),
  TOLLGATE_HTTP_EDGE: oneOf('own', 'node').default('own'),
  TOLLGATE_WARM_UP: flag.default(true),
} satisfies Record<SettingName, z.ZodType>

const settingsTogether = [
  ['TOLLGATE_SMTP_URL', 'TOLLGATE_SMTP_FROM'],
  ['TOLLGATE_OIDC_ISSUER', 'TOLLGATE_OIDC_CLIENT_ID', 'TOLLGATE_OIDC_CLIENT_SECRET'],
] as const

/**
 * @param given environment variables like `process.env`
 * @param overrides settings from the command line, which replace settings of the environment
 * @throws ConfigFaults with one sentence per fault
 */
export function readConfig(
  given: Readonly<Record<string, string | undefined>>,
  overrides: { readonly data?: string; readonly port?: number } = {},
): Config {
  const environment = setVariables(given)
  const faults: string[] = []
  for (const name of unknownSettings(environment)) {
    faults.push(`${name}: unknown setting. The settings are ${settingNames.join(', ')}`)
  }
  const databaseUrl = environment['DATABASE_URL'] ?? null
  if (databaseUrl !== null && !isDatabaseUrl(databaseUrl)) faults.push(databaseUrlFault)
  faults.push(...tracingFaults(environment))
  const parsed = z.object(shape).safeParse(environment)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) faults.push(`${issue.path.join('.')}: ${issue.message}`)
  }
  for (const together of settingsTogether) {
    const missing = together.filter((name) => environment[name] === undefined)
    if (missing.length > 0 && missing.length < together.length) {
      faults.push(`${missing.join(', ')}: must also be set, because ${together.join(', ')} are used together`)
    }
  }
  if (faults.length > 0 || !parsed.success) throw new ConfigFaults(faults)
  const settings = parsed.data
  const colon = settings.TOLLGATE_LISTEN.lastIndexOf(':')
  const listenPort = overrides.port ?? Number(settings.TOLLGATE_LISTEN.slice(colon + 1))
  return {
    baseUrl: settings.TOLLGATE_BASE_URL,
    gatewayUrl: settings.TOLLGATE_GATEWAY_URL,
    portalUrl: settings.TOLLGATE_PORTAL_URL,
    listenHost: settings.TOLLGATE_LISTEN.slice(0, colon).replaceAll(/[[\]]/g, ''),
    listenPort,
    databaseUrl,
    dataFolder: overrides.data ?? settings.TOLLGATE_DATA,
    masterKey: settings.TOLLGATE_MASTER_KEY ?? null,
    isMasterKeyLost: settings.TOLLGATE_MASTER_KEY_LOST,
    allowPrivateProviders: settings.TOLLGATE_ALLOW_PRIVATE_PROVIDERS,
    logLevel: settings.TOLLGATE_LOG_LEVEL,
    writer: settings.TOLLGATE_WRITER,
    bodyBytesMax: settings.TOLLGATE_BODY_MEMORY_MIB * 1024 * 1024,
    inFlightMax: settings.TOLLGATE_IN_FLIGHT_MAX ?? null,
    waitingMax: settings.TOLLGATE_WAITING_MAX ?? null,
    waitingMs: settings.TOLLGATE_WAITING_MS,
    connectionsMax: settings.TOLLGATE_CONNECTIONS_MAX ?? null,
    controlCallsPerSecond: settings.TOLLGATE_CONTROL_RATE,
    smtp: smtpOf(settings),
    oidc: oidcOf(settings),
    drainMs: settings.TOLLGATE_DRAIN_SECONDS * 1000,
    heldWaitMs: settings.TOLLGATE_HELD_WAIT_MS,
    // With PostgreSQL, the demo is off by default, because several processes would each have their own demo tenants.
    servesDemo: settings.TOLLGATE_DEMO ?? databaseUrl === null,
    trustedProxies: settings.TOLLGATE_TRUSTED_PROXIES ?? null,
    metricsAddresses: settings.TOLLGATE_METRICS_ADDRESSES ?? null,
    callLogShare: settings.TOLLGATE_LOG_CALLS,
    httpEdge: settings.TOLLGATE_HTTP_EDGE,
    warmsUp: settings.TOLLGATE_WARM_UP,
    isTracing: isTracingOn(environment),
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Whether an exporter or an endpoint turns tracing on (docs/reference/telemetry.md "Environment variables of
 * OpenTelemetry's SDK"). If tracing is off, OpenTelemetry's other variables are not read. An empty variable counts as
 * unset.
 */
function isTracingOn(environment: Environment): boolean {
  const { OTEL_SDK_DISABLED: disabled = '', OTEL_TRACES_EXPORTER: exporter = '' } = environment
  if (disabled.toLowerCase() === 'true' || exporter === 'none') return false
  return [
    exporter,
    environment['OTEL_EXPORTER_OTLP_ENDPOINT'],
    environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
  ].some(Boolean)
}

function tracingFaults(environment: Environment): string[] {
  if (!isTracingOn(environment)) return []
  const exporter = environment['OTEL_TRACES_EXPORTER'] || 'otlp'
  const protocol =
    environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ||
    environment['OTEL_EXPORTER_OTLP_PROTOCOL'] ||
    'http/protobuf'
  return [
    ...(exporter === 'otlp' ? [] : [`OTEL_TRACES_EXPORTER: must be otlp or none, not ${exporter}`]),
    ...(protocol === 'http/protobuf'
      ? []
      : [`OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf (collector port 4318), not ${protocol}`]),
  ]
}

type Settings = z.output<z.ZodObject<typeof shape>>

function smtpOf({ TOLLGATE_SMTP_FROM: from, TOLLGATE_SMTP_URL: url }: Settings): Config['smtp'] {
  return url === undefined || from === undefined ? null : { url, from }
}

function oidcOf(settings: Settings): OidcConfig | null {
  const { TOLLGATE_OIDC_CLIENT_ID: clientId, TOLLGATE_OIDC_CLIENT_SECRET: clientSecret } = settings
  const { TOLLGATE_OIDC_ALLOWED_DOMAINS: domains, TOLLGATE_OIDC_ISSUER: issuer } = settings
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null
  const allowed = domains?.split(',').map((domain) => domain.trim().toLowerCase())
  return { issuer, clientId, clientSecret, allowedDomains: allowed ?? null }
}

export class ConfigFaults extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'an error' : `${faults.length} errors`}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    )
    this.faults = faults
  }
}

/** @throws ConfigFaults */
export function assertDatabaseUrl(text: string): void {
  if (!isDatabaseUrl(text)) throw new ConfigFaults([databaseUrlFault])
}

const databaseUrlFault =
  'DATABASE_URL: must be postgres://user:password@host:port/database. Write characters such as @ and # of the password as %40 and %23, or set the password in PGPASSWORD'

function isDatabaseUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^postgres(?:ql)?:$/.test(url.protocol) && url.pathname.length > 1
}

function isAddress(text: string): boolean {
  const url = URL.parse(text)
  // A parser also accepts `https:/host` and backslashes.
  return url !== null && /^https?:\/\/[^/\\]+\/?$/i.test(text) && url.href === `${url.origin}/`
}

/** Addresses are joined with paths, which begin with a slash. */
function withoutSlash(address: string): string {
  return address.replace(/\/$/, '')
}

function masterKeyFault(text: string): string | null {
  try {
    keyRing(text)
    return null
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

/** HTTP is accepted only for an issuer on this machine. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}
