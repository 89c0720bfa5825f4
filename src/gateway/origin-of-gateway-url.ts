import { isLoopback, parseHost } from '#domain/network/surface-selected-by-host.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'

export function ownOrigin({ ports, response }: Arrival, { config }: Caller): string {
  const { host = '' } = response.req.headers
  const { protocol } = new URL(ports.gatewayUrl(config.slug))
  // A loopback port never uses TLS, even if the application's public address does.
  const scheme = isLoopback(parseHost(host)?.name ?? '') ? 'http:' : protocol
  return `${scheme}//${host}`
}
