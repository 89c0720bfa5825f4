/**
 * Starts `tollgate serve` on PostgreSQL, where a process counts as dead after a second and a half instead of twenty:
 * node serve-with-short-lease.ts <folder>. Only tests in which one process at a time is alive use this program, so that
 * a busy process never counts as dead.
 */
import { readConfig } from '#app/config.ts'
import { makeLog } from '#app/log.ts'
import { startTollgate } from '#app/start-tollgate.ts'

const [folder = ''] = process.argv.slice(2)
const tollgate = await startTollgate(readConfig(process.env, { data: folder, port: 0 }), makeLog('warn'), {
  startsTokenizer: false,
  postgres: { lease: { beatEveryMs: 100, silentMs: 1_500, sweepEveryMs: 300 } },
})
process.once('SIGTERM', () => void tollgate.close().then(() => process.exit(0)))
console.log(JSON.stringify({ baseUrl: tollgate.baseUrl, pid: process.pid, setup: tollgate.setup }))
