import { describe, expect, it } from 'vitest'
import { tasksOf } from '#domain/accounts/provider-kinds.ts'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { parseInvoke } from '#wire/parse-invoke-request-of-bedrock.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { wires } from '#wire/table-of-wires.ts'
import {
  bodyOf,
  isFault,
  requestLimits,
  upstreamBody,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'
import { bodyOfPrompt, promptFamilyOf } from './prompt-bodies.ts'

const path = { model: 'acme/any', isStream: false, isJsonArray: false, isInvoke: true } as const

function found(body: object, isStream = false): WireRequest | RequestFault {
  return parseInvoke(byteTextOf(JSON.stringify(body)), { ...path, isStream })
}

function read(body: object, isStream = false): WireRequest {
  const request = found(body, isStream)
  if (isFault(request)) throw new Error(request.reason)
  return request
}

const turn = { role: 'user', content: [{ text: 'Hi é' }] }

describe('a body of Nova', () => {
  it('a body of Nova becomes a body of Converse, and the settings of the model get their own object', () => {
    const request = read({
      schemaVersion: 'messages-v1',
      system: [{ text: 'Be brief' }],
      messages: [turn],
      inferenceConfig: { max_new_tokens: 40, top_p: 0.5, topK: 7, stopSequences: ['.'] },
    })
    expect(request).toMatchObject({
      wire: 'converse',
      family: 'nova',
      model: 'acme/any',
      outputTokensMax: 40,
    })
    expect(bodyOf(request)).toEqual({
      additionalModelRequestFields: { inferenceConfig: { topK: 7 } },
      system: [{ text: 'Be brief' }],
      messages: [turn],
      inferenceConfig: { maxTokens: 40, topP: 0.5, stopSequences: ['.'] },
    })
  })

  it.each([
    [{ messages: [turn], inferenceConfig: {} }],
    [{ messages: [turn], inferenceConfig: { maxTokens: 3 } }],
    [{ messages: [turn] }],
    [{ messages: [turn], toolConfig: { tools: [] } }],
  ])('%j has no schema version and is kept as written', (body) => {
    expect(bodyOf(read(body))).toEqual(body)
  })

  it('settings for reasoning are kept, at both places that Nova reads', () => {
    const reasoningConfig = { type: 'enabled', maxReasoningEffort: 'low' }
    for (const body of [{ reasoningConfig, inferenceConfig: {} }, { inferenceConfig: { reasoningConfig } }])
      expect(bodyOf(read({ messages: [turn], ...body }))).toEqual({
        additionalModelRequestFields: { reasoningConfig },
        messages: [turn],
        inferenceConfig: {},
      })
  })

  it('a cache point next to a text becomes the next block', () => {
    const cachePoint = { type: 'default' }
    const content = [{ cachePoint, text: 'a' }, { text: 'b' }, { text: 'c', cachePoint }, { cachePoint }]
    expect(bodyOf(read({ messages: [{ role: 'user', content }], schemaVersion: 'messages-v1' }))).toEqual({
      messages: [
        {
          role: 'user',
          content: [
            { text: 'a' },
            { cachePoint },
            { text: 'b' },
            { text: 'c' },
            { cachePoint },
            { cachePoint },
          ],
        },
      ],
    })
  })

  it('if a hold covers less output than the client requested, the lower maximum replaces both spellings', () => {
    for (const name of ['maxTokens', 'max_new_tokens']) {
      const request = read({ messages: [turn], inferenceConfig: { [name]: 40 } })
      expect(JSON.parse(textOf(upstreamBody(request, 'nova', 9)))).toEqual({
        messages: [turn],
        inferenceConfig: { maxTokens: 9 },
      })
    }
  })

  it('two spellings of one setting, and fields of Converse, are rejected', () => {
    expect(
      found({ messages: [turn], inferenceConfig: { maxTokens: 1, max_new_tokens: 99_999 } }),
    ).toMatchObject({
      kind: 'fault',
      param: 'inferenceConfig.max_new_tokens',
    })
    const twice = `{"messages":[${JSON.stringify(turn)}],"inferenceConfig":{"maxTokens":1},"inferenceConfig":{}}`
    expect(parseInvoke(twice, path)).toMatchObject({ kind: 'fault', param: 'inferenceConfig' })
    const added = { additionalModelRequestFields: {}, inferenceConfig: { topK: 1 } }
    expect(found({ messages: [turn], ...added })).toMatchObject({ param: 'additionalModelRequestFields' })
  })
})

const novaSeed = seedOfRun()
it(`a body of Nova keeps its content, with any order of fields and any spaces (seed ${novaSeed})`, () => {
  const random = randomFrom(novaSeed)
  const maybe = (fields: object): object => random.pick([fields, {}])
  const shuffled = (object: object): object =>
    Object.fromEntries(Object.entries(object).toSorted(() => random.pick([-1, 1])))
  const cachePoint = { type: 'default' }
  for (let run = 0; run < 300; run++) {
    const blocks = Array.from({ length: 1 + (run % 4) }, () => ({
      text: random.pick(['a', '"cachePoint"', '{"topK":1}', 'é,', '\\"}']),
      ...maybe({ cachePoint }),
    }))
    const system = random.chance(0.5) ? [{ text: 'b' }] : undefined
    const config = { ...maybe({ temperature: 0.5 }), ...maybe({ stopSequences: ['x'] }) }
    const maxTokens = random.pick([1, 40])
    const topK = random.chance(0.5) ? 3 : undefined
    const inferenceConfig = shuffled({
      ...config,
      [random.pick(['maxTokens', 'max_new_tokens'])]: maxTokens,
      [random.pick(['topK', 'top_k'])]: topK,
    })
    const content = blocks.map(shuffled)
    const body = shuffled({
      messages: [{ role: 'user', content }],
      inferenceConfig,
      system,
      ...maybe({ schemaVersion: 'messages-v1' }),
    })
    const text = byteTextOf(JSON.stringify(body, null, random.pick([0, 1])))
    const request = parseInvoke(text, path)
    if (isFault(request)) throw new Error(`${request.reason} ${text}`)
    expect(bodyOf(request), text).toEqual({
      messages: [
        {
          role: 'user',
          content: blocks.flatMap(({ text: written, ...point }) => [
            { text: written },
            ...('cachePoint' in point ? [point] : []),
          ]),
        },
      ],
      inferenceConfig: { ...config, maxTokens },
      ...(system && { system }),
      ...(topK !== undefined && { additionalModelRequestFields: { inferenceConfig: { topK } } }),
    })
  }
})

describe('a body of OpenAI’s format', () => {
  const body = { messages: [{ role: 'user', content: 'Hi é' }], max_tokens: 40 }

  it('a body in OpenAI’s format is read as a chat request with the model and the streaming flag of the path', () => {
    const request = read({ model: 'openai.gpt-oss-20b-1:0', stream: false, ...body }, true)
    expect(request).toMatchObject({ wire: 'chat', family: 'openai', isStream: true, outputTokensMax: 40 })
    expect(bodyOf(request)).toEqual({ model: 'acme/any', stream: true, ...body })
  })
})

/** A body of each model family, as in the documentation of AWS. */
const prompts = {
  llama: { prompt: 'Hi é', max_gen_len: 40, temperature: 0.5, top_p: 0.9 },
  mistral: {
    prompt: '<s>[INST] Hi [/INST]',
    max_tokens: 40,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 5,
    stop: ['.'],
  },
  titan: {
    inputText: 'Hi',
    textGenerationConfig: { maxTokenCount: 40, temperature: 0.5, topP: 0.9, stopSequences: ['User:'] },
  },
  command: {
    prompt: 'Hi',
    max_tokens: 40,
    temperature: 0.5,
    p: 0.9,
    k: 5,
    stop_sequences: ['.'],
    num_generations: 2,
  },
} as const

const names = ['llama', 'mistral', 'titan', 'command'] as const

describe.each(names)('a prompt of %s', (family) => {
  it('a prompt becomes a text completion, and a provider of the same family gets the client’s body', () => {
    const request = read(prompts[family])
    expect(request).toMatchObject({ wire: 'completions', family, model: 'acme/any', outputTokensMax: 40 })
    expect(request.choices).toBe(family === 'command' ? 2 : 1)
    const { body, lost } = bodyOfPrompt(family, bodyOf(request), null)
    expect([body, lost]).toEqual([prompts[family], []])
  })

  it('if a hold covers less output than the client requested, the lower maximum is written to the body', () => {
    const { body } = bodyOfPrompt(family, bodyOf(read(prompts[family])), 9)
    expect(JSON.stringify(body)).toBe(JSON.stringify(prompts[family]).replace('40', '9'))
  })

  it('the rewritten body of a streamed request also requests the usage', () => {
    expect(bodyOf(read(prompts[family], true))).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('an unknown field is rejected, because it would be lost', () => {
    expect(found({ ...prompts[family], logit_bias: { 1: 2 } })).toMatchObject({
      code: 'unsupported_for_route',
      param: 'logit_bias',
    })
  })
})

it.each([
  [{ prompt: 'a', max_gen_len: -1 }, 'max_gen_len'],
  [{ prompt: {}, max_gen_len: 9 }, 'prompt'],
  [{ inputText: {}, textGenerationConfig: { maxTokenCount: 9 } }, 'inputText'],
  [{ inputText: 'a', textGenerationConfig: { maxTokenCount: 'x' } }, 'maxTokenCount'],
  [{ prompt: 'a', num_generations: 500 }, 'num_generations'],
])('the error for %j contains the family’s own field name %s', (body, param) => {
  const request = found(body)
  expect(request).toMatchObject({ kind: 'fault', param })
  expect(isFault(request) && request.reason).toContain(`The field ${param} must be`)
})

const seed = seedOfRun()
it(`the bound of a prompt is at least the provider’s count, for every family (seed ${seed})`, () => {
  const random = randomFrom(seed)
  for (let run = 0; run < 60; run++) {
    const text = Array.from({ length: 1 + run }, () =>
      random.pick(['word ', 'é', '𝄞', '\n', '"', '<|eot_id|>', ' a']),
    ).join('')
    for (const family of names) {
      const body = JSON.parse(
        JSON.stringify(prompts[family]).replace(
          /"(?:prompt|inputText)":"[^"]*"/,
          (field) => `${field.split(':')[0]}:${JSON.stringify(text)}`,
        ),
      )
      const request = read(body)
      expect(bodyOf(request)['prompt']).toBe(text)
      const answer = play('completions', bodyOf(request), { model: 'base' })
      expect(answer.status, answer.text).toBe(200)
      const usage = wires.completions.readAnswer(byteTextOf(answer.text), request)?.usage
      expect(request.textTokensMax).toBeGreaterThanOrEqual(usage?.input ?? Infinity)
      expect(request.choices * 40).toBeGreaterThanOrEqual(usage?.output ?? Infinity)
    }
  }
})

it('if a prompt states no maximum, the documented default of the family limits the output', () => {
  expect(read({ inputText: 'a', textGenerationConfig: {} }).outputTokensMax).toBe(512)
  expect(read({ prompt: 'a', stop: ['.'] }).outputTokensMax).toBe(512)
  expect(read({ prompt: 'a', k: 1 }).outputTokensMax).toBe(20)
})

it('a rerank body becomes a request in Cohere’s format, with the model of the path', () => {
  const body = { query: 'q', documents: ['a', 'b'], top_n: 1 }
  const request = read({ ...body, api_version: 2 })
  expect(request.wire).toBe('rerank')
  expect(bodyOf(request)).toEqual({ model: 'acme/any', ...body })
})

it.each([
  [{ prompt: '\n\nHuman: Hi\n\nAssistant:', max_tokens_to_sample: 9 }, /older text completions of Claude/],
  [{ prompt: 'a', maxTokens: 9 }, /Jurassic-2.*\/converse/],
  [{ message: 'a', max_tokens: 9 }, /Command R.*\/converse/],
  [{ text_prompts: [{ text: 'a cat' }] }, /images.*\/v1\/images\/generations/],
  [{ taskType: 'TEXT_IMAGE', imageGenerationConfig: {} }, /images/],
  [
    { messages: [{ role: 'user', content: 'Hi' }], system: 'Be brief', max_tokens: 9 },
    /Claude.*anthropic_version/,
  ],
  [{ prompt: 'a' }, /show no format.*\/converse/],
  [{}, /show no format/],
])('the body %j is rejected, and the error says what to send instead', (body, reason) => {
  const request = found(body)
  expect(isFault(request) && request.code).toBe('invalid_request')
  expect(isFault(request) && request.reason).toMatch(reason)
})

it('a large rewritten body is parsed again in steps', () => {
  const text = byteTextOf(JSON.stringify(prompts.llama))
  const json = parseJson(text, requestLimits)
  if ('reason' in json) throw new Error(json.reason)
  const request = parseInvoke(json, path)
  const instead = isFault(request) ? request.instead : undefined
  if (typeof instead?.text !== 'string') throw new Error('the body is not rewritten')
  expect(instead.parse?.(instead.text, path)).toMatchObject({ wire: 'completions', family: 'llama' })
})

it.each([
  ['us.meta.llama3-3-70b-instruct-v1:0', 'llama'],
  ['mistral.mixtral-8x7b-instruct-v0:1', 'mistral'],
  ['us.mistral.pixtral-large-2502-v1:0', null],
  ['amazon.titan-tg1-large', 'titan'],
  ['amazon.titan-embed-text-v2:0', null],
  ['cohere.command-light-text-v14', 'command'],
  ['cohere.command-r-v1:0', null],
  ['us.amazon.nova-pro-v1:0', null],
])('the family of %s is %s, and only models of a family serve prompts', (model, family) => {
  expect(promptFamilyOf(model)).toBe(family)
  expect(tasksOf('bedrock', model).includes('invoke_prompt')).toBe(family !== null)
})
