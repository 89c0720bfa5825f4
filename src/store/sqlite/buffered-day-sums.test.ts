import { expect, test } from 'vitest'
import { figureNames, zeroOf } from '#domain/sums-of-request-figures.ts'
import type { StoredDaySum } from '#store/ledger/day-sums-of-batch.ts'
import { DaySlots } from './buffered-day-sums.ts'

const slotsMax = 64
const sumsMax = 20

function sumOf(key: number, more: Partial<StoredDaySum> = {}): StoredDaySum {
  return {
    ...zeroOf(figureNames),
    endUserId: `eu_${key}`,
    mode: 'live',
    day: 20_000,
    keyId: `key_${key}`,
    alias: 'acme/"smart"',
    applicationId: 'app_1',
    calls: 1,
    ...more,
  }
}

const many = (count: number, from = 0): StoredDaySum[] =>
  Array.from({ length: count }, (_, i) => sumOf(from + i))

test('a slot of usage sums is read back with every value that was written, even money above 2^53', () => {
  const written = new DaySlots()
  const sums = [
    sumOf(1, { chargeMicros: 2n ** 62n + 1n, costMicros: 3n, inputTokens: 7, outputTokens: 9 }),
    sumOf(2, { mode: 'test' }),
    sumOf(2, { alias: 'acme/other', day: 19_990 }),
  ]
  written.add(sums)
  const [row] = written.takeRows()
  const read = new DaySlots()
  read.keep(row?.id ?? -1, row?.text ?? '')
  expect(read.all()).toEqual(sums)
  expect(read.firstDay).toBe(19_990)
  expect([read.hasSumsOf('eu_2'), read.hasSumsOf('eu_3')]).toEqual([true, false])
})

test('sums of the same key, model name and day are added up and take no further room in the slot', () => {
  const slots = new DaySlots()
  for (let batch = 0; batch < 3 * sumsMax; batch += 1) {
    slots.add([sumOf(1, { chargeMicros: 5n })])
    expect(slots.takeRows().map(({ id }) => id)).toEqual([0])
  }
  expect(slots.all()).toEqual([sumOf(1, { calls: 3 * sumsMax, chargeMicros: BigInt(15 * sumsMax) })])
})

test('a slot is written with the new figures of the sums that changed, and the old figures of all other sums', () => {
  const slots = new DaySlots()
  slots.add([sumOf(1, { chargeMicros: 5n }), sumOf(2, { chargeMicros: 7n })])
  slots.takeRows()
  slots.add([sumOf(1, { chargeMicros: 11n }), sumOf(1, { alias: 'acme/other', chargeMicros: 13n })])
  const [row] = slots.takeRows()
  const read = new DaySlots()
  read.keep(row?.id ?? -1, row?.text ?? '')
  expect(read.all()).toEqual([
    sumOf(1, { calls: 2, chargeMicros: 16n }),
    sumOf(1, { alias: 'acme/other', chargeMicros: 13n }),
    sumOf(2, { chargeMicros: 7n }),
  ])
})

test('if the sums of a batch do not fit into the current slot, they are written to one or more further slots', () => {
  const slots = new DaySlots()
  slots.add(many(12))
  expect(slots.takeRows().map(({ id }) => id)).toEqual([0])
  slots.add(many(12, 12))
  expect(slots.takeRows().map(({ id }) => id)).toEqual([1])
  slots.add(many(2 * sumsMax + 1, 24))
  expect(slots.takeRows().map(({ id, text }) => [id, (JSON.parse(text) as unknown[]).length])).toEqual([
    [2, sumsMax],
    [3, sumsMax],
    [4, 1],
  ])
  // A batch without sums writes the newest slot again.
  expect(slots.takeRows().map(({ id }) => id)).toEqual([4])
  expect(slots.all()).toHaveLength(12 + 12 + 2 * sumsMax + 1)
})

test('if the last slot is full, no further sums are accepted', () => {
  const slots = new DaySlots()
  for (let slot = 0; slot < slotsMax; slot += 1) {
    expect(slots.hasRoom(many(sumsMax, slot * sumsMax))).toBe(true)
    slots.add(many(sumsMax, slot * sumsMax))
  }
  expect(slots.hasRoom(many(1))).toBe(false)
  slots.clear()
  expect([slots.isEmpty, slots.firstDay, slots.hasSumsOf('eu_0')]).toEqual([true, null, false])
  expect(slots.takeRows()).toEqual([{ id: 0, text: '[]' }])
})

test.each(['{}', '[{}]', '[["eu_1"]]', '[1]'])(
  'a slot that contains the invalid text %s is rejected',
  (text) => {
    expect(() => new DaySlots().keep(0, text)).toThrow(/sum/)
  },
)
