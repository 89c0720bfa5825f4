import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Configuration } from '#gateway/call/configuration.ts'
import { credentialOf } from './credential.ts'

/**
 * Returns the owners of a request that waits for capacity, from the widest: its organization, application and end user.
 * The store is not read. The application, which the Host header identifies, replaces an unknown organization. All keys
 * that this process has not seen count as one end user, because anyone can invent keys.
 */
export function waitingPath(
  request: IncomingMessage,
  applicationId: string,
  configuration: Configuration,
): readonly [organization: string, application: string, endUser: string] {
  const { endUserId, organizationId } = configuration.remembered(applicationId, keyHashOf(request))
  return [organizationId ?? applicationId, applicationId, endUserId ?? '']
}

/** Returns the empty string if the request has no key. */
function keyHashOf(request: IncomingMessage): string {
  try {
    return hash('sha256', credentialOf(request), 'hex')
  } catch {
    // The request is rejected for its credential when it starts.
    return ''
  }
}
