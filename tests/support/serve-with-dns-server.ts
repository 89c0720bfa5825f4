/**
 * Starts `tollgate serve` so that the server resolves names with the tests' DNS server: node serve-with-dns-server.ts
 * <folder> <address>.
 */
import { readConfig } from '#app/server-configuration.ts'
import { makeLog } from '#app/server-log.ts'
import { startTollgate } from '#app/start-tollgate.ts'

const [folder = '', dns = ''] = process.argv.slice(2)
const tollgate = await startTollgate(readConfig(process.env, { data: folder, port: 0 }), makeLog('info'), {
  names: { servers: [dns], timeoutMs: 2_000, hostsFile: '/none', resolverFile: '/none' },
})
process.once('SIGTERM', () => void tollgate.close().then(() => process.exit(0)))
console.log(JSON.stringify({ baseUrl: tollgate.baseUrl, pid: process.pid, setup: tollgate.setup }))
