/**
 * Starts `tollgate serve` with emitters that post to the tests' receiver: node run-tollgate-that-posts-to-receiver.ts
 * <folder> <port>. On PostgreSQL, a process counts as dead after 1.5 seconds of silence.
 */
import { readConfig } from '#app/server-configuration.ts'
import { makeLog } from '#app/server-log.ts'
import { startTollgate } from '#app/start-tollgate.ts'
import { receiverConnector } from './receiver-of-usage-events.ts'

const [folder = '', port = ''] = process.argv.slice(2)
const tollgate = await startTollgate(readConfig(process.env, { data: folder, port: 0 }), makeLog('warn'), {
  startsTokenizer: false,
  outbound: { connector: receiverConnector(Number(port)) },
  postgres: { lease: { beatEveryMs: 100, silentMs: 1_500, sweepEveryMs: 300 } },
})
process.once('SIGTERM', () => void tollgate.close().then(() => process.exit(0)))
console.log(JSON.stringify({ baseUrl: tollgate.baseUrl, pid: process.pid, setup: tollgate.setup }))
