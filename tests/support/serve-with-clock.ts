/**
 * Starts `tollgate serve` with a wall clock that a test moves: node serve-with-clock.ts <folder> <file>. On SIGUSR2,
 * the process reads the offset of its clock in milliseconds from the file. The monotonic clock does not change, as
 * after a real change of the wall clock.
 */
import { readFileSync } from 'node:fs'

const [folder = '', file = ''] = process.argv.slice(2)
const realNow = Date.now.bind(Date)
let offsetMs = 0
Date.now = () => realNow() + offsetMs
process.on('SIGUSR2', () => {
  offsetMs = Number(readFileSync(file, 'utf8'))
  console.log(String(offsetMs))
})

// The modules below may keep a reference to the clock, so they are loaded after the clock was replaced.
const { readConfig } = await import('#app/server-configuration.ts')
const { makeLog } = await import('#app/server-log.ts')
const { startTollgate } = await import('#app/start-tollgate.ts')
const tollgate = await startTollgate(readConfig(process.env, { data: folder, port: 0 }), makeLog('warn'))
process.once('SIGTERM', () => void tollgate.close().then(() => process.exit(0)))
console.log(JSON.stringify({ baseUrl: tollgate.baseUrl, pid: process.pid, setup: tollgate.setup }))
