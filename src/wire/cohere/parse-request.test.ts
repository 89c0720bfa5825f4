import { expect, test } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody, type RequestFault, type WireRequest } from '#wire/wire-request.ts'
import { parseCohereRequest } from './parse-request.ts'

const model = 'acme/command'
const messages = [{ role: 'user', content: 'Hi' }]

function parsed(body: object | string): WireRequest | RequestFault {
  return parseCohereRequest(byteTextOf(typeof body === 'string' ? body : JSON.stringify(body)))
}

function read(body: object | string): WireRequest {
  const request = parsed(body)
  if (isFault(request)) throw new Error(`${request.param}: ${request.reason}`)
  return request
}

test('the model, the limits and the settings are read from the body', () => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }]
  expect(
    read({
      model,
      messages,
      stream: true,
      max_tokens: 7,
      tools,
      response_format: { type: 'json_object' },
      svc: { session: 's' },
    }),
  ).toMatchObject({
    wire: 'cohere',
    model,
    isStream: true,
    outputTokensMax: 7,
    hasTools: true,
    hasSchema: true,
    session: 's',
    choices: 1,
  })
  expect(read({ model, messages })).toMatchObject({ isStream: false, outputTokensMax: null, hasTools: false })
})

test('the body for the provider differs only in the model, the output maximum and the omitted `svc`', () => {
  const sent = (body: string, max: number | null): string =>
    textOf(upstreamBody(read(body), 'command-a', max))
  const rest = '"messages":[ {"role":"user","content":"Grüße"} ],"safety_mode" : "STRICT"'
  expect(sent(`{"model":"acme/command",${rest},"svc":{"session":"s"}}`, null)).toBe(
    `{"model":"command-a",${rest}}`,
  )
  expect(sent(`{"model":"acme/command",${rest}}`, 9)).toBe(`{"max_tokens":9,"model":"command-a",${rest}}`)
  expect(sent(`{"model":"acme/command","max_tokens":50,${rest}}`, 9)).toBe(
    `{"model":"command-a","max_tokens":9,${rest}}`,
  )
})

test('documents count as text, also in tool results, and images are counted by their size', () => {
  const bound = (body: object): number => read({ model, ...body }).textTokensMax
  const plain = bound({ messages })
  const long = 'x'.repeat(1000)
  expect(bound({ messages, documents: [{ data: { text: long } }] })).toBeGreaterThanOrEqual(plain + 1000)
  const result = {
    role: 'tool',
    tool_call_id: 'c',
    content: [{ type: 'document', document: { data: { text: long } } }],
  }
  expect(bound({ messages: [...messages, result] })).toBeGreaterThanOrEqual(plain + 1000)
  const image = {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${'iVBORw0KGgo'.repeat(400)}` },
  }
  const request = read({ model, messages: [{ role: 'user', content: [image] }] })
  expect(request.images?.any).toBeGreaterThan(0)
  expect(request.textTokensMax).toBeLessThan(plain + 200)
})

test.each([
  [{}, 'messages'],
  [{ messages: [] }, 'messages'],
  [{ messages: ['Hi'] }, 'messages.0'],
  [{ messages, max_tokens: 0.5 }, 'max_tokens'],
  [{ messages, stream: 'yes' }, 'stream'],
  [{ messages, connectors: [{ id: 'web-search' }] }, 'connectors'],
  [{ messages, conversation_id: 'c' }, 'conversation_id'],
  [{ messages, tools: [{ type: 'web_search' }] }, 'tools.0.type'],
  [{ messages, tools: {} }, 'tools'],
  [{ messages: [{ role: 'user', content: [{ type: 'file', file_id: 'f' }] }] }, 'messages.0.content.0'],
])('the request %j is rejected at %s', (body, param) => {
  expect(parsed({ model, ...body })).toMatchObject({ kind: 'fault', param })
})
