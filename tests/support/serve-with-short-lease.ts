/**
 * Starts `tollgate serve` on PostgreSQL with a short lease, so that a process counts as dead after 1.5 instead of 20
 * seconds: node serve-with-short-lease.ts <folder>. Use this only with one live process at a time, because a busy
 * process could count as dead.
 */
import { readConfig } from '#app/server-configuration.ts'
import { makeLog } from '#app/server-log.ts'
import { startTollgate } from '#app/start-tollgate.ts'

const [folder = ''] = process.argv.slice(2)
const tollgate = await startTollgate(readConfig(process.env, { data: folder, port: 0 }), makeLog('warn'), {
  startsTokenizer: false,
  postgres: { lease: { beatEveryMs: 100, silentMs: 1_500, sweepEveryMs: 300 } },
})
process.once('SIGTERM', () => void tollgate.close().then(() => process.exit(0)))
console.log(JSON.stringify({ baseUrl: tollgate.baseUrl, pid: process.pid, setup: tollgate.setup }))
