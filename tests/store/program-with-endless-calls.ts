/**
 * Makes endless calls on the store in a folder, and prints the ID of each settled call. restart-after-crash.test.ts
 * starts this program. With `moving`, the writer moves as often as possible, and the program prints each move for
 * writer-that-moves-between-threads.test.ts.
 */
import { writeSync } from 'node:fs'
import { openSqlite } from '#store/sqlite/open-sqlite-store.ts'
import { startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'

const [folder = '', how] = process.argv.slice(2)
const store = await openSqlite({
  folder,
  nowMs: () => startMs,
  ...(how === 'moving' && {
    writer: 'auto',
    choice: { committed: (_durationMs, _atMs, place) => (place === 'inline' ? 'thread' : 'inline') },
    onMoved: (place) => say(`moved ${place}`),
  }),
  onFatal: (error) => {
    throw error
  },
})
const world = new World(store, { nowMs: startMs })
await world.found()
await Promise.all(
  Array.from({ length: 16 }, async () => {
    const caller = await world.person(1_000_000_000n)
    for (;;) {
      const request = world.request(caller, { input: 10, output: 10 })
      await world.reserve(request)
      await world.settle(request, { input: 10, output: 5 })
      say(request.callId)
    }
  }),
)

/**
 * This process may be killed at any time, so the line is written immediately. While the pipe is full, the write is
 * repeated.
 */
function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`)
      return
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
    }
  }
}
