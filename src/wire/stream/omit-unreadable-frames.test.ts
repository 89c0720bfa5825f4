import { expect, test } from 'vitest'
import { UnreadableFrames } from './omit-unreadable-frames.ts'

test('after the answer has begun, the first three frames with incomplete JSON are omitted, but the fourth frame fails the stream', () => {
  const frames = new UnreadableFrames()
  expect(frames.mayDrop('{"choices":[{"delta":{"content":', false)).toBe(false)
  for (let i = 0; i < 3; i++) expect(frames.mayDrop('{"choices":[{"delta":{"content":', true)).toBe(true)
  expect(frames.mayDrop('{"choices":[{"delta":{"content":', true)).toBe(false)
  expect(frames.dropped).toBe(3)
})

test('a frame is omitted only if it is cut between two members of an object', () => {
  const frames = new UnreadableFrames()
  for (const other of ['hello', '{"a":"b', '{"a":1}}', '[1,', '{"a":tru', '"a"'])
    expect([other, frames.mayDrop(other, true)]).toEqual([other, false])
  for (const cut of ['{', '{"a":1,', '{"a":[', '{"a": \n']) {
    const own = new UnreadableFrames()
    expect([cut, own.mayDrop(cut, true)]).toEqual([cut, true])
  }
})

test('a frame that may have contained model output is never omitted', () => {
  const frames = new UnreadableFrames()
  for (const lost of [
    '{"choices":[{"delta":{"content":"words"},',
    '{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{"},',
    '{"type":"content_block_delta","delta":{"type":"text_delta","text":"wor",',
    '{"type":"response.output_text.delta","delta":"wor",',
    '{"candidates":[{"content":{"parts":[{"text": "wor"},',
  ])
    expect([lost, frames.mayDrop(lost, true)]).toEqual([lost, false])
})
