import { expect, it } from 'vitest'
import type { JsonObject } from './text/json-values.ts'
import { providerErrorOf } from './read-provider-error.ts'

const invalid = [
  { type: 'extra_forbidden', loc: ['body', 'user'], msg: 'Extra inputs are not permitted', input: 'secret' },
  { type: 'missing', loc: ['body', 'messages', 0], msg: 'Field required', input: {} },
]
const said = 'body.user: Extra inputs are not permitted; body.messages.0: Field required'

it.each<[string, JsonObject, string]>([
  ['a list of invalid fields', { detail: invalid }, said],
  [
    'a list of invalid fields as the message (Mistral)',
    { object: 'error', message: { detail: invalid }, type: 'invalid_request_error' },
    said,
  ],
  ['a list of invalid fields inside an error', { error: { message: { detail: invalid } } }, said],
  ['a text', { detail: 'Not found' }, 'Not found'],
  ['a list of other values', { detail: [1, { loc: ['a'] }] }, ''],
])('the message of a provider’s error is read from %s', (_what, body, message) => {
  expect(providerErrorOf(body)?.message).toBe(message)
})
