import { hash } from 'node:crypto'
import type { ClientRequest } from '#gateway/call/client-exchange-interface.ts'
import type { Configuration } from '#gateway/call/configuration-cache.ts'
import { credentialOf } from './key-in-request-headers.ts'

/**
 * Never reads the store. If the organization is unknown, the application takes its place. All keys that this process
 * has not seen count as one end user, so that invented keys get no additional turns.
 */
export function queueOwners(
  request: ClientRequest,
  applicationId: string,
  configuration: Configuration,
): readonly [organization: string, application: string, endUser: string] {
  const { endUserId, organizationId } = configuration.remembered(applicationId, keyHashOf(request))
  return [organizationId ?? applicationId, applicationId, endUserId ?? '']
}

function keyHashOf(request: ClientRequest): string {
  try {
    return hash('sha256', credentialOf(request), 'hex')
  } catch {
    // A request with an invalid credential is queued too. It is rejected when it leaves the queue.
    return ''
  }
}
