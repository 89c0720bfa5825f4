import { expect, test } from 'vitest'
import type { KeyCell } from '#store/ledger/state-types.ts'
import { KeyUses } from './key-last-uses-to-store.ts'

const minuteMs = 60_000

function keyOf(number: number, lastUsedAtMs = 0): KeyCell {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these fields are read
  return { id: `key_${String(number).padStart(6, '0')}`, lastUsedAtMs } as KeyCell
}

function partsOf(uses: KeyUses): (readonly KeyCell[])[] {
  const parts: (readonly KeyCell[])[] = []
  for (let part = uses.takePart(); part.length > 0; part = uses.takePart()) parts.push(part)
  return parts
}

test('the last use of a key is stored if the stored use is at least five minutes older', () => {
  const uses = new KeyUses()
  const key = keyOf(1)
  uses.use(key, 5 * minuteMs - 1)
  expect([key.lastUsedAtMs, partsOf(uses)]).toEqual([0, []])
  uses.use(key, 5 * minuteMs)
  expect([key.lastUsedAtMs, partsOf(uses)]).toEqual([5 * minuteMs, [[key]]])
})

test('500 keys at a time are returned, in the order of their IDs, and keys whose last uses were not stored are returned again', () => {
  const uses = new KeyUses()
  const keys = Array.from({ length: 1_001 }, (_, n) => keyOf(n))
  for (const key of keys.toReversed()) uses.use(key, 5 * minuteMs)
  const parts = partsOf(uses)
  expect(parts.map((part) => part.length)).toEqual([500, 500, 1])
  expect(parts.flat()).toEqual(keys)
  uses.keep(parts[1] ?? [])
  expect(partsOf(uses)).toEqual([keys.slice(500, 1_000)])
})

test('memory contains at most 50,000 last uses of keys', () => {
  const uses = new KeyUses()
  for (let n = 0; n < 49_999; n += 1) uses.use(keyOf(n), 5 * minuteMs)
  expect(uses.isFull).toBe(false)
  uses.use(keyOf(49_999), 5 * minuteMs)
  expect(uses.isFull).toBe(true)
  uses.takePart()
  expect(uses.isFull).toBe(false)
})
