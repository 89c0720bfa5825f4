import { expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault } from '#wire/wire-request.ts'
import { fieldsOfName, nameWithin } from './tool-names-in-namespaces.ts'
import { encodeResponsesAnswer } from './answer-encoder.ts'
import { responses } from './codec.ts'
import { parseResponsesRequest } from '#wire/responses/parse-request.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const spawn = { type: 'function', name: 'spawn', description: 'Starts one.', parameters: { type: 'object' } }
const body = {
  model: 'm',
  tools: [
    { type: 'function', name: 'run' },
    { type: 'namespace', name: 'agents', description: 'Sub-agents.', tools: [spawn] },
  ],
  input: [
    { role: 'user', content: 'Go' },
    { type: 'function_call', call_id: 'c1', name: 'spawn', namespace: 'agents', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'ok' },
  ],
}

function read(value: object) {
  const request = parseResponsesRequest(byteTextOf(JSON.stringify(value)))
  if (isFault(request)) throw new Error(request.reason)
  return responses.readRequest(request)
}

it('tools in a namespace and their earlier calls are sent to any provider as functions', () => {
  const request = read(body)
  expect(request).toMatchObject({
    tools: [
      { name: 'run', description: null },
      { name: 'agents::spawn', description: 'Sub-agents.\n\nStarts one.' },
    ],
    turns: [{}, { parts: [{ name: 'agents::spawn' }] }, { parts: [{ name: 'agents::spawn' }] }],
  })
})

it('a nested namespace, or an unsupported tool in a namespace, is rejected with its position', () => {
  const within = (tools: object[]) => read({ ...body, tools: [{ type: 'namespace', name: 'a', tools }] })
  const nested = { type: 'namespace', name: 'b', tools: [spawn] }
  expect(within([spawn, nested])).toMatchObject({ param: 'tools.0.tools.1' })
  expect(within([{ type: 'local_shell' }])).toMatchObject({ param: 'tools.0.tools.0' })
})

it('a call of a tool in a namespace is returned with the client’s name and namespace', () => {
  const request = read(body)
  if (isFault(request)) throw new Error(request.reason)
  const options = encoderOptions({
    alias: 'a',
  })
  const answer = encodeResponsesAnswer(
    [
      { kind: 'start', id: null },
      { kind: 'tool_call', choice: 0, slot: 0, id: 'c2', name: 'agents::spawn', isCustom: false },
      { kind: 'arguments', choice: 0, slot: 0, text: '{}' },
      { kind: 'tool_call_end', choice: 0, slot: 0 },
      { kind: 'tool_call', choice: 0, slot: 1, id: 'c3', name: 'run', isCustom: false },
      { kind: 'tool_call_end', choice: 0, slot: 1 },
      { kind: 'finish', choice: 0, reason: 'tool_calls', stopSequence: null },
      { kind: 'usage', usage: zeroUsage },
    ],
    { ...options, request },
  )
  expect(answer.output).toMatchObject([{ name: 'spawn', namespace: 'agents' }, { name: 'run' }])
  expect(answer.output).not.toHaveProperty('1.namespace')
})

it('a joined name is split into the original namespace and name', () => {
  expect(fieldsOfName(nameWithin('a', 'b::c'))).toEqual({ namespace: 'a', name: 'b::c' })
  expect(fieldsOfName(nameWithin(undefined, 'b'))).toEqual({ name: 'b' })
  expect(fieldsOfName(nameWithin('', '::b'))).toEqual({ name: '::b' })
})
