import { expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault, type WireRequest } from '#wire/wire-request.ts'
import { parseResponsesRequest } from '#wire/responses/parse-request.ts'
import { prepareConversion } from '#convert/prepare-conversion.ts'
import { encodeResponsesAnswer } from './answer-encoder.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const message = { type: 'string', description: 'The task.' }
const parameters = (property: object): object => ({
  type: 'object',
  properties: { message: property, encrypted: { type: 'boolean' } },
  required: ['message'],
})
const tools = [
  {
    type: 'namespace',
    name: 'collaboration',
    tools: [
      { type: 'function', name: 'spawn_agent', parameters: parameters({ ...message, encrypted: true }) },
    ],
  },
  { type: 'function', name: 'run', parameters: parameters(message) },
]

function request(): WireRequest {
  const parsed = parseResponsesRequest(byteTextOf(JSON.stringify({ model: 'm', input: 'Go', tools })))
  if (isFault(parsed)) throw new Error(parsed.reason)
  return parsed
}

function conversion() {
  const prepared = prepareConversion(request(), {
    wire: 'messages',
    model: 'claude-opus-4-8',
    origin: 'a',
    dialect: 'openai',
  })
  if (isFault(prepared)) throw new Error(prepared.reason)
  return prepared
}

it('providers of other wires get functions without the mark for encrypted arguments, which is reported as lost', () => {
  const { body, lost } = conversion()
  const sent = JSON.parse(body({ outputTokensMax: 100, outputTokensDefault: 100 }))
  expect(sent.tools.map((tool: { input_schema: unknown }) => tool.input_schema)).toEqual([
    parameters(message),
    parameters(message),
  ])
  expect(lost).toEqual(['tools.parameters.encrypted'])
})

it('a call of a function with encrypted arguments states that its arguments are plain text', () => {
  const answer = encodeResponsesAnswer(
    [
      { kind: 'start', id: null },
      {
        kind: 'tool_call',
        choice: 0,
        slot: 0,
        id: 'c1',
        name: 'collaboration::spawn_agent',
        isCustom: false,
      },
      { kind: 'arguments', choice: 0, slot: 0, text: '{}' },
      { kind: 'tool_call_end', choice: 0, slot: 0 },
      { kind: 'tool_call', choice: 0, slot: 1, id: 'c2', name: 'run', isCustom: false },
      { kind: 'tool_call_end', choice: 0, slot: 1 },
      { kind: 'finish', choice: 0, reason: 'tool_calls', stopSequence: null },
      { kind: 'usage', usage: zeroUsage },
    ],
    encoderOptions({
      alias: 'a',
      request: conversion().request,
    }),
  )
  expect(answer.output).toMatchObject([
    { name: 'spawn_agent', namespace: 'collaboration', encrypted_function_args: [] },
    { name: 'run' },
  ])
  expect(answer.output).not.toHaveProperty('1.encrypted_function_args')
})
