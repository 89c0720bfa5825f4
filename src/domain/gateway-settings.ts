import { AddressRanges } from '#domain/network/address-ranges.ts'
import type { UpstreamFormat } from '#domain/accounts/provider-kinds.ts'
import type { RateRule } from '#money/decision-types.ts'
import type { ToolRules } from './provider-tool-rules.ts'
import { openingsOf, type Openings, type WeeklyHours } from './weekly-opening-hours.ts'

/** Unless the comment of a setting says otherwise, null means no restriction. */
export interface GatewaySettings {
  readonly applicationId: string
  readonly wires: readonly UpstreamFormat[] | null
  /** Patterns of model names that requests may use (money/model-name-pattern.ts). */
  readonly models: readonly string[] | null
  /**
   * Web origins whose pages may read responses, exactly as in the `Origin` header of browsers. `*` means any origin.
   */
  readonly origins: readonly string[]
  /** Ranges of client addresses from which requests are accepted (address-ranges.ts). */
  readonly addresses: readonly string[] | null
  readonly hours: readonly WeeklyHours[] | null
  /**
   * Maximum output tokens of one response if the request states no maximum. If null, the gateway's own default applies.
   */
  readonly defaultMaxTokens: number | null
  /**
   * How long a call waits, in milliseconds, for money that other calls in flight hold. If null, the server's setting
   * applies.
   */
  readonly holdWaitMs: number | null
  /** Maximum number and total bytes of the files of an end user in each mode. If null, the server's default applies. */
  readonly filesMax: number | null
  readonly fileBytesMax: number | null
  /** Prefixes of Cloud Storage addresses whose files requests can use (accounts/google-storage-addresses.ts). */
  readonly storagePrefixes: readonly string[]
  /** Rate limits that count all end users of the application together, in each mode. */
  readonly limits: readonly RateRule[]
  readonly tags: readonly TagTerms[]
  /** The rule for tools that the provider runs and that the client only offers to the model. */
  readonly providerTools: ToolRules
  /** The rule for fields that cannot be kept when a request is converted to another wire (API format). */
  readonly conversion: 'lenient' | 'strict'
  /** Whether the client's trace context (`traceparent`, `tracestate`) is sent to providers. */
  readonly passTraceparent: boolean
}

export interface TagTerms {
  readonly slug: string
  /** Each limit counts the usage of all requests with the tag, separately in each mode. */
  readonly limits: readonly RateRule[]
}

export interface GatewaySettingsRows {
  of(applicationId: string): Promise<GatewaySettings | null>
  put(settings: GatewaySettings): Promise<void>
}

/** Returns the settings of an application that has stored no settings. */
export function unsetGateway(applicationId: string): GatewaySettings {
  return {
    applicationId,
    wires: null,
    models: null,
    origins: [],
    addresses: null,
    hours: null,
    defaultMaxTokens: null,
    holdWaitMs: null,
    filesMax: null,
    fileBytesMax: null,
    storagePrefixes: [],
    limits: [],
    tags: [],
    providerTools: 'bounded',
    conversion: 'lenient',
    passTraceparent: false,
  }
}

/** The settings in the form that the gateway uses to decide about calls. */
export interface GatewayRules extends Pick<
  GatewaySettings,
  | 'wires'
  | 'models'
  | 'defaultMaxTokens'
  | 'holdWaitMs'
  | 'filesMax'
  | 'fileBytesMax'
  | 'storagePrefixes'
  | 'limits'
  | 'providerTools'
  | 'conversion'
  | 'passTraceparent'
> {
  readonly origins: ReadonlySet<string>
  readonly addresses: AddressRanges | null
  readonly openings: Openings | null
  /** The limits of each tag, by slug. */
  readonly tags: ReadonlyMap<string, readonly RateRule[]>
}

export function gatewayRulesOf(settings: GatewaySettings): GatewayRules {
  const {
    addresses,
    conversion,
    defaultMaxTokens,
    fileBytesMax,
    filesMax,
    holdWaitMs,
    hours,
    limits,
    models,
    origins,
    passTraceparent,
    providerTools,
    storagePrefixes,
    tags,
    wires,
  } = settings
  return {
    wires,
    models,
    origins: new Set(origins),
    addresses: addresses && new AddressRanges(addresses),
    openings: hours && openingsOf(hours),
    tags: new Map(tags.map((tag) => [tag.slug, tag.limits])),
    defaultMaxTokens,
    holdWaitMs,
    filesMax,
    fileBytesMax,
    storagePrefixes,
    limits,
    providerTools,
    conversion,
    passTraceparent,
  }
}
