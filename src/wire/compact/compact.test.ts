import { describe, expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { compact } from './wire.ts'

const noPath = { model: null, isStream: false, isJsonArray: false }
const usual = { model: 'acme/long', input: [{ role: 'user', content: 'Né en été' }] }

function parsed(body: object) {
  return compact.parseRequest(byteTextOf(JSON.stringify(body)), noPath)
}

function read(body: object): WireRequest {
  const request = parsed(body)
  if (isFault(request)) throw new Error(request.reason)
  return request
}

describe('a request that compacts a conversation', () => {
  it('a compaction request has no maximum output, and the gateway adds no maximum', () => {
    expect(read(usual)).toMatchObject({
      wire: 'compact',
      isStream: false,
      outputTokensMax: 0,
      uses: { output: 16_384 },
    })
    expect(read({ ...usual, service_tier: 'flex' }).serviceTier).toBe('flex')
  })

  it('a compaction request is sent with the target’s model and without `svc`', () => {
    const request = read({ svc: { session: 's' }, ...usual, instructions: 'Be brief' })
    expect(JSON.parse(Buffer.from(upstreamBody(request, 'gpt-6-sol', null), 'latin1').toString())).toEqual({
      ...usual,
      model: 'gpt-6-sol',
      instructions: 'Be brief',
    })
  })

  it('a compaction request may have a stored response in place of its input', () => {
    expect(read({ model: 'a', previous_response_id: 'resp_1' }).previous).toMatchObject({ id: 'resp_1' })
  })

  it.each([
    [{ model: 'a' }, 'input'],
    [{ ...usual, stream: true }, 'stream'],
    [{ ...usual, background: true }, 'background'],
    [{ ...usual, conversation: 'conv_1' }, 'conversation'],
    [{ ...usual, model: null }, 'model'],
  ])('the compaction request %j is rejected because of the field %s', (body, param) => {
    expect(parsed(body)).toMatchObject({ kind: 'fault', param })
  })
})

describe('a compacted conversation', () => {
  const answer = {
    id: 'resp_1',
    object: 'response.compaction',
    output: [{ type: 'compaction', encrypted_content: 'x'.repeat(4_000) }],
  }
  const answerTo = (body: object) => compact.readAnswer(JSON.stringify(body), read(usual))

  it('the reported usage of a compacted conversation is read, and the conversation is returned unchanged', () => {
    const usage = {
      input_tokens: 900,
      input_tokens_details: { cached_tokens: 100 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 7 },
      total_tokens: 950,
    }
    expect(answerTo({ ...answer, usage })).toMatchObject({
      usage: { input: 800, cacheRead: 100, output: 50, reasoning: 7 },
      hasReportedUsage: true,
      body: JSON.stringify({ ...answer, usage }),
    })
  })

  it('without a reported usage, the gateway counts the input and the items of the response', () => {
    const { hasReportedUsage, usage } = answerTo(answer) ?? {}
    expect(hasReportedUsage).toBe(false)
    expect(usage).toMatchObject({ lacks: 'input' })
    expect(usage?.output).toBeGreaterThan(20)
  })

  it.each([{ error: { message: 'no' } }, { output: 'text' }, {}])(
    '%j is not accepted as a compacted conversation',
    (body) => {
      expect(answerTo(body)).toBeNull()
    },
  )
})
