import { expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { completions } from '#wire/completions/wire.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { isFault } from '#wire/wire-request.ts'
import { convertCompletions } from './convert-completions.ts'

const path = { model: null, isStream: false, isJsonArray: false }
const llama = 'us.meta.llama3-3-70b-instruct-v1:0'
const head = { id: 'cmpl-1', created: 1_800_000_000 }

function found(body: object, model = llama) {
  const request = completions.parseRequest(byteTextOf(JSON.stringify({ model: 'acme/base', ...body })), path)
  if (isFault(request)) throw new Error(request.reason)
  return convertCompletions(request, model, head)
}

function converted(body: object, model = llama) {
  const conversion = found(body, model)
  if (isFault(conversion)) throw new Error(conversion.reason)
  return conversion
}

it('a request gets the field names of the model’s family, and fields that the family does not support are reported as lost', () => {
  const conversion = converted({
    prompt: 'Hi é',
    max_tokens: 9,
    stop: 'END',
    seed: 1,
    n: 1,
    echo: false,
    user: 'u',
  })
  expect(JSON.parse(textOf(conversion.body(llama, null)))).toEqual({ prompt: 'Hi é', max_gen_len: 9 })
  expect([conversion.lost, conversion.needsMaximum]).toEqual([['stop', 'seed', 'user'], false])
  const titan = converted({ prompt: 'Hi', stop: 'END' }, 'amazon.titan-text-express-v1')
  expect(titan.needsMaximum).toBe(true)
  expect(JSON.parse(textOf(titan.body('m', 7)))).toEqual({
    inputText: 'Hi',
    textGenerationConfig: { stopSequences: ['END'], maxTokenCount: 7 },
  })
})

it.each([
  [{ prompt: ['a', 'b'] }, 'prompt'],
  [{ prompt: [1, 2] }, 'prompt'],
  [{ prompt: 'a', suffix: 'b' }, 'suffix'],
  [{ prompt: 'a', echo: true }, 'echo'],
  [{ prompt: 'a', n: 2 }, 'n'],
])('%j is rejected, because the provider’s format cannot express this field or value', (body, param) => {
  expect(found(body)).toMatchObject({ kind: 'fault', code: 'unsupported_for_route', param })
})

it('a response has the client’s model name, the ID and the time of the call, and the provider’s usage', () => {
  const response = {
    generation: 'Hi ☃',
    prompt_token_count: 12,
    generation_token_count: 5,
    stop_reason: 'stop',
  }
  const answer = converted({ prompt: 'a' }).readAnswer(byteTextOf(JSON.stringify(response)))
  expect(answer?.usage).toEqual({ ...zeroUsage, input: 12, output: 5 })
  expect(JSON.parse(textOf(answer?.body ?? ''))).toEqual({
    ...head,
    object: 'text_completion',
    model: 'acme/base',
    choices: [{ text: 'Hi ☃', index: 0, logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
  })
  for (const text of ['<html>', '{"message":"no"}', '{"generation":1}'])
    expect(converted({ prompt: 'a' }).readAnswer(text)).toBeNull()
})

it('each converted chunk has the ID, the time and the model name of the call', () => {
  const stream = converted({
    prompt: 'a',
    stream: true,
    stream_options: { include_usage: true },
  }).openStream()
  const chunk = (text: string, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: '', object: 'text_completion', created: 0, model: '', choices: [{ text, index: 0, logprobs: null, finish_reason }] })}\n\n`
  const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }
  const last = `data: ${JSON.stringify({ id: '', created: 0, model: '', choices: [], usage })}\n\n`
  let shown = [chunk('Hi', null), chunk(' you', null), chunk('', 'stop'), last]
    .map((event) => stream.push(event))
    .join('')
  shown += stream.end() + stream.tail(zeroUsage)
  const events = shown.trim().split('\n\n')
  expect(events.pop()).toBe('data: [DONE]')
  expect(events).toHaveLength(4)
  for (const event of events)
    expect(JSON.parse(event.slice(6))).toMatchObject({ ...head, model: 'acme/base' })
  expect(stream.usage).toEqual({ ...zeroUsage, input: 12, output: 5 })
})
