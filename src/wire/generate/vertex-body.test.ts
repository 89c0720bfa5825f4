import { expect, test } from 'vitest'
import { vertexBody, vertexCountBody } from './vertex-body.ts'

const call = { functionCall: { id: 'c1', name: 'f', args: { id: 1 } } }
const result = { functionResponse: { id: 'c1', name: 'f', response: { output: 'x' } } }
const history = {
  contents: [
    { parts: [{ text: 'Hi' }] },
    { role: 'model', parts: [call] },
    { role: 'user', parts: [result, { text: 'and now?' }] },
  ],
  generationConfig: { maxOutputTokens: 12 },
}

const bodyAt = (body: object, model: string): unknown => JSON.parse(vertexBody(JSON.stringify(body), model))

test('a content without a role gets the role `user`, and other contents keep their roles', () => {
  expect(bodyAt(history, 'gemini-3.5-flash')).toEqual({
    ...history,
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }, ...history.contents.slice(1)],
  })
  expect(bodyAt({ contents: { parts: { text: 'Hi' } } }, 'gemini-3.5-flash')).toEqual({
    contents: { role: 'user', parts: { text: 'Hi' } },
  })
  expect(bodyAt({ contents: [{}] }, 'gemini-3.5-flash')).toEqual({ contents: [{ role: 'user' }] })
})

test.each([
  ['gemini-2.5-flash', false],
  ['gemini-2.0-flash-001', false],
  ['gemini-1.5-pro-002', false],
  ['gemini-flash-1.5', false],
  ['publishers/google/models/gemini-2.5-pro', false],
  ['gemini-3-pro-preview', true],
  ['gemini-3.5-flash', true],
  ['gemini-10-flash', true],
])('function calls to %s keep their IDs: %s', (model, keeps) => {
  const text = JSON.stringify(bodyAt(history, model))
  expect(text.includes('"id":"c1"')).toBe(keeps)
  expect(text).toContain('"args":{"id":1}')
})

test('IDs are removed even if the field names are in snake case', () => {
  const contents = [{ role: 'model', parts: [{ function_call: { name: 'f', id: 'c1' } }] }]
  expect(bodyAt({ contents }, 'gemini-2.5-pro')).toEqual({
    contents: [{ role: 'model', parts: [{ function_call: { name: 'f' } }] }],
  })
})

test('a body with a role for each content is sent byte for byte', () => {
  const text = '{ "contents" : [ {"role":"user", "parts":[{"text":"Hi"}]} ], "x": 1.0 }'
  expect(vertexBody(text, 'gemini-3.5-flash')).toBe(text)
})

test('a countTokens request is sent with the fields that Vertex AI counts', () => {
  const whole = { model: 'models/m', ...history, safetySettings: [], systemInstruction: { parts: [] } }
  const countOf = (body: object): unknown =>
    JSON.parse(vertexCountBody(JSON.stringify(body), 'gemini-3.5-flash'))
  const { contents, generationConfig } = history
  const [first, ...others] = contents
  const counted = {
    contents: [{ role: 'user', ...first }, ...others],
    generationConfig,
    systemInstruction: { parts: [] },
  }
  expect(countOf({ generateContentRequest: whole })).toEqual(counted)
  expect(countOf({ model: 'models/m', ...counted })).toEqual(counted)
  expect(countOf({ contents })).toEqual({ contents: counted.contents })
})
