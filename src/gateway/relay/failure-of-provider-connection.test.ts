import { describe, expect, it } from 'vitest'
import type { ProviderAccount } from '#domain/application-config.ts'
import type { UpstreamFailure } from '#domain/provider-upstream-interface.ts'
import { Failure } from '#domain/errors.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { connectionFault, failureOfConnection } from './failure-of-provider-connection.ts'
import { mayMoveOn, targetFailureOf } from './classify-provider-failure.ts'

const account: ProviderAccount = {
  id: 'pa_1',
  organizationId: 'org_1',
  label: 'main',
  kind: 'openai_compatible',
  baseUrl: 'https://api.example.com:8443/v1',
  sealedCredential: null,
}

const systemError = (code: string): Error => Object.assign(new Error('it failed'), { code })

describe('the cause that is reported for a missing provider response', () => {
  const causes: readonly (readonly [string, unknown, string, string | null])[] = [
    ['an unknown name', systemError('ENOTFOUND'), 'name not found', 'ENOTFOUND'],
    [
      'DNS servers that do not respond',
      systemError('ETIMEOUT'),
      'the DNS servers did not respond',
      'ETIMEOUT',
    ],
    ['a refusal', systemError('ECONNREFUSED'), 'connection refused', 'ECONNREFUSED'],
    [
      'a refusal at each address',
      new AggregateError([systemError('ENETUNREACH'), systemError('ECONNREFUSED')]),
      'connection refused',
      'ECONNREFUSED',
    ],
    ['a certificate', systemError('CERT_HAS_EXPIRED'), 'TLS failed', 'CERT_HAS_EXPIRED'],
    [
      'an error whose cause is a wrong TLS version',
      new Error('other side closed', { cause: systemError('ERR_SSL_WRONG_VERSION_NUMBER') }),
      'TLS failed',
      'ERR_SSL_WRONG_VERSION_NUMBER',
    ],
    [
      'an address of the private network',
      systemError('ERR_OUTBOUND_REFUSED'),
      'address not allowed',
      'ERR_OUTBOUND_REFUSED',
    ],
    [
      'a response that is not HTTP',
      systemError('HPE_INVALID_CONSTANT'),
      'the response is not HTTP',
      'HPE_INVALID_CONSTANT',
    ],
    ['an unknown error', new Error('hm'), 'the request could not be sent', null],
  ]
  it.each(causes)(
    '`requests.explain` names the cause if the provider’s response is missing because of %s',
    (_, cause, told, systemCode) => {
      const failure: UpstreamFailure = { phase: 'connect', isTimeout: false, cause }
      expect(connectionFault(account, failure)).toEqual({
        host: 'api.example.com:8443',
        cause: told,
        systemCode,
      })
    },
  )

  it('a missing response without a known cause is reported as a timeout or as a lost connection', () => {
    const of = (failure: Omit<UpstreamFailure, 'cause'>, own = account) =>
      connectionFault(own, { ...failure, cause: new Error('hm') })
    expect(of({ phase: 'idle', isTimeout: true }).cause).toBe('no response in time')
    expect(of({ phase: 'reset', isTimeout: false }).cause).toBe('connection lost')
    expect(of({ phase: 'reset', isTimeout: false }, { ...account, kind: 'openai', baseUrl: null }).host).toBe(
      'api.openai.com',
    )
    expect(
      of({ phase: 'idle', isTimeout: true }, { ...account, kind: 'simulator', baseUrl: null }).host,
    ).toBeNull()
  })
})

it('a request beyond the organization’s connection limit has its own error, does not count as a provider failure, and is not sent to another target', () => {
  const cause = new Failure('rate_limited', { retryAfterSeconds: 1 })
  const failure: UpstreamFailure = { phase: 'connect', isTimeout: false, cause }
  const deadlines = { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 }
  // oxlint-disable-next-line no-unsafe-type-assertion -- the failure depends only on the account of the plan
  const told = failureOfConnection(failure, deadlines, { account } as Plan)
  expect([told.code, told.status]).toEqual(['rate_limited', 429])
  expect(targetFailureOf(told)).toBeNull()
  expect(mayMoveOn(told, { alsoMovesOn: [], neverMovesOn: [] })).toBe(false)
  expect(connectionFault(account, failure).cause).toBe('too many requests of this organization are waiting')
})
