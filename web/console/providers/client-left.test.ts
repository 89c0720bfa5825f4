import { expect, test } from 'vitest'
import { clientLeftWords, onClientLeftOf } from './client-left.ts'

test('a setting is shown, or the default if it is null', () => {
  expect(clientLeftWords(null, 'anthropic')).toBe('Stop the stream')
  expect(clientLeftWords('drain', 'anthropic')).toBe('Read on for the usage')
  expect(clientLeftWords(null, 'google')).toBe('Read on for the usage')
  expect(['', 'cut', 'drain'].map(onClientLeftOf)).toEqual([null, 'cut', 'drain'])
})
