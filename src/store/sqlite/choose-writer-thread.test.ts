import { expect, test } from 'vitest'
import { WriterChoiceByCommits, type WriterPlace } from './choose-writer-thread.ts'

interface Stretch {
  readonly seconds: number
  readonly commitsPerSecond: number
  readonly commitMs: (n: number) => number
}

const always =
  (ms: number): Stretch['commitMs'] =>
  () =>
    ms

/** Returns the moves of the writer, each with its time in seconds. */
function moves(...stretches: Stretch[]): [place: WriterPlace, second: number][] {
  const choice = new WriterChoiceByCommits()
  const found: [WriterPlace, number][] = []
  let place: WriterPlace = 'inline'
  let atMs = 1_000_000
  const startMs = atMs
  for (const { seconds, commitsPerSecond, commitMs } of stretches) {
    const untilMs = atMs + seconds * 1_000
    for (let n = 0; atMs < untilMs; n++) {
      atMs += 1_000 / commitsPerSecond
      const next = choice.committed(commitMs(n), atMs, place)
      if (next !== place) found.push([next, Math.round((atMs - startMs) / 1_000)])
      place = next
    }
  }
  return found
}

const fast = { commitsPerSecond: 400, commitMs: always(0.4) }
const slow = { commitsPerSecond: 150, commitMs: always(5) }

test('if the disk is fast, the ledger stays on the main thread', () => {
  expect(moves({ ...fast, seconds: 600 })).toEqual([])
})

test('if the disk stays slow, the ledger moves to a separate thread after ten seconds and is not moved back', () => {
  expect(moves({ ...slow, seconds: 600 })).toEqual([['thread', 10]])
})

test('if the disk becomes slow, the ledger moves to a separate thread, and a minute after the disk is fast again, the ledger moves back', () => {
  const found = moves({ ...fast, seconds: 60 }, { ...slow, seconds: 60 }, { ...fast, seconds: 120 })
  expect(found.map(([place]) => place)).toEqual(['thread', 'inline'])
  const [leftAt = 0, backAt = 0] = found.map(([, second]) => second)
  expect(leftAt).toBeGreaterThan(65)
  expect(leftAt).toBeLessThan(80)
  expect(backAt).toBeGreaterThanOrEqual(180)
  expect(backAt).toBeLessThan(195)
})

test('a short burst of slow or fast commits does not move the ledger', () => {
  const gusts = Array.from({ length: 10 }, () => [
    { ...fast, seconds: 20 },
    { ...slow, seconds: 4 },
  ]).flat()
  expect(moves(...gusts)).toEqual([])
  const lulls = Array.from({ length: 10 }, () => [
    { ...slow, seconds: 20 },
    { ...fast, seconds: 30 },
  ]).flat()
  expect(moves(...lulls)).toEqual([['thread', 10]])
})

test('single slow commits do not move the ledger, regardless of how slow they are', () => {
  expect(moves({ seconds: 600, commitsPerSecond: 200, commitMs: (n) => (n % 5 === 0 ? 200 : 0.5) })).toEqual(
    [],
  )
})

test('commits whose durations are between the two limits do not move the ledger', () => {
  const between = { seconds: 600, commitsPerSecond: 200, commitMs: always(1.5) }
  expect(moves(between)).toEqual([])
  expect(moves({ ...slow, seconds: 20 }, between)).toEqual([['thread', 10]])
})

test('if fast and slow commits alternate, the ledger is not moved', () => {
  // Commit times that were recorded on one machine, while it was quiet and while it was busy.
  const quiet = [0.45, 0.61, 0.88, 0.52, 0.7]
  const busy = [3.8, 6.6, 4.2, 5.1, 3.9]
  const commit = (from: number[]) => (n: number) => from[n % from.length] ?? 0
  const found = moves(
    { seconds: 300, commitsPerSecond: 300, commitMs: commit(quiet) },
    { seconds: 300, commitsPerSecond: 100, commitMs: commit(busy) },
    { seconds: 300, commitsPerSecond: 300, commitMs: commit(quiet) },
  )
  expect(found.map(([place]) => place)).toEqual(['thread', 'inline'])
})

test('commits that take exactly as long as a limit do not move the ledger', () => {
  const at = (ms: number) => ({ seconds: 200, commitsPerSecond: 100, commitMs: always(ms) })
  expect(moves(at(2))).toEqual([])
  expect(moves(at(2.01))).toHaveLength(1)
  expect(moves({ ...slow, seconds: 12 }, at(1))).toHaveLength(1)
  expect(moves({ ...slow, seconds: 12 }, at(0.99))).toHaveLength(2)
})

test('on a quiet server, a window of measurement lasts until it contains enough commits', () => {
  // At one commit every five seconds, a window of 32 commits lasts 160 seconds. The ledger moves after two windows.
  expect(moves({ seconds: 200, commitsPerSecond: 0.2, commitMs: always(9) })).toEqual([])
  expect(moves({ seconds: 400, commitsPerSecond: 0.2, commitMs: always(9) })).toEqual([['thread', 320]])
})

test('if a move of the ledger fails, the move is requested again, but not after every commit', () => {
  const choice = new WriterChoiceByCommits()
  const asked: number[] = []
  for (let n = 0; n < 3_000; n++) {
    if (choice.committed(5, n * 10, 'inline') === 'thread') asked.push(Math.round(n / 100))
  }
  expect(asked).toEqual([10, 20])
})
