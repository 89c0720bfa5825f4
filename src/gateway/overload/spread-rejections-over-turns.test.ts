import { expect, test } from 'vitest'
import { SpreadRejections } from './spread-rejections-over-turns.ts'

function rejections(perTurnMin: number) {
  const clock = { turn: 0 }
  const gone = new Set<number>()
  const seen: number[] = []
  const own = new SpreadRejections<{ readonly n: number; readonly isGone: () => boolean }>(
    perTurnMin,
    () => clock.turn,
    ({ n }) => void seen.push(n),
  )
  const add = (from: number, to: number): void => {
    for (let n = from; n < to; n++) own.add({ n, isGone: () => gone.has(n) })
  }
  return { add, clock, gone, own, seen }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

test('a few requests in a turn are rejected immediately, and further requests in the following turns in the order of arrival', async () => {
  const { add, clock, seen } = rejections(10)
  add(0, 25)
  expect(seen).toEqual(upTo(10))
  await nextTurn()
  expect(seen).toEqual(upTo(20))
  // A request that arrives later is not rejected before the waiting requests.
  clock.turn = 1
  add(25, 26)
  expect(seen).toEqual(upTo(20))
  await nextTurn()
  expect(seen).toEqual(upTo(26))
  clock.turn = 2
  add(26, 37)
  expect(seen).toEqual(upTo(36))
  await nextTurn()
  expect(seen).toEqual(upTo(37))
})

test('if very many requests wait, each turn rejects a sixteenth of them', async () => {
  const { add, seen } = rejections(10)
  add(0, 1_610)
  await nextTurn()
  expect(seen).toEqual(upTo(10 + 100))
  await nextTurn()
  expect(seen).toEqual(upTo(110 + 94))
})

test('a request whose client has disconnected is not rejected, and a stopping server rejects all waiting requests', async () => {
  const { add, gone, own, seen } = rejections(2)
  add(0, 6)
  gone.add(3)
  own.rejectAll()
  expect(seen).toEqual([0, 1, 2, 4, 5])
  await nextTurn()
  expect(seen).toHaveLength(5)
})
