import type { IncomingMessage, ServerResponse } from 'node:http'
import { admitBody } from '#gateway/arrive/admit-body.ts'
import { authenticate, keyFault } from '#gateway/arrive/authenticate.ts'
import type { HeldBody } from '#gateway/arrive/body-intake.ts'
import { conclude } from '#gateway/end/conclude.ts'
import type { Configuration } from '#gateway/decide/configuration.ts'
import { loaded, openCall } from './open-call.ts'
import type { GatewayPorts } from './ports.ts'
import { readRequest } from '#gateway/arrive/parse-body.ts'
import { receive } from '#gateway/arrive/receive.ts'
import { refuse } from '#gateway/end/refuse.ts'
import { relayStream } from '#gateway/relay/relay-stream.ts'
import { relayWhole } from '#gateway/relay/relay-whole.ts'
import { isConverted, reserve } from '#gateway/decide/reserve.ts'
import { forwardedHeaders } from '#gateway/arrive/forwarded-headers.ts'
import type { Route } from '#gateway/arrive/routes.ts'
import type { WaitingLine } from '#gateway/decide/waiting-line.ts'

/**
 * A call from its first byte to its last: authenticate, receive, read, reserve (the name and the
 * bundle are decided with it, on one config), call the provider, meter, settle. Money moves in
 * `reserve` and in `conclude`, and nowhere else. Never rejects: whatever happens is answered.
 */
export async function serveCall(
  request: IncomingMessage,
  response: ServerResponse,
  applicationId: string,
  ports: GatewayPorts,
  configuration: Configuration,
  route: Route,
  line: WaitingLine,
): Promise<void> {
  const call = openCall(
    response,
    applicationId,
    ports,
    configuration,
    route,
    forwardedHeaders(request, route),
    line,
  )
  let held: HeldBody | null = null
  try {
    const config = await loaded(configuration, applicationId)
    call.config = config
    const caller = authenticate(request, config, configuration)
    call.caller = caller instanceof Promise ? await caller : caller
    // Both are final, so what is remembered of them is true; what it does not know of, the reserve reads.
    const fault = keyFault(call.caller.key, ports.clock.nowMs())
    if (fault) throw fault
    const admitted = admitBody(request, response, { ...call.caller, config }, ports, configuration)
    held = admitted instanceof Promise ? await admitted : admitted
    const body = await receive(request, ports.bodies, held, ports.limits.requestBytesMax)
    const read = readRequest(body, route, () => ({
      isConverted: (asked) => isConverted(call, asked),
      mark: `medium${call.id.replaceAll(/[^A-Za-z0-9]/g, '')}x`,
    }))
    call.request = read instanceof Promise ? await read : read
    call.reserved = await reserve(call, call.request)
    const outcome = await (call.request.isStream ? relayStream : relayWhole)(
      call,
      call.request,
      call.reserved,
    )
    await conclude(call, call.reserved, outcome)
  } catch (cause) {
    await refuse(call, cause)
  } finally {
    held?.giveBack()
  }
}
