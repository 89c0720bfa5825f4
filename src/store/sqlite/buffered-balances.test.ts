import { beforeEach, expect, test } from 'vitest'
import type { PoolSource, Source } from '#money/decision-types.ts'
import type { RateUse } from '#money/rate-limit.ts'
import type { ChangedSource } from '#store/ledger/state-types.ts'
import type { Need } from '#store/ledger/rows-that-operation-needs.ts'
import { aPool, aWallet } from '#tests/fixtures/build-money-values.ts'
import { entryOfSource, entryOfUse, type SlotEntry, SourceSlots } from './buffered-balances.ts'

const slotsMax = 192
const sourcesMax = 40
const rowsMax = 1_280

/** The slots compare end users and sources by object identity, so a test must use the same object each time. */
const people = new Map<number, ChangedSource['person']>()
const cells = new Map<string, ChangedSource['cell']>()
beforeEach(() => {
  people.clear()
  cells.clear()
})

function personOf(endUser: number): ChangedSource['person'] {
  let person = people.get(endUser)
  if (person === undefined) {
    const lineUses = new Map()
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the slots read only these fields
    person = {
      endUserId: `eu_${endUser}`,
      mode: 'live',
      uses: [],
      lineUses,
    } as unknown as ChangedSource['person']
    people.set(endUser, person)
  }
  return person
}

function changedOf(endUser: number, source: Source = aWallet(5n), lastEntry: number | null = 3): SlotEntry {
  const name = `${endUser} ${source.id}`
  const cell = cells.get(name) ?? { source, lastEntry, pool: null, isNew: false, isDirty: true }
  cells.set(name, cell)
  Object.assign(cell, { source, lastEntry })
  return entryOfSource({ person: personOf(endUser), cell })
}

function usageOf(endUser: number, lineId: string | null, slots: number): SlotEntry {
  const uses: readonly RateUse[] = [
    {
      measure: 'tokens',
      window: '5h',
      models: null,
      slots: Array.from({ length: slots }, (_, at) => ({ startsAtMs: at, amount: 2n ** 53n })),
    },
  ]
  const person = personOf(endUser)
  if (lineId === null) person.uses = uses
  else person.lineUses.set(lineId, uses)
  return entryOfUse({ person, lineId })
}

const needOf = (endUserId: string): Need => ({ kind: 'sources', endUserId, mode: 'live', nowMs: 0 })
const lineOf = (lineId: string): Need => ({ kind: 'line_uses', lineId, endUserId: 'eu_1', mode: 'live' })

const many = (count: number, from = 0): SlotEntry[] =>
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
  expect([slots.isEmpty, slots.isNewerFor(needOf('eu_1'))]).toEqual([false, true])
  expect(slots.isNewerFor(needOf('eu_2'))).toBe(false)
})

test('if a source changes again, its new figures replace its old figures and take no further room in the slot', () => {
  const slots = new SourceSlots(0)
  for (let batch = 0; batch < 3 * sourcesMax; batch += 1) {
    slots.add([changedOf(1, aWallet(BigInt(batch)))])
    const [row] = slots.takeRows()
    expect(row?.id).toBe(0)
    expect(JSON.parse(row?.text ?? '')).toEqual([['eu_1', 'live', 'wallet', batch, 0, 3, 0, null, null]])
  }
})

test('if the changed sources of a batch do not fit into the current slot, they are written to one or more further slots', () => {
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
    const batch = many(sourcesMax, (slot % 2) * sourcesMax)
    expect(slots.add(batch)).toBe(true)
  }
  expect(idsOf(slots)).toEqual([slotsMax - 1])
  expect(slots.add(many(1))).toBe(false)
  expect(idsOf(slots)).toEqual([])
  expect(slots.add(many(1, sourcesMax))).toBe(true)
})

test('if the slots contain the maximum number of rows, no further sources are accepted', () => {
  const slots = new SourceSlots(0)
  for (let from = 0; from < rowsMax; from += sourcesMax) expect(slots.add(many(sourcesMax, from))).toBe(true)
  expect(slots.add(many(1, rowsMax))).toBe(false)
  expect([...slots.changed()]).toHaveLength(rowsMax)
  expect(new SourceSlots(0).add(many(rowsMax))).toBe(true)
  expect(new SourceSlots(0).add(many(rowsMax + 1))).toBe(false)
})

test('the slots return each changed source and each changed usage only once', () => {
  const slots = new SourceSlots(0)
  const of1 = () => [changedOf(1), usageOf(1, 'key_1', 1), usageOf(1, null, 1)]
  slots.add([...of1(), changedOf(2)])
  slots.add(many(2 * sourcesMax, 3))
  slots.add(of1())
  const changed = [...slots.changed()]
  expect(changed.filter(({ person }) => person.endUserId === 'eu_1')).toEqual(
    of1().map((entry) => entry.changed),
  )
  expect(changed).toHaveLength(2 * sourcesMax + 4)
})

test('the usage of an end user and the usage of a key line are separate entries of a slot', () => {
  const slots = new SourceSlots(7)
  slots.add([usageOf(1, 'key_"1', 1)])
  expect([slots.isNewerFor(needOf('eu_1')), slots.isNewerFor(lineOf('key_"1'))]).toEqual([false, true])
  expect(slots.isNewerFor(lineOf('key_2'))).toBe(false)
  slots.add([usageOf(1, null, 1)])
  expect(slots.isNewerFor(needOf('eu_1'))).toBe(true)
  const uses = '[["tokens","5h",null,[[0,"9007199254740992"]]]]'
  expect(slots.takeRows()).toEqual([
    {
      id: 0,
      cycle: 7,
      text: `[["eu_1","live",null,"key_\\"1",${uses}],["eu_1","live",null,"",${uses}]]`,
    },
  ])
})

test('longer usage leaves room for fewer end users in a slot, and usage that fills a slot is alone in the slot', () => {
  const slots = new SourceSlots(0)
  const counts = (): number[][] =>
    slots.takeRows().map(({ id, text }) => [id, (JSON.parse(text) as unknown[]).length])
  slots.add(Array.from({ length: 12 }, (_, at) => usageOf(at, null, 30)))
  expect(counts()).toEqual([
    [0, 4],
    [1, 4],
    [2, 4],
  ])
  slots.add([usageOf(20, null, 1_000)])
  expect(counts()).toEqual([[3, 1]])
  slots.add([usageOf(20, null, 1_001)])
  expect(counts()).toEqual([[3, 1]])
  slots.add([usageOf(21, null, 1)])
  expect(counts()).toEqual([[4, 1]])
})

test('if usage leaves room in its slots, further usage is accepted only if it fits into the empty slots', () => {
  const slots = new SourceSlots(0)
  let batches = 0
  for (; batches < 1_000; batches += 1) {
    const batch = Array.from({ length: 3 }, (_, at) => usageOf(3 * batches + at, null, 75))
    if (!slots.add(batch)) break
  }
  expect(Math.max(...idsOf(slots))).toBeLessThan(slotsMax)
  expect(batches).toBeGreaterThan(8)
})
