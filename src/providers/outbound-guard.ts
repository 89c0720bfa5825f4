import { isIP, type LookupFunction, type OnReadOpts } from 'node:net'
import { buildConnector } from 'undici'
import { addressFault, type OutboundPolicy } from '#domain/network/check-outbound-address.ts'
import type { Resolve } from './name-resolver.ts'

/**
 * Opens connections only to addresses that the policy allows.
 *
 * The check covers every address that the DNS look-up of the connection returned. The connection uses exactly the
 * checked addresses. An earlier check would not be enough, because the name may later resolve to another address (DNS
 * rebinding, docs/reference/threats.md "Host names that change their address"). If one of several addresses is private,
 * the whole result is rejected, because any of the addresses may be used. After connecting, the peer address of the
 * socket is checked again.
 *
 * Redirects and proxies need no code here, because the clients follow no redirects and do not read `HTTPS_PROXY`.
 * Certificates are always verified, regardless of `NODE_TLS_REJECT_UNAUTHORIZED`.
 *
 * @param resolve looks up names within the limit of one organization (name-resolver.ts)
 * @param onread how the sockets are read (shared-read-buffer.ts); absent for sockets that are streams, as undici's
 *   `Client` needs
 * @param isOwnPeer returns whether this process listens at an address; a request to itself would loop
 * @param connectTimeoutMs the timeout of a connection attempt; an attempt continues even if its call was abandoned
 */
export function guardedConnector({
  allowPrivate,
  connectTimeoutMs = 10_000,
  isOwnPeer = () => false,
  onread,
  resolve,
}: OutboundPolicy & {
  connectTimeoutMs?: number
  isOwnPeer?: (address: string, port: number) => boolean
  onread?: OnReadOpts
  resolve: Resolve
}): buildConnector.connector {
  const connectorFor = (isPlain: boolean): buildConnector.connector => {
    const policy = { allowPrivate, isPlain }
    const connect = buildConnector({
      allowH2: false,
      timeout: connectTimeoutMs,
      rejectUnauthorized: true,
      lookup: guardedLookup(policy, resolve),
      ...(onread && { onread }),
    })
    return (options, callback) => {
      // Check an IP address here, because Node looks up only names.
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

/** A forbidden address is a configuration error, which a retry cannot fix. */
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
      // Node requests all addresses unless "happy eyeballs" is disabled for the process.
      if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
