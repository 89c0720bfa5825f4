import { expect, test } from 'vitest'
import type { PoolSource, Source } from '#money/decision-types.ts'
import type { ChangedSource } from '#store/ledger/book-cells.ts'
import { aPool, aWallet } from '#tests/fixtures/money-builders.ts'
import { SourceSlots } from './source-slots.ts'

const slotsMax = 32
const sourcesMax = 40

function changedOf(
  endUser: number,
  source: Source = aWallet(5n),
  lastEntry: number | null = 3,
): ChangedSource {
  const cell = { source, lastEntry, pool: null, isNew: false, isDirty: true }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the slots read only these fields
  const person = { endUserId: `eu_${endUser}`, mode: 'live' } as ChangedSource['person']
  return { person, cell }
}

const many = (count: number, from = 0): ChangedSource[] =>
  Array.from({ length: count }, (_, i) => changedOf(from + i))

const idsOf = (slots: SourceSlots): number[] => slots.takeRows().map(({ id }) => id)

test('a slot contains every changed figure of a source, even a figure above 2^53', () => {
  const slots = new SourceSlots(7)
  const pool: PoolSource = { ...aPool('a "pool"', 9n), held: 4n, withheld: 2n, expired: 1n }
  slots.add([changedOf(1, aWallet(2n ** 62n + 1n, { held: 8n, given: 6n })), changedOf(1, pool, null)])
  expect(slots.takeRows()).toEqual([
    {
      id: 0,
      cycle: 7,
      text: '[["eu_1","live","wallet",4611686018427387905,8,3,6,null,null],["eu_1","live","a \\"pool\\"",9,4,null,null,2,1]]',
    },
  ])
  expect([slots.isEmpty, slots.hasSourcesOf({ endUserId: 'eu_1' })]).toEqual([false, true])
  expect(slots.hasSourcesOf({ endUserId: 'eu_2' })).toBe(false)
})

test('if a source changes again, its new figures replace the old ones and take no further room in the slot', () => {
  const slots = new SourceSlots(0)
  for (let batch = 0; batch < 3 * sourcesMax; batch += 1) {
    slots.add([changedOf(1, aWallet(BigInt(batch)))])
    const [row] = slots.takeRows()
    expect(row?.id).toBe(0)
    expect(JSON.parse(row?.text ?? '')).toEqual([['eu_1', 'live', 'wallet', batch, 0, 3, 0, null, null]])
  }
})

test('if the changed sources of a batch do not fit into the slot, they are written to the next slot, or to several slots', () => {
  const slots = new SourceSlots(0)
  expect(idsOf(slots)).toEqual([])
  slots.add(many(24))
  expect(idsOf(slots)).toEqual([0])
  slots.add(many(16, 24))
  expect(idsOf(slots)).toEqual([0])
  slots.add(many(1, 40))
  expect(idsOf(slots)).toEqual([1])
  slots.add(many(2 * sourcesMax + 1, 41))
  expect(slots.takeRows().map(({ id, text }) => [id, (JSON.parse(text) as unknown[]).length])).toEqual([
    [2, sourcesMax],
    [3, sourcesMax],
    [4, 1],
  ])
  expect(idsOf(slots)).toEqual([])
})

test('if the last slot is full, no further sources are accepted', () => {
  const slots = new SourceSlots(0)
  for (let slot = 0; slot < slotsMax; slot += 1) {
    const batch = many(sourcesMax, slot * sourcesMax)
    expect(slots.hasRoom(batch)).toBe(true)
    slots.add(batch)
  }
  expect(slots.hasRoom(many(1))).toBe(false)
  expect(slots.hasRoom(many(1, slotsMax * sourcesMax - 1))).toBe(true)
  expect(new SourceSlots(0).hasRoom(many(slotsMax * sourcesMax + 1))).toBe(false)
})
