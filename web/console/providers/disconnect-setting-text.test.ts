import { expect, test } from 'vitest'
import { clientLeftWords, onClientLeftOf } from './disconnect-setting-text.ts'

test('the setting for disconnected clients is shown, or the default if the setting is null', () => {
  expect(clientLeftWords(null, 'anthropic')).toBe('Stop the stream')
  expect(clientLeftWords('drain', 'anthropic')).toBe('Read the rest of the stream')
  expect(clientLeftWords(null, 'google')).toBe('Read the rest of the stream')
  expect(['', 'cut', 'drain'].map(onClientLeftOf)).toEqual([null, 'cut', 'drain'])
})
