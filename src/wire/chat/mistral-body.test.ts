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
  ['{"model":"m","user":"u_1","stream":true}', '{"model":"m","stream":true}'],
  ['{"messages":[{"role":"user","content":"hi"}]}', '{"messages":[{"role":"user","content":"hi"}]}'],
  ['{"messages":[{"user":"u_1"}]}', '{"messages":[{"user":"u_1"}]}'],
  ['{"user":"u_1"}', '{}'],
  ['{"stream_options":null,"seed":1,"random_seed":2}', '{"random_seed":2}'],
  [
    '{"messages":[{"tool_calls":[{"id":"D681PevKs"}]},{"tool_call_id":"D681PevKs"}]}',
    '{"messages":[{"tool_calls":[{"id":"D681PevKs"}]},{"tool_call_id":"D681PevKs"}]}',
  ],
  [
    '{"messages":[{"tool_calls":null},{"tool_call_id":7},1]}',
    '{"messages":[{"tool_calls":null},{"tool_call_id":7},1]}',
  ],
  ['not json with "seed"', 'not json with "seed"'],
])('the chat body %s is sent to Mistral as %s', (body, sent) => {
  expect(mistralBody(body)).toBe(sent)
})

test('tool call IDs of other providers get the form that Mistral accepts, the same in calls and results', () => {
  const history = (one: string, other: string): string =>
    `{"messages":[{"tool_calls":[{"id":"${one}","type":"function"},{"id":"${other}"}]},{"tool_call_id":"${other}"},{"tool_call_id":"${one}"}],"model":"m"}`
  const sent = mistralBody(history('call_0fypS1hVX', 'functions.run:0'))
  const ids = [...sent.matchAll(/"id":"([^"]*)"/g)].map(([, id]) => id ?? '')
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/)
  expect(new Set(ids).size).toBe(2)
  expect(sent).toBe(history(ids[0] ?? '', ids[1] ?? ''))
})
