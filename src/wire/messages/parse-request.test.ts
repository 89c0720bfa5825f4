import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { upstreamBody, type RequestFault, type WireRequest } from '#wire/wire-request.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { countAnswer, parseCountRequest, parseMessagesRequest } from './parse-request.ts'

function parsed(body: unknown): WireRequest | RequestFault {
  return parseMessagesRequest(byteTextOf(typeof body === 'string' ? body : JSON.stringify(body)))
}

function request(body: unknown): WireRequest {
  const answer = parsed(body)
  if ('kind' in answer) throw new Error(`${answer.code} ${answer.param}: ${answer.reason}`)
  return answer
}

function refused(body: unknown): string {
  const answer = parsed(body)
  if (!('kind' in answer)) throw new Error('it was accepted')
  return `${answer.code} ${answer.param}`
}

const hello = [{ role: 'user', content: 'hello' }]
const plain = { model: 'm', max_tokens: 5, messages: hello }
const withBlock = (block: object): object => ({ ...plain, messages: [{ role: 'user', content: [block] }] })

describe('parseMessagesRequest', () => {
  it('the model, stream flag, maximum, service tier and outcome are read from a messages request', () => {
    expect(
      request({ ...plain, stream: true, speed: 'fast', svc: { outcome: 'ticket', outcome_id: 'r1' } }),
    ).toMatchObject({
      wire: 'messages',
      model: 'm',
      isStream: true,
      outputTokensMax: 5,
      choices: 1,
      serviceTier: 'fast',
      outcome: { slug: 'ticket', runId: 'r1' },
    })
  })

  it('the body for the provider changes only in the model, the maximum and `svc`', () => {
    const body =
      '{ "svc":{"outcome":"a","outcome_id":"b"},"model" : "m","max_tokens":900,"messages":[{"role":"user","content":"h\\u0069"}],"temperature":1.0,"x":9007199254740993,"metadata":{"user_id":"é"}}'
    const out = textOf(upstreamBody(request(body), 'claude-x', 7))
    expect(out).toBe(
      body
        .replace('"svc":{"outcome":"a","outcome_id":"b"},', '')
        .replace('"m"', '"claude-x"')
        .replace('900', '7'),
    )
  })

  it('a request that only warms the cache is sent with its maximum of 0, and its hold covers one output token', () => {
    const prewarm = request({ ...plain, max_tokens: 0 })
    expect(prewarm.outputTokensMax).toBe(1)
    expect(textOf(upstreamBody(prewarm, 'x', null))).toContain('"max_tokens":0')
  })

  it('a setting with its default value is treated as omitted', () => {
    for (const more of [
      { service_tier: 'auto' },
      { service_tier: 'standard_only' },
      { service_tier: null, speed: 'standard', mcp_servers: null, container: null, inference_geo: null },
    ])
      expect(request({ ...plain, ...more }).serviceTier).toBeNull()
  })

  it.each([
    ['not JSON', '{"model":', 'invalid_json null'],
    ['not an object', '[1]', 'invalid_request null'],
    ['no model', { ...plain, model: undefined }, 'invalid_request model'],
    ['no messages', { ...plain, messages: undefined }, 'invalid_request messages'],
    ['empty messages', { ...plain, messages: [] }, 'invalid_request messages'],
    ['a message that is no object', { ...plain, messages: ['x'] }, 'invalid_request messages.0'],
    ['no max_tokens', { ...plain, max_tokens: undefined }, 'invalid_request max_tokens'],
    ['max_tokens null', { ...plain, max_tokens: null }, 'invalid_request max_tokens'],
    ['max_tokens -1', { ...plain, max_tokens: -1 }, 'invalid_request max_tokens'],
    ['max_tokens 0.5', { ...plain, max_tokens: 0.5 }, 'invalid_request max_tokens'],
    ['max_tokens "5"', { ...plain, max_tokens: '5' }, 'invalid_request max_tokens'],
    ['max_tokens 1e400', '{"model":"m","messages":[{}],"max_tokens":1e400}', 'invalid_request max_tokens'],
    ['stream 1', { ...plain, stream: 1 }, 'invalid_request stream'],
    [
      'max_tokens twice, once spelt with an escape',
      '{"model":"a","messages":[{}],"max_tokens":1,"max\\u005ftokens":9}',
      'invalid_request max_tokens',
    ],
    ['a base URL', { ...plain, base_url: 'https://x' }, 'unsupported_for_route base_url'],
    ['MCP servers that are no list', { ...plain, mcp_servers: {} }, 'invalid_request mcp_servers'],
    ['a container', { ...plain, container: 'c' }, 'unsupported_for_route container'],
    ['fallback models', { ...plain, fallbacks: 'default' }, 'unsupported_for_route fallbacks'],
    ['a stored thread', { ...plain, thread: { type: 'create' } }, 'thread_unsupported_request thread'],
    ['a compaction', { ...plain, compaction: { type: 'summarize' } }, 'unsupported_for_route compaction'],
    ['another payer', { ...plain, billing_policy: {} }, 'unsupported_for_route billing_policy'],
    ['a region with its price', { ...plain, inference_geo: 'us' }, 'unsupported_for_route inference_geo'],
    [
      'an unknown edit',
      {
        ...plain,
        context_management: { edits: [{ type: 'clear_thinking_1' }, { type: 'rewrite_20300101' }] },
      },
      'unsupported_for_route context_management.edits.1',
    ],
    ['tools that are no list', { ...plain, tools: {} }, 'invalid_request tools'],
    ...['file:///etc/passwd', 'data:application/pdf;base64,AAAA', 7, null].map(
      (url): [string, object, string] => [
        `a document at ${url}`,
        withBlock({ type: 'document', source: { type: 'url', url } }),
        'unsupported_for_route messages.0.content',
      ],
    ),
    [
      'a document of an unknown source',
      withBlock({ type: 'document', source: { type: 'place' } }),
      'unsupported_for_route messages.0.content',
    ],
    [
      'a file without an ID',
      withBlock({ type: 'document', source: { type: 'file' } }),
      'invalid_request file_id',
    ],
    [
      'an upload',
      withBlock({ type: 'container_upload', file_id: 'f' }),
      'unsupported_for_route messages.0.content',
    ],
    [
      'an unknown block in system',
      { ...plain, system: [{ type: 'document', source: { type: 'place' } }] },
      'unsupported_for_route system',
    ],
  ])('a messages request with %s is rejected', (_, body, expected) => {
    expect(refused(body)).toBe(expected)
  })

  it.each([
    ['bash_20250124'],
    ['text_editor_20250728'],
    ['memory_20250818'],
    ['computer_20251124'],
    ['computer_toolset_20260801'],
    ['custom'],
  ])('the tool %s, which the client runs, is accepted', (type) => {
    expect(request({ ...plain, tools: [{ type, name: 'x' }] }).model).toBe('m')
  })

  it('the hold covers the hidden definitions of a vendor’s tools', () => {
    const bound = (type: string): number => request({ ...plain, tools: [{ type, name: 'x' }] }).textTokensMax
    expect(bound('bash_20250124')).toBeGreaterThan(bound('custom') + 1000)
    expect(bound('computer_toolset_20260801')).toBeGreaterThan(bound('bash_20250124') + 10_000)
  })

  it('text is counted by its bytes and media by its kind, also in tool results', () => {
    const data = 'A'.repeat(100_000)
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    const alone = request(withBlock(image))
    expect(alone.images?.any).toBe(16_000)
    expect(alone.textTokensMax).toBeLessThan(400)
    const inResult = request(withBlock({ type: 'tool_result', tool_use_id: 't', content: [image, image] }))
    expect(inResult.images?.any).toBe(32_000)
    expect(inResult.textTokensMax).toBeLessThan(500)
    const byUrl = request(withBlock({ type: 'image', source: { type: 'url', url: 'https://x/y.png' } }))
    expect(byUrl.images?.any).toBe(16_000)
    const pdf = withBlock({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data },
    })
    expect(request(pdf).textTokensMax).toBeGreaterThan(100_000)
    const prose = withBlock({ type: 'document', source: { type: 'text', data } })
    expect(request(prose).textTokensMax).toBeGreaterThan(100_000)
    expect(request(prose).textTokensMax).toBeLessThan(101_000)
  })

  it('each time a request names a tool again, the tool’s definition counts again', () => {
    const tools = [{ name: 'a', description: 'x'.repeat(5000), input_schema: {}, defer_loading: true }]
    const reference = {
      type: 'tool_result',
      tool_use_id: 't',
      content: [{ type: 'tool_reference', tool_name: 'a' }],
    }
    const without = request({ ...withBlock({ type: 'tool_result', tool_use_id: 't', content: [] }), tools })
    const once = request({ ...withBlock(reference), tools })
    expect(once.textTokensMax - without.textTokensMax).toBeGreaterThan(5000)
  })

  it('the input tokens above which compaction begins are read, whatever date the type of the setting contains', () => {
    const edit = { type: 'compact_20260112' }
    const above = (...edits: object[]) => request({ ...plain, context_management: { edits } }).compactsAbove
    expect(above()).toBeUndefined()
    expect(above({ type: 'clear_thinking_1' })).toBeUndefined()
    expect(above({ type: 'clear_thinking_1' }, { type: 'compact_20991231' })).toBe(150_000)
    expect(above({ ...edit, trigger: null })).toBe(150_000)
    expect(above({ ...edit, trigger: { type: 'input_tokens', value: 50_000 } }, edit)).toBe(50_000)
    // If the trigger is unknown, the compaction may begin at any time.
    expect(above({ ...edit, trigger: { type: 'something', value: 50_000 } })).toBe(0)
  })

  it('the provider fetches a document that is sent as an address', () => {
    const source = { type: 'url', url: 'https://x.example/a.pdf' }
    expect(request(withBlock({ type: 'document', source })).fetched).toBe('document')
    const system = [{ type: 'document', source, citations: { enabled: true } }]
    expect(request({ ...plain, system }).fetched).toBe('document')
  })

  it('a request to count tokens needs no maximum and follows the same rules as a messages request', () => {
    const count = (body: object): WireRequest | RequestFault =>
      parseCountRequest(byteTextOf(JSON.stringify(body)))
    expect(count({ model: 'm', messages: hello, system: 'x' })).toMatchObject({
      model: 'm',
      outputTokensMax: null,
    })
    expect(count({ model: 'm', messages: hello, mcp_servers: [{ name: 'x' }] })).toMatchObject({
      lost: ['tools.mcp_servers'],
    })
    expect(count({ messages: hello })).toMatchObject({ param: 'model' })
    const { tools, messages } = {
      tools: [{ type: 'bash_20250124', name: 'bash' }],
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', data: 'AA==' } }] }],
    }
    expect(count({ model: 'm', messages, tools, system: [{ type: 'text', text: 'x' }] })).toMatchObject({
      images: { any: 16_000 },
    })
    expect(countAnswer(7)).toBe('{"input_tokens":7}')
  })

  it('a mutated body never causes an exception', () => {
    const body = byteTextOf(
      JSON.stringify({
        ...withBlock({
          type: 'tool_result',
          tool_use_id: 't',
          content: [{ type: 'image', source: { type: 'base64' } }],
        }),
        system: [{ type: 'text', text: 'é' }],
        tools: [{ type: 'bash_20250124', name: 'bash' }],
        mcp_servers: [{ type: 'url', name: 'x', url: 'https://x' }],
        container: { id: null, skills: [] },
        context_management: { edits: [{ type: 'clear_thinking' }] },
        svc: { outcome: 'a', outcome_id: 'b' },
      }),
    )
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(body.length - 1), fc.constantFrom(...'{}[],:"\\ntf019 é'.split(''))), {
          minLength: 1,
          maxLength: 6,
        }),
        (edits) => {
          let mutated = body
          for (const [at, character] of edits)
            mutated = mutated.slice(0, at) + character + mutated.slice(at + 1)
          const answer = parseMessagesRequest(mutated)
          if (!('kind' in answer)) expect(() => upstreamBody(answer, 'x', 3)).not.toThrow()
        },
      ),
      sampledRuns(5000),
    )
  })
})
