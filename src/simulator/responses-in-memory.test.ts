import { expect, test } from 'vitest'
import { KeptResponses } from './responses-in-memory.ts'

const response = (id: string, characters: number) => ({
  id,
  items: [{ type: 'message', role: 'user', content: 'x'.repeat(characters) }],
  inputCount: 1,
  text: '{}',
})

test('the oldest stored responses are dropped beyond 1,000 responses or 16 million characters', () => {
  const kept = new KeptResponses()
  for (let at = 0; at <= 1_000; at++) kept.keep(response(`resp_${at}`, 10))
  expect([kept.find('resp_0'), kept.find('resp_1')?.id]).toEqual([null, 'resp_1'])
  for (let at = 0; at < 17; at++) kept.keep(response(`large_${at}`, 1_000_000))
  expect([kept.find('resp_1000'), kept.find('large_0')]).toEqual([null, null])
  expect(kept.find('large_16')?.id).toBe('large_16')
})

test('a response that is too large is not stored, and a stored response can be deleted only once', () => {
  const kept = new KeptResponses()
  kept.keep(response('large', 2_000_000))
  kept.keep(response('small', 10))
  expect(kept.find('large')).toBeNull()
  expect([kept.delete('small'), kept.delete('small'), kept.find('small')]).toEqual([true, false, null])
})

test('a response in the background ends after its duration, or when it is canceled', () => {
  let nowMs = 0
  const kept = new KeptResponses(() => nowMs)
  const background = { running: 'running', canceled: 'canceled', events: [], durationMs: 100 }
  const [first, second] = ['one', 'two'].map((id) => ({ ...response(id, 10), background }))
  if (first === undefined || second === undefined) throw new Error('there are two responses')
  kept.keep(first)
  kept.keep(second)
  nowMs = 99
  kept.cancel(second)
  expect([kept.textOf(first), kept.textOf(second)]).toEqual(['running', 'canceled'])
  nowMs = 100
  kept.cancel(first)
  expect([kept.textOf(first), kept.textOf(second)]).toEqual(['{}', 'canceled'])
})
