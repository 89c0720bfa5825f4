import { expect, test } from 'vitest'
import { earlierHops, isLoop, loopName } from './detect-request-loops.ts'

const name = loopName(Buffer.alloc(32, 1))

test("the installation's name is the same for the same secret, and reveals nothing about the secret", () => {
  expect(name).toMatch(/^tollgate-[0-9a-f]{16}$/)
  expect(loopName(Buffer.alloc(32, 1))).toBe(name)
  expect(loopName(Buffer.alloc(32, 2))).not.toBe(name)
})

test.each([
  [undefined, false],
  ['', false],
  ['cloudflare', false],
  [name, true],
  [`cloudflare; loops=1, ${name.toUpperCase()} ; v=2`, true],
  [`other-${name}`, false],
  [`${name}0`, false],
  ['x'.repeat(2048), false],
  ['x'.repeat(2049), true],
])('a request with the header CDN-Loop: %j is detected as a loop: %j', (header, expected) => {
  expect(isLoop(header, name)).toBe(expected)
})

test('the hops that an incoming CDN-Loop header names are forwarded unchanged, unless the header would become too long', () => {
  expect(earlierHops(undefined)).toBeNull()
  expect(earlierHops('one; a=1, two')).toBe('one; a=1, two')
  expect(earlierHops('a\r\nb')).toBeNull()
  expect(earlierHops('x'.repeat(2049))).toBeNull()
})
