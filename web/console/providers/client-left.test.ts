import { expect, test } from 'vitest'
import { clientLeftWords, onClientLeftOf } from './client-left.ts'

test('a setting is shown, or the default if it is null', () => {
  expect(clientLeftWords(null, 'anthropic')).toBe('Stop the stream')
  expect(clientLeftWords('drain', 'anthropic')).toBe('Read the rest of the stream')
  expect(clientLeftWords(null, 'google')).toBe('Read the rest of the stream')
  expect(['', 'cut', 'drain'].map(onClientLeftOf)).toEqual([null, 'cut', 'drain'])
})
