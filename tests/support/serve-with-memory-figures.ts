/**
 * Start with: node --expose-gc serve-with-memory-figures.ts <folder>. On SIGUSR2, the process collects all garbage, and
 * prints the used heap and the open handles as a line of JSON. On SIGWINCH, the process writes a heap snapshot, and
 * prints the path of the snapshot.
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { getHeapSpaceStatistics, writeHeapSnapshot } from 'node:v8'
import { readConfig } from '#app/server-configuration.ts'
import { makeLog } from '#app/server-log.ts'
import { startTollgate } from '#app/start-tollgate.ts'

const [folder = ''] = process.argv.slice(2)
const tollgate = await startTollgate(readConfig(process.env, { data: folder, port: 0 }), makeLog('warn'))
process.once('SIGTERM', () => void tollgate.close().then(() => process.exit(0)))
process.on('SIGUSR2', () => void printFigures())
process.on('SIGWINCH', () =>
  console.log(JSON.stringify({ path: writeHeapSnapshot(join(folder, 'server.heapsnapshot')) })),
)
console.log(JSON.stringify({ baseUrl: tollgate.baseUrl, pid: process.pid, setup: tollgate.setup }))

async function printFigures(): Promise<void> {
  for (let n = 0; n < 4; n++) {
    globalThis.gc?.()
    // Let finalizers run between two garbage collections.
    // oxlint-disable-next-line no-await-in-loop -- one collection after the other
    await delay(20)
  }
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  const handles = process.getActiveResourcesInfo().length
  const codeBytes = getHeapSpaceStatistics()
    .filter(({ space_name: name }) => /^(?:code|trusted)_/.test(name))
    .reduce((sum, { space_used_size: bytes }) => sum + bytes, 0)
  console.log(JSON.stringify({ heapBytes: heapUsed + arrayBuffers, codeBytes, handles }))
}
