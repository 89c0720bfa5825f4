import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { addressFault, type OutboundPolicy } from '#domain/network/outbound-address.ts'
import type { Resolve } from './name-resolver.ts'

/**
 * Opens connections for undici, and only to addresses that the policy allows.
 *
 * The verdict falls inside the connection's own look-up, on all addresses of the answer, so that the
 * address judged is the address dialled: a name checked earlier may have been pointed elsewhere since
 * (DNS rebinding, docs/reference/threats.md "Names that change their address"). One private address among
 * public ones refuses the whole answer, because which of them is dialled is a race. The peer's address is
 * asked of the socket once more.
 *
 * Redirects and proxies need no code here: undici's `Client` follows none and reads no `HTTPS_PROXY`.
 * Certificates are always verified, whatever `NODE_TLS_REJECT_UNAUTHORIZED` says.
 *
 * @param resolve looks names up within the share of one organization (name-resolver.ts)
 * @param isOwnPeer whether this process listens at an address: a request to it would come back
 * @param connectTimeoutMs a backstop: calls have their own, finer deadlines, but a call that gives up
 *   leaves the attempt to run into this one
 */
export function guardedConnector({
  allowPrivate,
  connectTimeoutMs = 10_000,
  isOwnPeer = () => false,
  resolve,
}: OutboundPolicy & {
  connectTimeoutMs?: number
  isOwnPeer?: (address: string, port: number) => boolean
  resolve: Resolve
}): buildConnector.connector {
  const connectorFor = (isPlain: boolean): buildConnector.connector => {
    const policy = { allowPrivate, isPlain }
    const connect = buildConnector({
      allowH2: false,
      timeout: connectTimeoutMs,
      rejectUnauthorized: true,
      lookup: guardedLookup(policy, resolve),
    })
    return (options, callback) => {
      // Node does not look up a literal address, so the look-up never sees one.
      const fault = isIP(options.hostname) === 0 ? null : addressFault(options.hostname, policy)
      if (fault !== null) return callback(new OutboundRefused(options.hostname, fault), null)
      connect(options, (...[error, socket]) => {
        if (error) return callback(error, null)
        const peer = socket.remoteAddress ?? ''
        const peerFault = isOwnPeer(peer, socket.remotePort ?? 0)
          ? 'it is an address of this server'
          : addressFault(peer, policy)
        if (peerFault === null) return callback(null, socket)
        socket.destroy()
        callback(new OutboundRefused(options.hostname, peerFault), null)
      })
    }
  }
  const plain = connectorFor(true)
  const encrypted = connectorFor(false)
  return (options, callback) => (options.protocol === 'https:' ? encrypted : plain)(options, callback)
}

/** The host resolves to a forbidden address: a fault of configuration, which no retry mends. */
export class OutboundRefused extends Error {
  readonly code = 'ERR_OUTBOUND_REFUSED'

  constructor(hostname: string, fault: string) {
    super(`refused to connect to ${hostname}: ${fault}`)
  }
}

function guardedLookup(policy: OutboundPolicy & { isPlain: boolean }, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      if (error) return callback(error, [])
      const first = addresses[0]
      if (!first) return callback(new Error(`look up ${hostname}: no addresses`), [])
      for (const { address } of addresses) {
        const fault = addressFault(address, policy)
        if (fault !== null) return callback(new OutboundRefused(hostname, fault), [])
      }
      // Node asks for all of them unless happy eyeballs is off for the process.
      if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
