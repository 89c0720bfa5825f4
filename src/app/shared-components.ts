import { randomBytes, randomFillSync } from 'node:crypto'
import { epochTag, idSource, type IdSource } from '#domain/ids-sorted-by-time.ts'
import type { Logger } from '#domain/log-interface.ts'
import { AddressRanges } from '#domain/network/address-ranges.ts'
import { loopName } from '#domain/network/detect-request-loops.ts'
import type { KeyRing } from '#domain/secrets/encrypt-stored-secrets.ts'
import { NameResolver, type NameResolverOptions } from '#providers/name-resolver.ts'
import type { Telemetry } from '#telemetry/report-ended-calls.ts'
import { ApplicationHosts } from './application-hosts-and-ports.ts'
import type { Config } from './server-configuration.ts'
import { sharedSecret } from './master-key-ring.ts'
import type { OpenStore } from './open-store.ts'

export interface SharedComponents {
  readonly config: Config
  readonly log: Logger
  readonly store: OpenStore
  readonly telemetry: Telemetry
  readonly ring: KeyRing
  readonly chance: { readonly newId: IdSource; readonly randomByte: () => number }
  readonly monotonicMs: () => number
  readonly served: ApplicationHosts
  readonly names: NameResolver
  /** Detects requests that this server sends to itself, so that no request loops endlessly. */
  readonly outbound: {
    readonly loopName: string
    readonly isOwnPeer: (address: string, port: number) => boolean
  }
  readonly trustedProxies: AddressRanges | null
  readonly state: ServerState
  /**
   * After shutdown has closed all connections, faults are expected, because requests may still run while the store
   * closes.
   */
  readonly fault: Logger['error']
}

export interface ServerState {
  isReady: boolean
  /** Whether shutdown has closed the connections of requests that did not finish in time. */
  isCut: boolean
}

export function sharedComponents(
  given: Pick<SharedComponents, 'config' | 'log' | 'store' | 'telemetry' | 'ring' | 'monotonicMs'>,
  names: NameResolverOptions | undefined,
): SharedComponents {
  const { config, log, ring, store } = given
  const served = new ApplicationHosts(config, store, log)
  const state = { isReady: false, isCut: false }
  return {
    ...given,
    chance: {
      newId: idSource(Date.now, (bytes) => randomFillSync(bytes), epochTag(store.epoch)),
      randomByte: byteSource(),
    },
    served,
    names: new NameResolver(names),
    outbound: {
      loopName: loopName(sharedSecret(ring)),
      isOwnPeer: (address, port) => served.isOwnPeer(address, port),
    },
    trustedProxies: config.trustedProxies && new AddressRanges(config.trustedProxies),
    state,
    fault: (fields, message) => log[state.isCut ? 'debug' : 'error'](fields, message),
  }
}

function byteSource(): () => number {
  let block = Buffer.alloc(0)
  let used = 0
  return () => {
    if (used === block.length) {
      block = randomBytes(256)
      used = 0
    }
    return block[used++] ?? 0
  }
}
