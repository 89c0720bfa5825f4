import { expect, test } from 'vitest'
import { mistralBody } from './mistral-body.ts'

test.each([
  ['{"model":"m","messages":[{}]}', '{"model":"m","messages":[{}]}'],
  [
    '{"stream_options":{"include_usage":true},"model":"m","stream":true,"x":1.0}',
    '{"model":"m","stream":true,"x":1.0}',
  ],
  ['{"model":"m", "max_completion_tokens" : 9}', '{"model":"m", "max_tokens" : 9}'],
  ['{"max_tokens":9,"max_completion_tokens":9,"model":"m"}', '{"max_tokens":9,"model":"m"}'],
  ['{"seed":7,"model":"m"}', '{"random_seed":7,"model":"m"}'],
  ['{"messages":[{"content":"\\"seed\\""}]}', '{"messages":[{"content":"\\"seed\\""}]}'],
  ['{"stream_options":null,"seed":1,"random_seed":2}', '{"random_seed":2}'],
  ['not json with "seed"', 'not json with "seed"'],
])('the chat body %s is sent to Mistral as %s', (body, sent) => {
  expect(mistralBody(body)).toBe(sent)
})
