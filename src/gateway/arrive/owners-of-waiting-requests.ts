import { hash } from 'node:crypto'
import type { ClientRequest } from '#gateway/call/client-exchange-interface.ts'
import type { Configuration } from '#gateway/call/configuration-cache.ts'
import { credentialOf } from './key-in-request-headers.ts'

/**
 * Returns the owners of a request that waits for capacity: its organization, application and end user. Does not read
 * the store. If the organization is unknown, the application from the Host header replaces the organization. All keys
 * that this process has not seen count as one end user, so that no client can invent keys to get more turns.
 */
export function queueOwners(
  request: ClientRequest,
  applicationId: string,
  configuration: Configuration,
): readonly [organization: string, application: string, endUser: string] {
  const { endUserId, organizationId } = configuration.remembered(applicationId, keyHashOf(request))
  return [organizationId ?? applicationId, applicationId, endUserId ?? '']
}

/** Returns the hash of the request's key. Empty if the request has no valid credential. */
function keyHashOf(request: ClientRequest): string {
  try {
    return hash('sha256', credentialOf(request), 'hex')
  } catch {
    // Queue the request despite the invalid credential. The request is rejected when it leaves the queue.
    return ''
  }
}
