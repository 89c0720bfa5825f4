import { Failure } from '#domain/errors.ts'
import type { GatewayRules } from '#domain/gateway-settings.ts'
import { isOpenAt, nextOpeningMs } from '#domain/weekly-opening-hours.ts'
import type { FormatName } from '#wire/names-of-wires-and-tasks.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'
import { inService } from './authenticate.ts'
import { clientAddress } from './client-address.ts'

/**
 * If the cached rules reject a request, reads the stored rules before the rejection. Only the reserve detects outdated
 * rules, and a rejected request does not reach the reserve.
 * @throws Failure `address_not_allowed`, `wire_not_served`, `outside_hours`, `unknown_host`, `application_archived`
 */
export function letIn(arrival: Arrival, caller: Caller): Caller | Promise<Caller> {
  return gatewayRulesFault(arrival, caller) === null ? caller : letInAgain(arrival, caller)
}

async function letInAgain(arrival: Arrival, caller: Caller): Promise<Caller> {
  const config = inService(await arrival.configuration.current(arrival.applicationId))
  const current = { ...caller, config }
  const fault = gatewayRulesFault(arrival, current)
  if (fault) throw fault
  return current
}

/**
 * Returns why the application's rules reject the request, regardless of the requested model. Checks the client address,
 * then the wire, then the time. Rules about model names and request fields are checked later, with the model name
 * (call/targets-of-model-name.ts, decide/choose-route-outcome-and-tags.ts).
 * @param format null if the request is not a call, or if its format is not known yet
 */
export function gatewayRulesFault(
  arrival: Arrival,
  { config: { gateway } }: Pick<Caller, 'config'>,
  format: FormatName | null = formatOfPath(arrival),
): Failure | null {
  if (gateway === null) return null
  return (
    addressFault(arrival, gateway) ??
    (format === null ? null : wireFault(format, gateway)) ??
    hoursFault(arrival.ports.clock.nowMs(), gateway)
  )
}

/**
 * Null for requests that are not model calls, such as model lists. Their wire is only the format of the response. Also
 * null at Bedrock's `invoke`, where only the body shows the format.
 */
function formatOfPath({ route: { kind, path, wire } }: Arrival): FormatName | null {
  const isCall = kind === 'answer' || kind === 'count'
  return isCall && path.isInvoke !== true ? wire : null
}

function addressFault({ ports, response }: Arrival, { addresses }: GatewayRules): Failure | null {
  if (addresses === null) return null
  const address = clientAddress(response.req, ports.trustedProxies)
  if (address !== null && addresses.has(address)) return null
  return new Failure('address_not_allowed', { address })
}

export function wireFault(wire: FormatName, { wires }: GatewayRules): Failure | null {
  if (wires === null || wires.includes(wire)) return null
  return new Failure('wire_not_served', { wire, served: wires.join(', ') })
}

export function hoursFault(nowMs: number, { openings }: GatewayRules): Failure | null {
  if (openings === null || isOpenAt(openings, nowMs)) return null
  return new Failure('outside_hours', { opensAt: new Date(nextOpeningMs(openings, nowMs)).toISOString() })
}
