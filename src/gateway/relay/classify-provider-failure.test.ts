import { describe, expect, it } from 'vitest'
import { Failure } from '#domain/errors.ts'
import { attemptDefaults } from '#domain/router-records.ts'
import { declines, mayMoveOn, mostHelpful, targetFailureOf, waitMsOf } from './classify-provider-failure.ts'

const rules = attemptDefaults
const busy = (retryAfterSeconds: number, upstreamRetryAfterSeconds: number | null = null): Failure =>
  new Failure(
    'upstream_rate_limited',
    { retryAfterSeconds },
    {
      operatorDetails: {
        upstreamStatus: 429,
        ...(upstreamRetryAfterSeconds !== null && { upstreamRetryAfterSeconds }),
      },
    },
  )

describe('the wait time that a provider states', () => {
  it('if the provider states no wait time, the wait time is null, but clients still get a Retry-After header', () => {
    expect(waitMsOf(busy(7, 7))).toBe(7_000)
    expect(waitMsOf(busy(5))).toBeNull()
  })
})

describe('after several failures, the client gets the failure from which it can recover soonest', () => {
  it('the client gets the failure with the shortest wait; a failure that only the application can fix is the last choice', () => {
    const rejected = new Failure('upstream_unauthorized', {}, { operatorDetails: { upstreamStatus: 401 } })
    const broken = new Failure('upstream_error', { reason: 'it answered 500' })
    expect(mostHelpful([rejected, busy(9), busy(7), broken]).details['retryAfterSeconds']).toBe(7)
    expect(mostHelpful([rejected, broken])).toBe(broken)
    expect(mostHelpful([broken, rejected])).toBe(broken)
  })
})

describe('after most failures, another target is called', () => {
  const withStatus = (code: 'upstream_error' | 'upstream_rejected', upstreamStatus: number): Failure =>
    new Failure(code, { reason: 'x' }, { operatorDetails: { upstreamStatus } })

  it('no other target is called if the request itself is invalid, or if the router forbids another target after this status', () => {
    for (const status of [400, 413, 422]) {
      expect(targetFailureOf(withStatus('upstream_rejected', status))).toBeNull()
      expect(mayMoveOn(withStatus('upstream_rejected', status), rules)).toBe(false)
    }
    expect(mayMoveOn(withStatus('upstream_error', 500), rules)).toBe(true)
    expect(mayMoveOn(withStatus('upstream_error', 500), { ...rules, neverMovesOn: [500] })).toBe(false)
    expect(mayMoveOn(withStatus('upstream_rejected', 415), { ...rules, alsoMovesOn: [415] })).toBe(true)
  })
})

describe('an answer without text', () => {
  it('on each wire, specific finish reasons show that the model declined to respond', () => {
    for (const answer of [
      '{"choices":[{"message":{"content":null},"finish_reason":"content_filter"}]}',
      '{"type":"message","content":[],"stop_reason": "refusal"}',
      '{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}',
      '{"candidates":[{"finishReason" : "SAFETY"}]}',
      '{"candidates":[{"finishReason":"IMAGE_RECITATION"}]}',
      '{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}',
    ])
      expect(declines(answer), answer).toBe(true)
  })

  it('with any other finish reason, an answer without text is an empty response', () => {
    for (const answer of [
      '',
      '{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}',
      '{"type":"message","content":[],"stop_reason":"end_turn","note":"refusal"}',
      '{"candidates":[{"finishReason":"STOP","safetyRatings":[{"category":"HARM_CATEGORY_SAFETY"}]}]}',
    ])
      expect(declines(answer), answer).toBe(false)
  })
})
