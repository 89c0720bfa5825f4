import type { ServerResponse } from 'node:http'
import type { Configuration } from '#gateway/decide/configuration.ts'
import type { CallTargets } from '#gateway/decide/call-targets.ts'
import type { DailyUse } from '#gateway/decide/daily-use.ts'
import type { WaitingLine } from '#gateway/decide/waiting-line.ts'
import type { GatewayPorts } from '#gateway/ports.ts'
import type { Route } from './routes.ts'

/** A request at an application's gateway host, and what this process serves it with. */
export interface Arrival {
  /** Suffix of its ids: `req_`, `hold_` and `ur_` of a call share it. */
  readonly id: string
  /** The answer; its `req` is the request. */
  readonly response: ServerResponse
  readonly applicationId: string
  readonly route: Route
  readonly ports: GatewayPorts
  readonly configuration: Configuration
  readonly line: WaitingLine
  readonly dailyUse: DailyUse
  readonly targets: CallTargets
}
