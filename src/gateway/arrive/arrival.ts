import type { ServerResponse } from 'node:http'
import type { Configuration } from '#gateway/decide/configuration.ts'
import type { CallTargets } from '#gateway/decide/call-targets.ts'
import type { DailyUse } from '#gateway/decide/daily-use.ts'
import type { WaitingLine } from '#gateway/decide/waiting-line.ts'
import type { GatewayPorts } from '#gateway/ports.ts'
import type { Route } from './routes.ts'

/** A request at an application's gateway host, and the dependencies that serve it in this process. */
export interface Arrival {
  /** Suffix of the request's IDs. The `req_`, `hold_` and `ur_` IDs of a call share it. */
  readonly id: string
  /** The response. Its `req` property is the request. */
  readonly response: ServerResponse
  readonly applicationId: string
  readonly route: Route
  readonly ports: GatewayPorts
  readonly configuration: Configuration
  readonly line: WaitingLine
  readonly dailyUse: DailyUse
  readonly targets: CallTargets
}
