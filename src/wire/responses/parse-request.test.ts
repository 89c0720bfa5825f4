import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { tokensAtMost } from '#wire/bound/letter-pair-bound.ts'
import { tagOf } from '#wire/tagged-reasoning-signatures.ts'
import { isFault, upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { responses } from '#convert/responses/codec.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import {
  countAnswer,
  parseCompactRequest,
  parseCountRequest,
  parseResponsesRequest,
} from './parse-request.ts'

function textFrom(body: unknown): string {
  return byteTextOf(typeof body === 'string' ? body : JSON.stringify(body))
}

function request(body: unknown): WireRequest {
  const answer = parseResponsesRequest(textFrom(body))
  if (isFault(answer)) throw new Error(`${answer.code} ${answer.param}: ${answer.reason}`)
  return answer
}

function refused(body: unknown): string {
  const answer = parseResponsesRequest(textFrom(body))
  if (!isFault(answer)) throw new Error('it was accepted')
  return `${answer.code} ${answer.param}`
}

const m = { model: 'm', input: 'hello' }
const withItem = (item: unknown): object => ({ model: 'm', input: [item] })
const withPart = (part: unknown): object => withItem({ role: 'user', content: [part] })
const withTool = (tool: unknown): object => ({ ...m, tools: [tool] })

type Refused = readonly [name: string, body: string | object, expected: string]

describe('parseResponsesRequest', () => {
  it('the model, stream flag, maximum, service tier and outcome are read from a responses request', () => {
    expect(
      request({
        model: 'acme/fast',
        input: [{ role: 'user', content: 'hello' }],
        max_output_tokens: 5,
        stream: true,
        service_tier: 'flex',
        svc: { outcome: 'ticket', outcome_id: 'r1' },
      }),
    ).toMatchObject({
      wire: 'responses',
      model: 'acme/fast',
      isStream: true,
      outputTokensMax: 5,
      choices: 1,
      serviceTier: 'flex',
      outcome: { slug: 'ticket', runId: 'r1' },
    })
  })

  it.each([null, {}, { completion_window: null }, { completion_window: 'soonest', continuation_id: 'a' }])(
    'background options without a discount are accepted: %j',
    (options) => {
      expect(request({ ...m, background: true, background_options: options })).toMatchObject({
        isBackground: true,
      })
    },
  )

  it('the service tier fast of OpenAI is another name of the tier priority', () => {
    expect(request({ ...m, service_tier: 'fast' }).serviceTier).toBe('priority')
  })

  it('a null field is treated as omitted', () => {
    const nulls = {
      max_output_tokens: null,
      stream: null,
      previous_response_id: null,
      conversation: null,
      prompt: null,
      background: null,
      context_management: null,
      tools: null,
      reasoning: null,
      text: null,
      svc: null,
    }
    expect(request({ ...m, ...nulls })).toMatchObject({
      outputTokensMax: null,
      isStream: false,
      outcome: null,
    })
  })

  it.each<Refused>([
    ['not JSON', '{"model":', 'invalid_json null'],
    ['not an object', '[1]', 'invalid_request null'],
    ['no model', { input: 'x' }, 'invalid_request model'],
    ['no input', { model: 'm' }, 'invalid_request input'],
    ['an input that is null', { model: 'm', input: null }, 'invalid_request input'],
    ['an input that is no text and no list', { model: 'm', input: {} }, 'invalid_request input'],
    ['an item that is no object', withItem('x'), 'invalid_request input.0'],
    ['a maximum of 0', { ...m, max_output_tokens: 0 }, 'invalid_request max_output_tokens'],
    [
      'a maximum of 1e400',
      '{"model":"m","input":"x","max_output_tokens":1e400}',
      'invalid_request max_output_tokens',
    ],
    ['a maximum of 0.5', { ...m, max_output_tokens: 0.5 }, 'invalid_request max_output_tokens'],
    ['a maximum as a text', { ...m, max_output_tokens: '5' }, 'invalid_request max_output_tokens'],
    ['stream as a text', { ...m, stream: 'yes' }, 'invalid_request stream'],
    ['model twice', '{"model":"a","input":"x","model":"b"}', 'invalid_request model'],
    ['input twice, once escaped', '{"model":"a","input":"x","inpu\\u0074":"y"}', 'invalid_request input'],
    ['tools that are no list', { ...m, tools: {} }, 'invalid_request tools'],
    [
      'previous_response_id of another type',
      { ...m, previous_response_id: 7 },
      'invalid_request previous_response_id',
    ],
    ['conversation without an ID', { ...m, conversation: {} }, 'invalid_request conversation'],
    ['prompt', { ...m, prompt: { id: 'p' } }, 'unsupported_for_route prompt'],
    ['background of another type', { ...m, background: 'yes' }, 'invalid_request background'],
    [
      'a completion window of 8 hours',
      { ...m, background: true, background_options: { completion_window: '8h' } },
      'unsupported_for_route background_options.completion_window',
    ],
    [
      'a completion window of another type',
      { ...m, background: true, background_options: { completion_window: 2 } },
      'unsupported_for_route background_options.completion_window',
    ],
    [
      'an unknown management of the context',
      { ...m, context_management: [{ type: 'compaction' }, { type: 'summary' }] },
      'unsupported_for_route context_management.1',
    ],
    [
      'an object as context_management',
      { ...m, context_management: {} },
      'invalid_request context_management',
    ],
    ['moderation', { ...m, moderation: { model: 'x' } }, 'unsupported_for_route moderation.model'],
    ['a pro mode', { ...m, reasoning: { mode: 'pro' } }, 'unsupported_for_route reasoning.mode'],
    ['a base URL', { ...m, api_base: 'https://x' }, 'unsupported_for_route api_base'],
    ['a reference', withItem({ type: 'item_reference', id: 'x' }), 'unsupported_for_route input.0'],
    ['a reference that is an id alone', withItem({ id: 'x' }), 'unsupported_for_route input.0'],
    ['a compaction', withItem({ type: 'compaction', id: 'x' }), 'unsupported_for_route input.0'],
    [
      'a call of a hosted tool',
      withItem({ type: 'web_search_call', id: 'x' }),
      'unsupported_for_route input.0',
    ],
    [
      'a file by id and as data',
      withPart({ type: 'input_file', file_id: 'f', file_data: 'data:,a' }),
      'unsupported_for_route input.0.content.0',
    ],
    ...['u', 'file:///etc/passwd', 'data:application/pdf;base64,AAAA', 7].map((file_url): Refused => [
      `a file at ${file_url}`,
      withPart({ type: 'input_file', file_url }),
      'unsupported_for_route input.0.content.0',
    ]),
    [
      'a file by URL and as data',
      withPart({ type: 'input_file', file_url: 'https://x.example', file_data: 'data:,a' }),
      'unsupported_for_route input.0.content.0',
    ],
    ['a file without content', withPart({ type: 'input_file' }), 'unsupported_for_route input.0.content.0'],
    ['an image without data', withPart({ type: 'input_image' }), 'unsupported_for_route input.0.content.0'],
    [
      'content that is not known',
      withPart({ type: 'input_hologram', hologram_url: 'https://x' }),
      'unsupported_for_route input.0.content.0',
    ],
    [
      'a file by id and URL in a result',
      withItem({
        type: 'function_call_output',
        call_id: 'c',
        output: [{ type: 'input_file', file_id: 'f', file_url: 'u' }],
      }),
      'unsupported_for_route input.0.output.0',
    ],
  ])('a responses request with %s is rejected', (_, body, expected) => {
    expect(refused(body)).toBe(expected)
  })

  it('a file at an address is fetched by the provider, and its size is not known', () => {
    const file = { type: 'input_file', file_url: 'https://x.example/a.pdf', file_data: null }
    expect(request(withPart(file)).fetched).toBe('document')
    const result = { type: 'function_call_output', call_id: 'c', output: [file] }
    expect(request(withItem(result)).fetched).toBe('document')
    expect(request(m).fetched).toBeUndefined()
  })

  it('if the context is compacted, the bound also includes the output of the compaction', () => {
    const context_management = [{ type: 'compaction', compact_threshold: 1_000 }]
    expect(request({ ...m, context_management }).uses).toEqual({ output: 16_384 })
    expect(request({ ...m, context_management: [] }).uses).toBeUndefined()
    for (const parse of [parseCountRequest, parseCompactRequest])
      expect(parse(textFrom({ ...m, context_management }))).toMatchObject({
        code: 'unsupported_for_route',
        param: 'context_management',
      })
  })

  it('if the input asks for a compaction, the bound also includes the output of the compaction', () => {
    const input = [{ role: 'user', content: 'hello' }, { type: 'compaction_trigger' }]
    expect(request({ ...m, input }).uses).toEqual({ output: 16_384 })
    expect(parseCountRequest(textFrom({ ...m, input }))).not.toHaveProperty('code')
    // The length of the stored conversation after the compaction is not known.
    expect(request({ ...m, input, conversation: 'conv_1' }).conversation).toMatchObject({ isWhole: false })
    expect(request({ ...m, conversation: 'conv_1' }).conversation).toMatchObject({ isWhole: true })
  })

  it('messages between agents are accepted, and the hold covers their texts and images', () => {
    const message = (...content: readonly object[]): object =>
      withItem({ type: 'agent_message', author: '/root', recipient: '/root/a', content })
    const short = request(message({ type: 'encrypted_content', encrypted_content: 'x' }))
    const long = request(message({ type: 'encrypted_content', encrypted_content: 'x7'.repeat(500) }))
    expect(long.textTokensMax - short.textTokensMax).toBeGreaterThan(500)
    const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }
    expect(request(message(image)).images).not.toBeNull()
    expect(refused(message({ type: 'input_image' }))).toBe('unsupported_for_route input.0.content.0')
  })

  it('a change of the format in the conversation counts as a schema', () => {
    const format = { type: 'json_schema', name: 'city', schema: { type: 'object' } }
    expect(request(withItem({ type: 'configuration_update', text: { format } })).hasSchema).toBe(true)
    expect(request(withItem({ type: 'configuration_update', reasoning: { effort: 'low' } })).hasSchema).toBe(
      false,
    )
  })

  it('a computer tool that the client runs is accepted, and the hold covers its definition', () => {
    for (const type of ['computer', 'computer_use_preview']) {
      const tool = { type, environment: 'browser', display_width: 1024, display_height: 768 }
      const withComputer = request({ ...withTool(tool), tool_choice: { type } })
      const plain = request(withTool({ type: 'function', name: 'f', parameters: {} }))
      expect(withComputer.textTokensMax - plain.textTokensMax).toBeGreaterThan(2_000)
      expect(withComputer.lost).toBeUndefined()
    }
  })

  it('moderation by the vendor’s free models is accepted, as in chat requests', () => {
    for (const moderation of [{}, { model: null }, { model: 'omni-moderation-latest' }])
      expect(request({ ...m, moderation }).model).toBe('m')
  })

  it.each([
    [{ type: 'function', name: 'f', parameters: {} }],
    [{ type: 'custom', name: 'f' }],
    [{ type: 'local_shell' }],
    [{ type: 'apply_patch' }],
    [{ type: 'shell', environment: { type: 'local' } }],
    [{ type: 'tool_search', execution: 'client' }],
    [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f' }] }],
  ])('a tool that the client runs is accepted: %j', (tool) => {
    const json = byteTextOf(JSON.stringify(tool))
    const tokens = tokensAtMost(json, 0, json.length)
    expect(request(withTool(tool)).textTokensMax).toBeGreaterThanOrEqual(request(m).textTokensMax + tokens)
    expect(request(withTool(tool)).hasTools).toBe(true)
  })

  it('a request has tools if an item of its input defines tools', () => {
    const tools = [{ type: 'function', name: 'f', parameters: {} }]
    const hasTools = (item: object): boolean => request({ model: 'm', input: [item] }).hasTools
    expect(hasTools({ type: 'additional_tools', role: 'developer', tools })).toBe(true)
    expect(hasTools({ type: 'additional_tools', role: 'developer', tools: [] })).toBe(false)
    expect(hasTools({ type: 'message', role: 'user', content: 'hello' })).toBe(false)
  })

  it('encrypted reasoning counts a fifth of its bytes, an image its size, and a document its pages or text', () => {
    const plain = request(withPart({ type: 'input_text', text: '' })).textTokensMax
    const sealed = withItem({ type: 'reasoning', summary: [], encrypted_content: 'g'.repeat(10_000) })
    expect(request(sealed).textTokensMax).toBeGreaterThan(2_000)
    expect(request(sealed).textTokensMax).toBeLessThan(2_200)
    // The bytes of a short text count, because the text may be only a reference to stored thoughts.
    const reference = withItem({ type: 'reasoning', summary: [], encrypted_content: '7'.repeat(600) })
    expect(request(reference).textTokensMax).toBeGreaterThan(600)
    const data = `data:image/png;base64,${'A'.repeat(100_000)}`
    const image = request(withPart({ type: 'input_image', image_url: data, detail: 'low' }))
    expect(image.textTokensMax).toBeLessThan(plain + 200)
    expect(image.images?.openai).toBe(3_779)
    const named = request(withPart({ type: 'input_image', image_url: `https://x/${'y'.repeat(500)}` }))
    expect(named.textTokensMax).toBeGreaterThan(plain + 500)
    expect(named.images?.any).toBe(16_000)
    const file = `data:application/pdf;base64,${'A'.repeat(4_000)}`
    const document = request(withPart({ type: 'input_file', filename: 'a.pdf', file_data: file }))
    expect(document.textTokensMax).toBeGreaterThan(15 * 7_800)
    const result = {
      type: 'function_call_output',
      call_id: 'c',
      output: [{ type: 'input_image', image_url: data }],
    }
    expect(request(withItem(result)).images?.any).toBe(16_000)
  })
})

describe('the body for a provider of this wire', () => {
  it('the body for a provider of this wire differs from the client’s only in the model, the maximum and `svc`', () => {
    const body =
      '{ "model":"acme/fast", "input":"hello \\u00e9" ,"max_output_tokens":50,"big":12345678901234567890,"svc":{"outcome":"a","outcome_id":"b"},"store":true}'
    expect(textOf(upstreamBody(request(body), 'gpt-x', 20))).toBe(
      '{ "model":"gpt-x", "input":"hello \\u00e9" ,"max_output_tokens":20,"big":12345678901234567890,"store":true}',
    )
    expect(textOf(upstreamBody(request({ model: 'gpt-x', input: 'x' }), 'gpt-x', 20))).toBe(
      '{"max_output_tokens":20,"model":"gpt-x","input":"x"}',
    )
  })

  it('reasoning that providers of other wires signed is removed, at any position', () => {
    const foreign = tagOf({ wire: 'messages', origin: 'a', kind: 'signature', data: 's', id: null })
    const item = fc.constantFrom(
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: foreign },
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'gAAAAown' },
      { role: 'user', content: 'hi' },
    )
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), fc.constantFrom(undefined, 2), (input, space) => {
        const text = JSON.stringify({ model: 'm', input }, null, space)
        const sent: unknown = JSON.parse(textOf(upstreamBody(request(text), 'm', null)))
        const kept = input.filter((one) => !('encrypted_content' in one) || one.encrypted_content !== foreign)
        expect(sent).toEqual({ model: 'm', input: kept })
      }),
    )
  })

  it('the body for the provider keeps unknown fields', () => {
    const others = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 })
    fc.assert(
      fc.property(others, fc.boolean(), (fields, hasMaximum) => {
        const body = { ...fields, ...m, ...(hasMaximum && { max_output_tokens: 9 }) }
        const answer = parseResponsesRequest(textFrom(body))
        if (isFault(answer)) return
        expect(JSON.parse(textOf(upstreamBody(answer, 'other', 7)))).toEqual(
          JSON.parse(JSON.stringify({ ...body, model: 'other', max_output_tokens: 7 })),
        )
      }),
      { numRuns: 500 },
    )
  })

  it('a mutated body is read or rejected, and never causes an exception', { timeout: 60_000 }, () => {
    const bytes = textFrom({
      ...m,
      input: [
        { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'reasoning', summary: [], encrypted_content: 'x' },
      ],
      tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f' }] }],
      text: { format: { type: 'text' } },
    })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        (edits) => {
          let mutated = bytes
          for (const [at, byte] of edits)
            mutated = mutated.slice(0, at) + String.fromCharCode(byte) + mutated.slice(at + 1)
          const answer = parseResponsesRequest(mutated)
          if (isFault(answer)) return
          expect(answer.textTokensMax).toBeGreaterThan(0)
          const neutral = responses.readRequest(answer)
          if (!isFault(neutral)) expect(neutral.choices).toBe(1)
        },
      ),
      sampledRuns(10_000),
    )
  })
})

describe('counting the tokens of a request', () => {
  it('a request to count tokens needs no input, and the response has the wire’s format', () => {
    const counted = parseCountRequest(textFrom({ model: 'm', instructions: 'x'.repeat(300) }))
    expect(isFault(counted)).toBe(false)
    expect(counted).toMatchObject({ model: 'm' })
    expect(JSON.parse(countAnswer(12))).toEqual({ object: 'response.input_tokens', input_tokens: 12 })
  })
})
