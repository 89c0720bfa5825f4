import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { parseObject } from '#wire/text/json-values.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import type { Json } from '#wire/text/json-tape.ts'
import { mp4, track } from '#tests/fixtures/build-video-files.ts'
import { resultOf } from '#wire/text/computation-with-pauses.ts'
import { tagOf } from '#wire/tagged-reasoning-signatures.ts'
import { isFault, upstreamBody, type RequestFault, type WireRequest } from '#wire/wire-request.ts'
import { parseMessagesRequest } from '#wire/messages/parse-request.ts'
import { parseConverseCount } from './count-tokens.ts'
import { parseConverseRequest } from './parse-request.ts'

const path = { model: 'acme/nova', isStream: false, isJsonArray: false }
const messages = [{ role: 'user', content: [{ text: 'Hi' }] }]

function parsed(body: object | string): WireRequest | RequestFault {
  return parseConverseRequest(byteTextOf(typeof body === 'string' ? body : JSON.stringify(body)), path)
}

function read(body: object): WireRequest {
  const request = parsed(body)
  if (isFault(request)) throw new Error(`${request.param}: ${request.reason}`)
  return request
}

function refused(body: object): string | null {
  const request = parsed(body)
  return isFault(request) ? request.param : 'served'
}

test('the model and whether to stream are read from the path, and everything else from the body', () => {
  const request = parseConverseRequest(
    JSON.stringify({
      messages,
      inferenceConfig: { maxTokens: 7, stopSequences: ['x'] },
      toolConfig: { tools: [{ toolSpec: { name: 'f', inputSchema: { json: {} } } }] },
      outputConfig: { textFormat: { type: 'json_schema' } },
      serviceTier: { type: 'flex' },
      svc: { session: 's' },
    }),
    { ...path, isStream: true },
  )
  expect(request).toMatchObject({
    wire: 'converse',
    model: 'acme/nova',
    isStream: true,
    outputTokensMax: 7,
    serviceTier: 'flex',
    hasTools: true,
    hasSchema: true,
    session: 's',
  })
  expect(read({ messages, serviceTier: { type: 'default' } }).serviceTier).toBeNull()
})

test.each([
  [{ outputConfig: { textFormat: { type: 'json_schema' } } }, true],
  [{ additionalModelRequestFields: { output_config: { format: { type: 'json_schema' } } } }, true],
  [{ additionalModelRequestFields: { output_config: { effort: 'low' } } }, false],
  [{ outputConfig: null, additionalModelRequestFields: null }, false],
])('whether the fields %j have a schema: %s', (fields, hasSchema) => {
  expect(read({ messages, ...fields }).hasSchema).toBe(hasSchema)
})

test('the body for the provider differs only in the output maximum and the omitted `svc`', () => {
  const sent = (body: string, max: number | null): string => {
    const request = parsed(body)
    if (isFault(request)) throw new Error(request.reason)
    return textOf(upstreamBody(request, 'nova', max))
  }
  const list = JSON.stringify(messages)
  expect(sent(`{ "messages": ${list}, "svc": {"session":"s"}, "other": 1.0 }`, null)).toBe(
    `{ "messages": ${list}, "other": 1.0 }`,
  )
  expect(sent(`{"inferenceConfig":{"maxTokens":90,"topP":1.0},"messages":${list}}`, 5)).toBe(
    `{"inferenceConfig":{"maxTokens":5,"topP":1.0},"messages":${list}}`,
  )
  for (const config of ['{}', '{"topP":1}', 'null', undefined]) {
    const given = config === undefined ? '' : `"inferenceConfig":${config},`
    const body = parseObject(sent(`{${given}"messages":${list}}`, 5))
    expect(body?.inferenceConfig).toEqual({ ...(config === '{"topP":1}' && { topP: 1 }), maxTokens: 5 })
  }
})

describe('a field of unknown cost or purpose is rejected, and the error names the field', () => {
  const image = (source: object): object => ({ image: { format: 'png', source } })
  const said = (...content: object[]): object => ({ messages: [{ role: 'user', content }] })
  it.each([
    [{ messages, guardrailConfig: { guardrailIdentifier: 'g' } }, 'guardrailConfig'],
    [{ messages, promptVariables: { a: { text: 'b' } } }, 'promptVariables'],
    [{ messages, performanceConfig: { latency: 'optimized' } }, 'performanceConfig.latency'],
    [
      { messages, additionalModelRequestFields: { max_tokens: 9 } },
      'additionalModelRequestFields.max_tokens',
    ],
    [
      { messages, additionalModelRequestFields: { inferenceConfig: { maxTokens: 9 } } },
      'additionalModelRequestFields.inferenceConfig.maxTokens',
    ],
    [said(image({ s3Location: { uri: 's3://b/k' } })), 'messages.0.content.0.image.source.s3Location'],
    [
      said({ document: { name: 'd', format: 'pdf', source: { s3Location: { uri: 's3://b/k' } } } }),
      'messages.0.content.0.document.source.s3Location',
    ],
    [
      said({
        document: { name: 'd', format: 'txt', source: { text: 'a', s3Location: { uri: 's3://b/k' } } },
      }),
      'messages.0.content.0.document.source.s3Location',
    ],
    [
      said({ toolResult: { toolUseId: 't', content: [image({ s3Location: { uri: 's3://b/k' } })] } }),
      'messages.0.content.0.toolResult.content.0.image.source.s3Location',
    ],
    [said({ guardContent: { text: { text: 'a' } } }), 'messages.0.content.0.guardContent'],
    [said({ audio: { format: 'mp3', source: { bytes: 'AAAA' } } }), 'messages.0.content.0.audio'],
    [said({ video: { format: 'mp4', source: { bytes: 'AAAA' } } }), 'messages.0.content.0.video'],
    [{ messages, additionalModelResponseFieldPaths: ['/model'] }, 'additionalModelResponseFieldPaths.0'],
    [
      { messages, additionalModelResponseFieldPaths: ['/stop_sequence', '/usage'] },
      'additionalModelResponseFieldPaths.1',
    ],
    [
      { messages, additionalModelResponseFieldPaths: ['/stop_sequence', 7] },
      'additionalModelResponseFieldPaths.1',
    ],
    [{ messages, additionalModelResponseFieldPaths: [''] }, 'additionalModelResponseFieldPaths.0'],
    [{ messages, additionalModelResponseFieldPaths: '/model' }, 'additionalModelResponseFieldPaths'],
    [{ messages: [] }, 'messages'],
    [{ messages, inferenceConfig: [] }, 'inferenceConfig'],
    [{ messages, inferenceConfig: { maxTokens: 0 } }, 'inferenceConfig.maxTokens'],
    [{ messages, base_url: 'https://x' }, 'base_url'],
  ])('%j: %s', (body, param) => expect(refused(body)).toBe(param))

  it.each([
    { thinking: { type: 'enabled', budget_tokens: 1024 } },
    { top_k: 5, reasoning_effort: 'low', anthropic_beta: ['x'] },
    { inferenceConfig: { topK: 5 } },
  ])('model-specific fields whose cost has a limit are sent: %j', (additionalModelRequestFields) => {
    expect(refused({ messages, additionalModelRequestFields })).toBe('served')
  })
})

test.each([null, [], ['/stop_sequence']])('the paths of response fields %j are accepted', (paths) => {
  expect(refused({ messages, additionalModelResponseFieldPaths: paths })).toBe('served')
})

test('a tool that the provider runs is removed and reported, and a tool choice that names it is rejected', () => {
  const own = { toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } }
  const theirs = { systemTool: { name: 'nova_grounding' } }
  const sent = (toolConfig: object): unknown => {
    const request = read({ messages, toolConfig })
    const body = parseObject(textOf(upstreamBody(request, 'nova', null)))
    return [body?.toolConfig, request.lost]
  }
  const lost = ['tools.nova_grounding']
  expect(sent({ tools: [own, theirs, { cachePoint: { type: 'default' } }] })).toEqual([
    { tools: [own, { cachePoint: { type: 'default' } }] },
    lost,
  ])
  expect(sent({ tools: [theirs] })).toEqual([undefined, lost])
  expect(sent({ tools: [theirs], toolChoice: { auto: {} } })).toEqual([undefined, lost])
  expect(refused({ messages, toolConfig: { tools: [theirs], toolChoice: { any: {} } } })).toBe(
    'toolConfig.toolChoice',
  )
  const chosen = { tools: [own, theirs], toolChoice: { tool: { name: 'nova_grounding' } } }
  expect(refused({ messages, toolConfig: chosen })).toBe('toolConfig.toolChoice')
})

test('reasoning that a provider of another wire has signed is removed', () => {
  const seal = tagOf({ wire: 'messages', origin: 'a', kind: 'signature', data: 's', id: null })
  const thought = (signature: string): object => ({
    reasoningContent: { reasoningText: { text: 'T', signature } },
  })
  const redacted = { reasoningContent: { redactedContent: seal.replaceAll('-', '+').replaceAll('_', '/') } }
  const content = [thought(seal), thought('own'), redacted, { text: 'Hi' }]
  const request = read({ messages: [...messages, { role: 'assistant', content }, ...messages] })
  const body = parseObject(textOf(upstreamBody(request, 'nova', null)))
  expect(body?.messages).toEqual([
    ...messages,
    { role: 'assistant', content: [thought('own'), { text: 'Hi' }] },
    ...messages,
  ])
})

test('a request of any content is read or rejected, and the parser never throws', () => {
  const block = fc.dictionary(
    fc.constantFrom(
      'text',
      'image',
      'document',
      'toolUse',
      'toolResult',
      'cachePoint',
      'reasoningContent',
      'new',
    ),
    fc.jsonValue({ maxDepth: 3 }),
    { maxKeys: 2 },
  )
  const body = fc.record(
    {
      messages: fc.array(fc.record({ role: fc.constant('user'), content: fc.array(block) })),
      system: fc.jsonValue(),
      toolConfig: fc.oneof(fc.jsonValue(), fc.record({ tools: fc.array(block), toolChoice: fc.jsonValue() })),
      inferenceConfig: fc.jsonValue(),
      additionalModelRequestFields: fc.jsonValue(),
    },
    { requiredKeys: ['messages'] },
  )
  fc.assert(
    fc.property(body, (given) => {
      const request = parsed(given)
      if (isFault(request)) return
      expect(request.inputEstimate).toBeLessThanOrEqual(request.textTokensMax + (request.images?.any ?? 0))
      expect(parseObject(textOf(upstreamBody(request, 'nova', 5)))).not.toBeNull()
    }),
    { numRuns: 500 },
  )
})

describe('a body of Claude that is sent to Bedrock’s `invoke`', () => {
  const invoke = { ...path, isInvoke: true, isStream: true } as const
  const body = {
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }],
  }
  const sent = (given: object, max: number | null = null): unknown => {
    const request = parseMessagesRequest(byteTextOf(JSON.stringify(given)), undefined, invoke)
    if (isFault(request)) return request.param
    return [parseObject(textOf(upstreamBody(request, 'claude', max))), request.betas ?? null, request.model]
  }

  it('the body becomes a body of Anthropic with the model and the streaming flag of the path', () => {
    const { anthropic_version: _, ...rest } = body
    const whole = { ...rest, model: 'claude', stream: true }
    expect(sent(body)).toEqual([whole, null, 'acme/nova'])
    expect(sent({ ...body, anthropic_beta: ['a-1', 'b'] })).toEqual([whole, 'a-1,b', 'acme/nova'])
    expect(sent({ ...body, model: null, svc: { session: 's' } }, 5)).toEqual([
      { ...whole, max_tokens: 5 },
      null,
      'acme/nova',
    ])
  })

  it.each([
    [{ inputText: 'Hi' }, 'anthropic_version'],
    [{ ...body, model: 'other' }, 'model'],
    [{ ...body, stream: false }, 'stream'],
    [{ ...body, anthropic_beta: 'a' }, 'anthropic_beta'],
    [{ ...body, anthropic_beta: ['a\r\nb'] }, 'anthropic_beta'],
    [{ anthropic_version: 'x', max_tokens: 9 }, 'messages'],
  ])('a body of Claude is rejected, and the error names the field: %j', (given, param) =>
    expect(sent(given)).toBe(param),
  )
})

test('the bound of a 720p video of 1.3 seconds covers the tokens that Nova 2 reported for it', () => {
  const video = mp4({ tracks: [track({ scale: 1_000, runs: [[1, 1_305]] })] }).toString('base64')
  const content = [{ video: { format: 'mp4', source: { bytes: video } } }]
  const { textTokensMax } = read({ messages: [{ role: 'user', content }] })
  // Bedrock counts 1,770 tokens for two frames of a 720p video. The bound covers three frames in addition to the
  // allowances of the request.
  expect(textTokensMax).toBeGreaterThanOrEqual(3 * 1_024)
  expect(textTokensMax).toBeLessThan(3 * 1_024 + 200)
})

test('a request to count tokens contains a Converse request, or a body of Claude in base64', () => {
  const counted = (input: unknown): string | number | null => {
    const request = parseConverseCount(JSON.stringify({ input }), path)
    return isFault(request) ? request.param : request.inputEstimate
  }
  expect(counted({ converse: { messages } })).toBe(read({ messages }).inputEstimate)
  const body = { anthropic_version: 'x', messages: [{ role: 'user', content: 'Hi' }] }
  expect(counted({ invokeModel: { body: btoa(JSON.stringify(body)) } })).toBeGreaterThan(3)
  for (const input of [undefined, {}, { invokeModel: {} }, { invokeModel: { body: '%' } }])
    expect(counted(input)).toBe('input')
  expect(counted({ invokeModel: { body: btoa('{"inputText":"Hi"}') } })).toBe('anthropic_version')
})

test('in a large body that asks for a token count, the inner request is parsed separately, by its own parser', () => {
  const body = { anthropic_version: 'x', messages: [{ role: 'user', content: 'Hi' }] }
  for (const input of [{ converse: { messages } }, { invokeModel: { body: btoa(JSON.stringify(body)) } }]) {
    const text = JSON.stringify({ input })
    const whole = parseConverseCount(text, path)
    const inSteps = parseConverseCount(tapeOf(text), path)
    if (isFault(whole) || !isFault(inSteps) || inSteps.instead === undefined) throw new Error('unexpected')
    const { parse, text: written } = inSteps.instead
    const inner = typeof written === 'string' ? written : resultOf(written)
    if (typeof inner !== 'string') throw new Error(inner.reason)
    expect(JSON.parse(inner)).toEqual('converse' in input ? { messages } : body)
    expect(parse?.(tapeOf(inner), path)).toMatchObject({ inputEstimate: whole.inputEstimate })
  }
  expect(parseConverseCount(tapeOf('{"input":{}}'), path)).toMatchObject({ param: 'input' })
  expect(parseConverseCount(tapeOf('[]'), path)).toMatchObject({ param: 'input' })
})

test('base64 in a large body for counting is decoded in steps, and spaces are rejected in any step', () => {
  const stepBytes = (1024 * 1024 * 3) / 4
  const found = (data: string) => {
    const counted = parseConverseCount(
      tapeOf(JSON.stringify({ input: { invokeModel: { body: data } } })),
      path,
    )
    if (!isFault(counted) || counted.instead === undefined || typeof counted.instead.text === 'string')
      throw new Error('unexpected')
    const steps = counted.instead.text
    for (let pauses = 0; ; pauses++) {
      const { done, value } = steps.next()
      if (done === true) return { pauses, value }
    }
  }
  for (const length of [1, 2, 3, stepBytes - 1, stepBytes, stepBytes + 1, 2 * stepBytes + 2]) {
    const text = Buffer.alloc(length, 'abcdefghij').toString('latin1')
    const { pauses, value } = found(btoa(text))
    expect(value === text, String(length)).toBe(true)
    expect(pauses).toBe(Math.ceil(length / stepBytes) - 1)
  }
  for (const at of [0, stepBytes, stepBytes + 9]) {
    const data = btoa('a'.repeat(2 * stepBytes))
    expect(found(`${data.slice(0, at)} ${data.slice(at)}`).value).toMatchObject({ param: 'input' })
  }
})

function tapeOf(text: string): Json {
  const json = parseJson(text)
  if ('reason' in json) throw new Error(json.reason)
  return json
}
