import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { listOf, objectOf, parseObject, printValue } from '#wire/text/json-values.ts'
import { isFault } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import type { Destination } from '#convert/capabilities/capability-type.ts'
import { codecs } from '#convert/table-of-codecs.ts'
import { prepareConversion } from '#convert/prepare-conversion.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const destinations: readonly Destination[] = [
  { wire: 'chat', model: 'gpt-4.1', origin: 'here', dialect: 'openai' },
  { wire: 'generate', model: 'gemini-3-flash', origin: 'here', dialect: 'openai' },
  { wire: 'responses', model: 'gpt-6', origin: 'here', dialect: 'openai' },
]

describe.each(destinations)('a memory tool that the client runs, at a provider of $wire', (to) => {
  it('the memory tool becomes a function, and a call of the function is returned with the same input', () => {
    const input = { command: 'rename', old_path: '/memories/a', new_path: '/memories/b' }
    const body = {
      model: 'm',
      max_tokens: 500,
      tools: [{ type: 'memory_20250818', name: 'memory' }],
      messages: [{ role: 'user', content: `[[tool=memory ${printValue(input)}]]` }],
    }
    const path = { model: null, isStream: false, isJsonArray: false }
    const request = wires.messages.parseRequest(byteTextOf(printValue(body)), path)
    if (isFault(request)) throw new Error(request.reason)
    const conversion = prepareConversion(request, to)
    if (isFault(conversion)) throw new Error(conversion.reason)
    expect(conversion.lost).toEqual(['tools.memory'])
    const sent = objectOf(
      parseObject(textOf(conversion.body({ outputTokensMax: 500, outputTokensDefault: 500 }))),
    )
    // The hold covers 2,048 tokens for the tool.
    expect(printValue(sent).length).toBeLessThan(2_048)
    const { status, text } = play(to.wire, sent, {
      isStream: false,
      ...(to.wire === 'generate' && { model: 'm' }),
    })
    expect([status, text]).toEqual([200, expect.any(String)])
    const decoding = { origin: 'here', callIdPrefix: 'call_x' }
    const events = conversion.decodeAnswer(objectOf(parseObject(text)), decoding)
    const answer = codecs.messages.encodeAnswer(
      events ?? [],
      encoderOptions({
        alias: 'a',
        request: conversion.request,
      }),
    )
    expect(listOf(answer.content)).toContainEqual(
      expect.objectContaining({ type: 'tool_use', name: 'memory', input }),
    )
  })
})
