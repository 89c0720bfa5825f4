import { expect, test } from 'vitest'
import { tailWithReport, type ReportPlace } from './add-report-to-stream-end.ts'

const svc = '{"chargeMicros":"7"}'

function told(tail: string, place: Partial<ReportPlace>): string {
  return tailWithReport(
    tail,
    { wire: 'chat', isJsonArray: false, model: 'acme/é', createdAt: 5, isExpected: true, ...place },
    svc,
  )
}

const done = 'data: [DONE]\n\n'
const own =
  'data: {"id":"chatcmpl-tollgate","object":"chat.completion.chunk","created":5,"model":"acme/\xc3\xa9","choices":[],"svc":{"chargeMicros":"7"}}\n\n'

test.each([done, '', 'data: {"choices":[],"usage":null}\n\n' + done])(
  'the end of a stream, %j, is unchanged if the client expects no usage',
  (tail) => {
    expect(told(tail, { isExpected: false })).toBe(tail)
  },
)

test('the end of a text completion without usage gets a chunk in the format of text completions', () => {
  expect(told(done, { wire: 'completions' })).toBe(
    own.replace('chat.completion.chunk', 'text_completion') + done,
  )
})

test.each([
  [
    'data: {"choices":[],"usage":{}}\n\n' + done,
    'data: {"svc":{"chargeMicros":"7"},"choices":[],"usage":{}}\n\n' + done,
  ],
  // The provider sent no usage, or sent it with the finish reason, before the tail.
  [done, own + done],
  ['', own],
  ['data: {"choices":[],"usage":null}\n\n' + done, 'data: {"choices":[],"usage":null}\n\n' + own + done],
  [
    'data: {"error":{"code":"x"}}\n\n' + done,
    'data: {"svc":{"chargeMicros":"7"},"error":{"code":"x"}}\n\n' + done,
  ],
  [
    ': note\r\n\r\ndata: {"usage":{}}\r\n\r\n',
    ': note\r\n\r\ndata: {"svc":{"chargeMicros":"7"},"usage":{}}\r\n\r\n',
  ],
])('the end of a chat stream, %j, becomes %j', (tail, reported) => {
  expect(told(tail, {})).toBe(reported)
})

test.each([
  [
    'converse',
    'data: {"messageStop":{"stopReason":"end_turn"}}\n\ndata: {"metadata":{"usage":{}}}\n\n',
    'data: {"messageStop":{"stopReason":"end_turn"}}\n\ndata: {"metadata":{"svc":{"chargeMicros":"7"},"usage":{}}}\n\n',
  ],
  [
    'converse',
    'data: {"messageStop":{"stopReason":"end_turn"}}\n\n',
    'data: {"messageStop":{"svc":{"chargeMicros":"7"},"stopReason":"end_turn"}}\n\n',
  ],
  ['converse', 'data: {"messageStop":{}}\n\n', 'data: {"messageStop":{"svc":{"chargeMicros":"7"}}}\n\n'],
  [
    'converse',
    'event: error\ndata: {"type":"error","exception":"x"}\n\n',
    'event: error\ndata: {"svc":{"chargeMicros":"7"},"type":"error","exception":"x"}\n\n',
  ],
  [
    'messages',
    'event: message_delta\ndata: {"usage":{}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
    'event: message_delta\ndata: {"svc":{"chargeMicros":"7"},"usage":{}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  [
    'messages',
    'event: error\ndata: {"error":{}}\n\n',
    'event: error\ndata: {"svc":{"chargeMicros":"7"},"error":{}}\n\n',
  ],
  [
    'responses',
    'data: {"response":{"usage":{}}}\n\n',
    'data: {"svc":{"chargeMicros":"7"},"response":{"usage":{}}}\n\n',
  ],
  ['responses', 'data: {}\n\n', 'data: {"svc":{"chargeMicros":"7"}}\n\n'],
  [
    'generate',
    'data: {"a":1,"usageMetadata":{}}\r\n\r\ndata: {"b":1}\r\n\r\n',
    'data: {"svc":{"chargeMicros":"7"},"a":1,"usageMetadata":{}}\r\n\r\ndata: {"b":1}\r\n\r\n',
  ],
  ['generate', '', ''],
] as const)('the end of a stream on the wire %s, %j, becomes %j', (wire, tail, reported) => {
  expect(told(tail, { wire })).toBe(reported)
})

test.each([
  [
    ',\r\n{"usageMetadata":{}},\r\n{"x":1}]',
    ',\r\n{"svc":{"chargeMicros":"7"},"usageMetadata":{}},\r\n{"x":1}]',
  ],
  ['[{"usageMetadata":{}}]', '[{"svc":{"chargeMicros":"7"},"usageMetadata":{}}]'],
  [',\r\n{"error":{}}]', ',\r\n{"svc":{"chargeMicros":"7"},"error":{}}]'],
  ['[]', '[]'],
  [']', ']'],
])('the end of a JSON array, %j, becomes %j', (tail, reported) => {
  expect(told(tail, { wire: 'generate', isJsonArray: true })).toBe(reported)
})
