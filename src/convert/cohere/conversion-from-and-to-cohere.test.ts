import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { fit } from '#convert/capabilities/adapt-request-to-wire.ts'
import type { Destination } from '#convert/capabilities/capability-type.ts'
import { prepareConversion } from '#convert/prepare-conversion.ts'
import { requests } from '#tests/fixtures/conversions/random-requests.ts'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { listOf, objectOf, parseObject, type JsonObject } from '#wire/text/json-values.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { isFault } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import { readCohere } from '#simulator/requests/read-cohere-request.ts'
import { cohere } from './codec.ts'

const command: Destination = {
  wire: 'cohere',
  model: 'command-a-reasoning-08-2025',
  origin: 'o',
  dialect: 'compatible',
}

function converted(
  from: WireName,
  body: object,
  to: Destination,
): { body: JsonObject; lost: readonly string[] } {
  const path = { model: null, isStream: false, isJsonArray: false }
  const request = wires[from].parseRequest(byteTextOf(JSON.stringify({ model: 'm', ...body })), path)
  if (isFault(request)) throw new Error(`${request.param}: ${request.reason}`)
  const conversion = prepareConversion(request, to)
  if (isFault(conversion)) throw new Error(`${conversion.param}: ${conversion.reason}`)
  const text = textOf(conversion.body({ outputTokensMax: 50, outputTokensDefault: 50 }))
  return { body: parseObject(text) ?? {}, lost: conversion.lost }
}

describe('requests to Cohere', () => {
  it('Cohere accepts every converted request, by the rules of its simulator', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const fitted = fit(request, 'chat', command)
        fc.pre(!isFault(fitted))
        const body = cohere.writeRequest(fitted.request, {
          ...command,
          outputTokensMax: 50,
          outputTokensDefault: 50,
        })
        expect(readCohere(parseObject(JSON.stringify(body)) ?? {})).not.toHaveProperty('fault')
      }),
      { numRuns: 500 },
    )
  })

  it('a forced tool becomes the only tool, and the text before a call becomes the plan of the call', () => {
    const parameters = { type: 'object', properties: {} }
    const tool = (name: string): object => ({ type: 'function', function: { name, parameters } })
    const call = { id: 'c1', type: 'function', function: { name: 'a', arguments: '{}' } }
    const { body, lost } = converted(
      'chat',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'I will ask.', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c1', content: 'done' },
        ],
        tools: [tool('a'), tool('b')],
        tool_choice: { type: 'function', function: { name: 'b' } },
        top_p: 1,
      },
      command,
    )
    expect(body).toMatchObject({ tools: [tool('b')], tool_choice: 'REQUIRED', p: 0.99 })
    expect(listOf(body.messages)[1]).toEqual({
      role: 'assistant',
      tool_plan: 'I will ask.',
      tool_calls: [call],
    })
    expect(lost).toEqual(['top_p'])
  })

  it('documents other than text are rejected', () => {
    const source = { kind: 'data', mediaType: 'application/pdf', data: 'AAAA' } as const
    const request = aRequest({
      turns: [{ role: 'user', parts: [{ kind: 'file', source, name: null, cache: null }] }],
    })
    expect(fit(request, 'chat', command)).toMatchObject({ kind: 'fault', param: 'messages.content.file' })
  })
})

describe('requests of Cohere', () => {
  const gpt: Destination = { wire: 'chat', model: 'gpt-6', origin: 'o', dialect: 'openai' }
  const claude: Destination = { wire: 'messages', model: 'claude-opus-5', origin: 'o', dialect: 'compatible' }
  const documents = [{ id: 'd1', data: { title: 'Facts', text: 'Ruby is red.' } }, 'Plain.']
  const messages = [{ role: 'user', content: 'What color?' }]

  it('documents become text before the question, and the loss of the citations is reported', () => {
    const { body, lost } = converted('cohere', { messages, documents }, gpt)
    expect(listOf(objectOf(listOf(body.messages)[0]).content).map((part) => objectOf(part).text)).toEqual([
      'Facts\n\nRuby is red.',
      'Plain.',
      'What color?',
    ])
    expect(lost).toEqual(['documents', 'documents.citations'])
    const off = { messages, documents, citation_options: { mode: 'OFF' } }
    expect(converted('cohere', off, claude).lost).toEqual([])
    const [first] = listOf(objectOf(listOf(converted('cohere', off, claude).body.messages)[0]).content)
    expect(first).toMatchObject({
      type: 'document',
      title: 'Facts',
      source: { type: 'text', data: 'Ruby is red.' },
    })
  })

  it('documents in a tool result become text with the names of their fields', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
    const document = { id: 'd1', data: { color: 'red', year: 1995 } }
    const { body } = converted(
      'cohere',
      {
        messages: [
          ...messages,
          { role: 'assistant', tool_plan: 'I will search.', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c1', content: [{ type: 'document', document }] },
        ],
      },
      gpt,
    )
    expect(listOf(body.messages).slice(1)).toEqual([
      { role: 'assistant', content: 'I will search.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'd1\n\ncolor: red\nyear: 1995' },
    ])
  })

  it('fields that only Cohere has are reported, and the other options are converted', () => {
    const { body, lost } = converted(
      'cohere',
      {
        messages,
        p: 0.5,
        k: 0,
        seed: 3,
        stop_sequences: ['a', ''],
        response_format: { type: 'json_object', json_schema: { type: 'object' } },
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
        strict_tools: true,
        tool_choice: 'REQUIRED',
        safety_mode: 'STRICT',
        priority: 3,
        logprobs: true,
        raw_prompting: false,
      },
      { ...gpt, model: 'gpt-4.1' },
    )
    expect(body).toMatchObject({
      top_p: 0.5,
      seed: 3,
      stop: ['a'],
      tool_choice: 'required',
      tools: [{ function: { strict: true } }],
      response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
    })
    expect(lost).toEqual(['safety_mode', 'priority', 'logprobs'])
  })

  it('a request that turns thinking on or off is converted, with the thinking budget', () => {
    const thinking = (value: object): unknown =>
      converted('cohere', { messages, thinking: value }, { ...claude, model: 'claude-sonnet-4-5' }).body
        .thinking
    expect(thinking({ type: 'disabled' })).toEqual({ type: 'disabled' })
    const effort = (value: object): unknown =>
      converted('cohere', { messages, thinking: value }, gpt).body.reasoning_effort
    expect(effort({ type: 'enabled' })).toBe('medium')
    expect(effort({ type: 'enabled', token_budget: 500 })).toBe('low')
    expect(effort({ type: 'disabled' })).toBe('none')
  })
})

test.each([
  [{ messages: [{ role: 'developer', content: 'x' }] }, 'messages.0.role'],
  [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.tool_call_id'],
  [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages.0.content.0.text'],
  [{ messages: [{ role: 'user', content: 'x' }], tool_choice: 'AUTO' }, 'tool_choice'],
  [{ messages: [{ role: 'user', content: 'x' }], p: 2 }, 'p'],
  [{ messages: [{ role: 'user', content: 'x' }], documents: [1] }, 'documents.0'],
  [{ messages: [{ role: 'user', content: 'x' }], response_format: { type: 'xml' } }, 'response_format'],
  [{ messages: [{ role: 'user', content: 'x' }], stop_sequences: 'x' }, 'stop_sequences'],
])('the request %j is rejected at %s if it is converted', (body, param) => {
  const request = wires.cohere.parseRequest(byteTextOf(JSON.stringify({ model: 'm', ...body })), {
    model: null,
    isStream: false,
    isJsonArray: false,
  })
  if (isFault(request)) throw new Error(request.reason)
  expect(cohere.readRequest(request)).toMatchObject({ kind: 'fault', param })
})
