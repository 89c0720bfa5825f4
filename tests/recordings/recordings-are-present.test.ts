import { describe, expect, it } from 'vitest'
import { hasNoRecordings, recordingsOf } from '../support/read-recordings.ts'

describe.skipIf(hasNoRecordings)('the recordings', () => {
  it.each([
    ['chat', 5],
    ['messages', 10],
    ['generate', 10],
    ['responses', 5],
  ] as const)(
    'there are enough recordings of %s, and the bytes of each recording match its type (stream or non-streaming response)',
    (wire, least) => {
      const recordings = recordingsOf(wire)
      expect(recordings.length).toBeGreaterThanOrEqual(least)
      expect(new Set(recordings.map(({ name }) => name)).size).toBe(recordings.length)
      for (const { name, isStream, bytes } of recordings) {
        expect(/^(event|data|:)/.test(bytes), name).toBe(isStream)
        if (isStream) expect(bytes, name).toMatch(/\n$/)
        else expect(() => JSON.parse(bytes), name).not.toThrow()
      }
    },
  )
})
