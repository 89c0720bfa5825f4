import type { IncomingMessage } from 'node:http'
import { Failure } from '#domain/errors.ts'
import type { KeyRecord, ApplicationConfig } from '#domain/application-config.ts'
import { authenticate, keyFault } from './authenticate.ts'
import type { Configuration } from '#gateway/decide/configuration.ts'
import { loaded } from '#gateway/open-call.ts'
import type { GatewayPorts } from '#gateway/ports.ts'

/**
 * Who asks, for what costs nothing: no reserve follows that would notice what has changed since, so
 * configuration and key are read anew and judged here. Whose spending is stopped may still ask.
 * @throws Failure what a call of this key would be refused with, whatever it asked
 */
export async function freshCaller(
  request: IncomingMessage,
  applicationId: string,
  { clock }: GatewayPorts,
  configuration: Configuration,
): Promise<{ readonly config: ApplicationConfig; readonly key: KeyRecord; readonly keyHash: string }> {
  const remembered = await loaded(configuration, applicationId)
  const { keyHash } = await authenticate(request, remembered, configuration)
  configuration.forget(applicationId, keyHash)
  const config = await loaded(configuration, applicationId)
  const key = await configuration.key(applicationId, keyHash)
  if (!key) throw new Failure('invalid_key')
  const fault = keyFault(key, clock.nowMs())
  if (fault) throw fault
  return { config, key, keyHash }
}
