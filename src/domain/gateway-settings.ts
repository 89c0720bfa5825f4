import { AddressRanges } from '#domain/network/address-ranges.ts'
import type { UpstreamWire } from './provider-kinds.ts'
import { openingsOf, type Openings, type WeeklyHours } from './weekly-hours.ts'

/** What an application's gateway answers, as its customer sets it. Null, where it may be: not narrowed. */
export interface GatewaySettings {
  readonly applicationId: string
  readonly wires: readonly UpstreamWire[] | null
  /** Patterns of names (money/name-pattern.ts). */
  readonly models: readonly string[] | null
  /** Web origins whose pages may read answers, exactly as browsers send them; `*`: any. */
  readonly origins: readonly string[]
  /** Ranges of client addresses (address-ranges.ts). */
  readonly addresses: readonly string[] | null
  readonly hours: readonly WeeklyHours[] | null
  /** Output tokens of one answer to a request that states no maximum. Null: the gateway's own defaults. */
  readonly defaultMaxTokens: number | null
  /** How long a call waits for money that calls in flight hold. Null: as long as the server's own setting. */
  readonly holdWaitMs: number | null
  /** For tools that a provider would run and the client merely offers. */
  readonly providerTools: 'drop' | 'refuse'
  /** For fields that a conversion to another wire loses. */
  readonly conversion: 'lenient' | 'strict'
  /** Whether providers get the trace context (`traceparent`, `tracestate`) that a client sends. */
  readonly passTraceparent: boolean
}

/** The port to the settings of applications. */
export interface GatewaySettingsRows {
  /** Null: the application has set nothing. */
  of(applicationId: string): Promise<GatewaySettings | null>
  put(settings: GatewaySettings): Promise<void>
}

/** An application that has set nothing answers everyone, always. */
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
    providerTools: 'drop',
    conversion: 'lenient',
    passTraceparent: false,
  }
}

/** The same settings as calls are decided by. */
export interface GatewayRules extends Pick<
  GatewaySettings,
  'wires' | 'models' | 'defaultMaxTokens' | 'holdWaitMs' | 'providerTools' | 'conversion' | 'passTraceparent'
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
    providerTools,
    conversion,
    passTraceparent,
  }
}
