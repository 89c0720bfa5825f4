import type { IncomingHttpHeaders } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { AddressRanges } from '#domain/network/address-ranges.ts'

/**
 * The address that a request comes from: that of the connection. Only where the connection is that of a proxy which the
 * operator trusts is X-Forwarded-For read, from its right end, where each proxy writes what it saw itself: the first
 * address that is no proxy's is the client's, and what stands left of it is the client's own claim
 * (docs/reference/threats.md "Forwarded addresses").
 * @returns null: the connection is gone, or a trusted proxy passed on what is no address
 */
export function clientAddress(
  {
    headers,
    socket,
  }: { readonly headers: IncomingHttpHeaders; readonly socket: Pick<Socket, 'remoteAddress'> },
  trusted: AddressRanges | null,
): string | null {
  let address = socket.remoteAddress ?? null
  const forwarded = headers['x-forwarded-for']
  if (address === null || trusted === null || forwarded === undefined) return address
  for (const part of String(forwarded).split(',').toReversed()) {
    if (!trusted.has(address)) return address
    address = addressIn(part.trim())
    if (address === null) return null
  }
  return address
}

/** Some proxies add the port. */
function addressIn(hop: string): string | null {
  const { bracketed, dotted } =
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<dotted>[\d.]+))(?::\d+)?$/.exec(hop)?.groups ?? {}
  const address = bracketed ?? dotted ?? hop
  // A zone (`fe80::1%eth0`) is a name of another machine's interface.
  return isIP(address) === 0 || address.includes('%') ? null : address
}
