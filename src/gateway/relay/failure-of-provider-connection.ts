import { systemCodeOf } from '#domain/network/innermost-error-code.ts'
import { Failure } from '#domain/errors.ts'
import type { ProviderAccount } from '#domain/application-config.ts'
import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import type { Deadlines } from '#domain/calls/call-deadlines.ts'
import type { UpstreamFailure } from '#domain/provider-upstream-interface.ts'
import type { ConnectionFault } from '#gateway/call/call-state-types.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { providerOf } from './failure-with-provider-error.ts'

/**
 * If a connection limit of this server caused the failure, the client learns the limit. Other causes appear only in the
 * log and in `requests.explain`.
 */
export function failureOfConnection(
  { cause, isTimeout, phase }: UpstreamFailure,
  deadlines: Deadlines,
  plan: Plan,
): Failure {
  if (cause instanceof Failure) return cause
  if (!isTimeout) {
    const reason = phase === 'connect' ? 'it could not be reached' : 'the connection was lost'
    const provider = providerOf(plan)
    return new Failure('upstream_error', { reason }, { cause, provider, operatorDetails: { phase } })
  }
  const details = { phase, timeoutMs: deadlines[deadlineOf[phase]] ?? 0 }
  return new Failure('upstream_timeout', details, { cause, provider: providerOf(plan) })
}

const deadlineOf: Readonly<Record<UpstreamFailure['phase'], keyof Deadlines>> = {
  connect: 'connectMs',
  first_byte: 'firstByteMs',
  first_token: 'firstTokenMs',
  idle: 'idleMs',
  total: 'totalMs',
  reset: 'totalMs',
}

export function connectionFault(account: ProviderAccount, failure: UpstreamFailure): ConnectionFault {
  const baseUrl = account.baseUrl ?? kindFacts(account.kind).baseUrl
  const systemCode = systemCodeOf(failure.cause)
  const limit = failure.cause instanceof Failure ? 'too many requests of this organization are waiting' : null
  const known = causes.find(([pattern]) => pattern.test(systemCode ?? ''))?.[1]
  const unknown = failure.phase === 'connect' ? 'the request could not be sent' : 'connection lost'
  return {
    host: failure.host ?? (baseUrl === null ? null : new URL(baseUrl).host),
    cause: failure.isTimeout ? 'no response in time' : (limit ?? known ?? unknown),
    systemCode,
  }
}

const causes: readonly (readonly [RegExp, string])[] = [
  [/^(?:ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/, 'name not found'],
  [/^ETIMEOUT/, 'the DNS servers did not respond'],
  [/^ECONNREFUSED/, 'connection refused'],
  [/^(?:ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|ENETDOWN|EHOSTDOWN)/, 'host not reachable'],
  [/^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/, 'TLS failed'],
  [/^ERR_OUTBOUND_REFUSED/, 'address not allowed'],
  [/^HPE_/, 'the response is not HTTP'],
]
