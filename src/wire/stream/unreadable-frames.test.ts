import { expect, test } from 'vitest'
import { UnreadableFrames } from './unreadable-frames.ts'

test('a frame without words is left out once the answer has begun, and the fourth is not', () => {
  const frames = new UnreadableFrames()
  expect(frames.mayDrop('{"choices":[{"delta":{"content":', false)).toBe(false)
  for (let i = 0; i < 3; i++) expect(frames.mayDrop('{"choices":[{"delta":{"content":', true)).toBe(true)
  expect(frames.mayDrop('{"choices":[{"delta":{"content":', true)).toBe(false)
  expect(frames.dropped).toBe(3)
})

test('a frame that may have carried words is never left out', () => {
  const frames = new UnreadableFrames()
  for (const lost of [
    '{"choices":[{"delta":{"content":"wor',
    '{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{',
    '{"type":"content_block_delta","delta":{"type":"text_delta","text":"wor',
    '{"type":"response.output_text.delta","delta":"wor',
    '{"candidates":[{"content":{"parts":[{"text": "wor',
  ])
    expect([lost, frames.mayDrop(lost, true)]).toEqual([lost, false])
  expect(frames.mayDrop('{"choices":[{"delta":{"content":"', true)).toBe(true)
})
