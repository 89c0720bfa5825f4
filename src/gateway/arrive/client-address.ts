import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { AddressRanges } from '#domain/network/address-ranges.ts'

/**
 * Normally, the client address is the address of the connection. X-Forwarded-For is read only if the connection comes
 * from a trusted proxy. Each proxy appends the address it saw, so the header is read from the right. The first address
 * that belongs to no trusted proxy is the client's. The client may have invented the addresses further left
 * (docs/reference/threats.md "Forwarded addresses").
 * @returns null if the connection is closed, or if a trusted proxy forwarded an invalid address
 */
export function clientAddress(
  {
    headers,
    socket,
  }: {
    readonly headers: IncomingHttpHeaders
    readonly socket: { readonly remoteAddress?: string | undefined }
  },
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

/** Some proxies append the port to the address. */
function addressIn(hop: string): string | null {
  const { bracketed, dotted } =
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<dotted>[\d.]+))(?::\d+)?$/.exec(hop)?.groups ?? {}
  const address = bracketed ?? dotted ?? hop
  // A zone (`fe80::1%eth0`) names a network interface of another machine.
  return isIP(address) === 0 || address.includes('%') ? null : address
}
