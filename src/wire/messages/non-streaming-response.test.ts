import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { messagesErrorBody } from './errors.ts'
import { readMessagesResponse } from './non-streaming-response.ts'

describe('readMessagesResponse', () => {
  it('the model name is the only change to the response', () => {
    const body =
      '{"id":"msg_1", "model" : "claude-x","content":[{"type":"text","text":"abc é","model":"claude-x"}],"usage":{"input_tokens":1,"output_tokens":2,"iterations":[{"type":"message","model":"claude-x"}]},"big":12345678901234567890}'
    const answer = readMessagesResponse(byteTextOf(body), 'alias')
    expect(textOf(answer?.body ?? '')).toBe(
      body
        .replace('"model" : "claude-x"', '"model" : "alias"')
        .replace('"message","model":"claude-x"', '"message","model":"alias"'),
    )
    expect(answer).toMatchObject({ usage: { input: 1, output: 2 }, hasReportedUsage: true, outputTokens: 2 })
  })

  it('the gateway counts the output if the response reports no usage', () => {
    const content = [{ type: 'text', text: 'x'.repeat(300) }]
    const answer = readMessagesResponse(byteTextOf(JSON.stringify({ content })), 'a')
    expect(answer).toMatchObject({ usage: null, hasReportedUsage: false })
    expect(answer?.outputTokens).toBeGreaterThanOrEqual(100)
  })

  it.each([
    '<html></html>',
    '{"content":[',
    '{"type":"error","error":{"type":"overloaded_error","message":"x"}}',
    '[]',
    '',
  ])('%s is not accepted as an answer', (body) => {
    expect(readMessagesResponse(byteTextOf(body), 'a')).toBeNull()
  })
})

describe('messagesErrorBody', () => {
  const error = { code: 'c', message: 'm', param: 'tools.0', details: { limit: '5' } }

  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [409, 'conflict_error'],
    [413, 'request_too_large'],
    [422, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [502, 'api_error'],
    [503, 'overloaded_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('an error with the status %i is reported as %s', (status, type) => {
    expect(JSON.parse(messagesErrorBody({ ...error, status }, 'req_1'))).toEqual({
      type: 'error',
      error: { type, message: 'm', code: 'c', details: { error_code: 'c', param: 'tools.0', limit: '5' } },
      request_id: 'req_1',
    })
  })
})
