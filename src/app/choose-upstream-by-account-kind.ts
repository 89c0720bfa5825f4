import type { Upstream } from '#domain/provider-upstream-interface.ts'
import type { ProviderAccount } from '#domain/application-config.ts'
import { isRemoteKind } from '#domain/accounts/provider-kinds.ts'
import { deadlineSweep } from '#domain/calls/deadline-sweep.ts'
import {
  connectionLimits,
  remote,
  type ClosableUpstream,
  type RemoteOptions,
} from '#providers/send-calls-to-provider.ts'
import { cleanerOf } from '#providers/remove-secrets-from-errors.ts'
import { directReads } from '#providers/shared-read-buffer.ts'
import type { NameResolver } from '#providers/name-resolver.ts'
import { guardedConnector } from '#providers/outbound-guard.ts'
import { simulator } from '#simulator/simulator.ts'
import { descriptorsMax } from './capacity-of-process.ts'

/** Returns the `Upstream` for all kinds of providers. The kind of the account decides which adapter is called. */
export function upstreams({
  allowPrivate,
  loopName,
  isOwnPeer,
  names,
  openCredential,
  nowMs,
}: Pick<RemoteOptions, 'openCredential' | 'nowMs' | 'loopName'> & {
  /** Whether the operator allows base URLs in the private network (TOLLGATE_ALLOW_PRIVATE_PROVIDERS). */
  allowPrivate: boolean
  names: NameResolver
  isOwnPeer: (address: string, port: number) => boolean
}): ClosableUpstream {
  const sweep = deadlineSweep()
  const network = remote({
    connectorOf: (organizationId) =>
      guardedConnector({ allowPrivate, isOwnPeer, onread: directReads, resolve: names.of(organizationId) }),
    sweep,
    loopName,
    openCredential,
    nowMs,
    ofOrganization: {
      ...connectionLimits.ofOrganization,
      connectionsMax: connectionsOfOrganization(descriptorsMax()),
    },
  })
  const builtIn = simulator({ sweep, nowMs, cleaner: cleanerOf({ credential: null, baseUrl: null }) })
  const adapterOf = ({ kind }: ProviderAccount): Upstream => (isRemoteKind(kind) ? network : builtIn)
  return {
    send: (request, sink) => adapterOf(request.account).send(request, sink),
    cleaner: (account) => adapterOf(account).cleaner(account),
    connections: () => network.connections(),
    close: () => network.close(),
  }
}

/**
 * Limits the calls of one organization to about half of the file descriptors, because each call also has a connection
 * to its client.
 * @param descriptors maximum number of file descriptors; null if the number is not limited
 */
export function connectionsOfOrganization(descriptors: number | null): number {
  const { connectionsMax } = connectionLimits.ofOrganization
  return descriptors === null ? connectionsMax : Math.min(connectionsMax, Math.floor(descriptors / 4))
}
