import { describe, expect, it } from 'vitest'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { wires } from '#wire/table-of-wires.ts'
import { isFault } from '#wire/wire-request.ts'
import { prepareConversion } from '#convert/prepare-conversion.ts'
import type { Destination } from './capability-type.ts'

const claude: Destination = { wire: 'messages', model: 'claude-opus-5', origin: 'o', dialect: 'openai' }
const nova: Destination = { ...claude, wire: 'converse', model: 'us.amazon.nova-pro-v1:0' }
const responses: Destination = { ...claude, wire: 'responses', model: 'gpt-6' }
const llama: Destination = { ...claude, wire: 'chat', model: 'llama', dialect: 'compatible' }

const mark = { cache_control: { type: 'ephemeral' } }
const longMark = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } }
const call = (id: string): JsonObject => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
const tool = (name: string): JsonObject => ({ type: 'function', function: { name, description: name } })
const part = (text: string, fields: JsonObject = mark): JsonObject => ({ type: 'text', text, ...fields })

function converted(
  body: JsonObject,
  to: Destination,
  from: WireName = 'chat',
): { readonly written: string; readonly lost: readonly string[] } {
  const path = { model: null, isStream: false, isJsonArray: false }
  const request = wires[from].parseRequest(byteTextOf(JSON.stringify({ model: 'm', ...body })), path)
  if (isFault(request)) throw new Error(request.reason)
  const conversion = prepareConversion(request, to)
  if (isFault(conversion)) throw new Error(conversion.reason)
  const written = textOf(conversion.body({ outputTokensMax: 99, outputTokensDefault: 99 }))
  return { written, lost: conversion.lost }
}

/** Returns the texts and names directly before marks, and the lifetimes that are stated. */
function marked(written: string): readonly string[] {
  const found: string[] = []
  let last = ''
  JSON.parse(written, function (this: JsonObject, key, value: unknown) {
    if ((key === 'text' || key === 'name') && typeof value === 'string') last = value
    if (key === 'cache_control') {
      const { ttl } = value as JsonObject
      found.push(typeof ttl === 'string' ? `${last} ${ttl}` : last)
    }
    if (key === 'cachePoint') found.push(last)
    return value
  })
  return found
}

describe('a converted conversation with more than four cache marks', () => {
  const conversation = {
    tools: [tool('t1'), { ...tool('t2'), ...mark }, { ...tool('f'), ...mark }],
    messages: [
      { role: 'system', content: [part('s1'), part('s2')] },
      { role: 'user', content: [part('u1')] },
      { role: 'assistant', content: [part('a1')], tool_calls: [call('c')] },
      { role: 'tool', tool_call_id: 'c', content: 'r1', ...mark },
      { role: 'assistant', content: 'a2' },
      { role: 'user', content: [part('u2')] },
    ],
  }

  it('keeps the last mark of the tools and the instructions, and the latest other marks (Anthropic)', () => {
    const { lost, written } = converted(conversation, claude)
    expect(marked(written).toSorted()).toEqual(['f', 'r1', 's2', 'u2'])
    expect(lost).toEqual(['tools.cache_control', 'messages.content.cache_control'])
  })

  it('keeps more marks of the conversation if the tools and the instructions have fewer', () => {
    const messages = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'].flatMap((text) => [
      { role: 'user', content: [part(text)] },
      { role: 'assistant', content: 'ok' },
    ])
    const { lost, written } = converted(
      { messages: [{ role: 'system', content: [part('s')] }, ...messages, { role: 'user', content: 'x' }] },
      claude,
    )
    expect(marked(written)).toEqual(['s', 'u4', 'u5', 'u6'])
    expect(lost).toEqual(['messages.content.cache_control'])
  })

  it('keeps all marks if there are four', () => {
    const content = [part('a'), part('b'), part('c'), part('d')]
    const { lost, written } = converted({ messages: [{ role: 'user', content }] }, claude)
    expect(marked(written)).toEqual(['a', 'b', 'c', 'd'])
    expect(lost).toEqual([])
  })

  it('keeps the mark of the instructions and the latest three others (Nova)', () => {
    const content = ['a', 'b', 'c', 'd'].map((text) => part(text, breakpoint))
    const { lost, written } = converted(
      {
        instructions: null,
        input: [
          { role: 'system', content: [part('s', breakpoint)] },
          { role: 'user', content },
        ].map(asInput),
      },
      nova,
      'responses',
    )
    expect(marked(written)).toEqual(['s', 'b', 'c', 'd'])
    expect(lost).toEqual(['input.content.prompt_cache_breakpoint'])
  })
})

function asInput({ role, content }: { role: string; content: readonly JsonObject[] }): JsonObject {
  return { role, content: content.map((item) => ({ ...item, type: 'input_text' })) }
}

describe('a lost cache mark', () => {
  it('is reported with the field of the client', () => {
    const body = {
      tools: [{ type: 'function', function: { name: 'f', ...mark } }],
      messages: [
        { role: 'system', content: 's', ...mark },
        { role: 'user', content: [part('u')] },
        { role: 'assistant', content: 'a', tool_calls: [call('c')] },
        { role: 'tool', tool_call_id: 'c', content: [part('r', breakpoint)] },
      ],
    }
    expect(converted(body, llama).lost.toSorted()).toEqual([
      'messages.cache_control',
      'messages.content.cache_control',
      'messages.content.prompt_cache_breakpoint',
      'tools.function.cache_control',
    ])
  })

  it('on a text of the model is reported, because the responses wire has no field for it', () => {
    const messages = [
      { role: 'user', content: 'u' },
      { role: 'assistant', content: [part('a')] },
      { role: 'user', content: 'u' },
    ]
    const { lost, written } = converted({ messages }, responses)
    expect(lost).toEqual(['messages.content.cache_control'])
    expect(written).not.toContain('prompt_cache_breakpoint')
    expect(converted({ max_tokens: 99, messages }, responses, 'messages').lost).toEqual(['cache_control'])
  })
})

describe('a cache mark with a lifetime of an hour', () => {
  it('gets the usual lifetime after a mark with the usual lifetime, because Anthropic rejects the order', () => {
    const content = [part('a', longMark), part('b'), part('c', longMark)]
    const { lost, written } = converted({ messages: [{ role: 'user', content }] }, claude)
    expect(marked(written)).toEqual(['a 1h', 'b', 'c'])
    expect(lost).toEqual(['messages.content.cache_control'])
  })

  it('keeps its lifetime if only removed marks come before', () => {
    const content = [
      part('a'),
      part('b', longMark),
      part('c', longMark),
      part('d', longMark),
      part('e', longMark),
    ]
    const { lost, written } = converted({ messages: [{ role: 'user', content }] }, claude)
    expect(marked(written)).toEqual(['b 1h', 'c 1h', 'd 1h', 'e 1h'])
    expect(lost).toEqual(['messages.content.cache_control'])
  })
})
