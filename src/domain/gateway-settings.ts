import { AddressRanges } from '#domain/network/address-ranges.ts'
import type { UpstreamFormat } from '#domain/accounts/provider-kinds.ts'
import type { RateRule } from '#money/hold.ts'
import type { ToolRules } from './tool-rules.ts'
import { openingsOf, type Openings, type WeeklyHours } from './weekly-hours.ts'

/** The customer's settings for the responses of an application's gateway. Null, where allowed, means no restriction. */
export interface GatewaySettings {
  readonly applicationId: string
  readonly wires: readonly UpstreamFormat[] | null
  /** Patterns of model names (money/name-pattern.ts). */
  readonly models: readonly string[] | null
  /** Web origins whose pages may read responses, exactly as browsers send them. `*` means any origin. */
  readonly origins: readonly string[]
  /** Ranges of client addresses (address-ranges.ts). */
  readonly addresses: readonly string[] | null
  readonly hours: readonly WeeklyHours[] | null
  /** Output tokens of one response if the request states no maximum. Null means the gateway's own defaults. */
  readonly defaultMaxTokens: number | null
  /** How long a call waits for money that calls in flight hold, in milliseconds. Null means the server's setting. */
  readonly holdWaitMs: number | null
  /** Limits over all end users of the application together, in each mode. */
  readonly limits: readonly RateRule[]
  /** For tools that a provider runs and that the client only offers. */
  readonly providerTools: ToolRules
  /** For fields that a conversion to another wire cannot keep. */
  readonly conversion: 'lenient' | 'strict'
  /** Whether the client's trace context (`traceparent`, `tracestate`) is sent to providers. */
  readonly passTraceparent: boolean
}

/** The port to the settings of applications. */
export interface GatewaySettingsRows {
  /** Returns null if the application has no settings. */
  of(applicationId: string): Promise<GatewaySettings | null>
  put(settings: GatewaySettings): Promise<void>
}

/** Returns the settings of an application without any: nothing is restricted. */
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
    limits: [],
    providerTools: 'bounded',
    conversion: 'lenient',
    passTraceparent: false,
  }
}

/** The same settings in the form that calls are decided with. */
export interface GatewayRules extends Pick<
  GatewaySettings,
  | 'wires'
  | 'models'
  | 'defaultMaxTokens'
  | 'holdWaitMs'
  | 'limits'
  | 'providerTools'
  | 'conversion'
  | 'passTraceparent'
> {
  readonly origins: ReadonlySet<string>
  readonly addresses: AddressRanges | null
  readonly openings: Openings | null
}

export function gatewayRulesOf(settings: GatewaySettings): GatewayRules {
  const {
    addresses,
    conversion,
    defaultMaxTokens,
    holdWaitMs,
    hours,
    limits,
    models,
    origins,
    passTraceparent,
    providerTools,
    wires,
  } = settings
  return {
    wires,
    models,
    origins: new Set(origins),
    addresses: addresses && new AddressRanges(addresses),
    openings: hours && openingsOf(hours),
    defaultMaxTokens,
    holdWaitMs,
    limits,
    providerTools,
    conversion,
    passTraceparent,
  }
}
