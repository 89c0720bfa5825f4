/**
 * Runs a tenant that makes one call after another, and measures the duration of its calls and of `/health`. The honest
 * tenant and its provider run on a separate thread, so that the test's load does not delay the measurement.
 *
 * Each duration is measured as elapsed time, and as the processor time of the server's event loop during that time.
 * Other work of the machine does not change the processor time. If the event loop is busy with other calls for 100 ms,
 * a call takes 100 ms longer.
 */
import { once } from 'node:events'
import { get } from 'node:http'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { startFakeProvider } from './fake-provider.ts'
import { postAt } from './send-post-to-process-port.ts'
import { loopMsOf } from './process-measurements.ts'

export interface HonestPlace {
  readonly port: number
  readonly pid: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Asked {
  readonly status: number
  readonly wallMs: number
  readonly loopMs: number
}

export interface Measured {
  readonly calls: readonly Asked[]
  readonly health: readonly Asked[]
}

export interface HonestTenant {
  readonly providerUrl: string
  measure(places: readonly HonestPlace[], count: number): Promise<Measured>
  close(): Promise<void>
}

const pieces = 5
/** The time before each piece. */
const pieceMs = 10
export const providerMs = pieces * pieceMs

export async function startHonestTenant(): Promise<HonestTenant> {
  const worker = new Worker(fileURLToPath(import.meta.url))
  const [providerUrl] = (await once(worker, 'message')) as [string]
  return {
    providerUrl,
    async measure(places, count) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage({ places, count })
      const [found] = (await once(worker, 'message')) as [Measured]
      return found
    },
    async close() {
      await worker.terminate()
    },
  }
}

async function timed(pid: number, ask: () => Promise<number>): Promise<Asked> {
  const startedMs = performance.now()
  const beforeMs = loopMsOf(pid)
  const status = await ask()
  return { status, wallMs: performance.now() - startedMs, loopMs: loopMsOf(pid) - beforeMs }
}

async function healthAt(port: number): Promise<number> {
  const asking = get({ host: '127.0.0.1', port, path: '/health' })
  const [response] = await once(asking, 'response')
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  const provider = await startFakeProvider({ chunks: pieces, chunkDelayMs: pieceMs })
  port.on('message', (asked: { readonly places: readonly HonestPlace[]; readonly count: number }) => {
    void measured(asked).then((found) => port.postMessage(found))
  })
  port.postMessage(provider.baseUrl)
}

async function measured({
  count,
  places,
}: {
  readonly places: readonly HonestPlace[]
  readonly count: number
}): Promise<Measured> {
  const calls: Asked[] = []
  const health: Asked[] = []
  for (let call = 0; call < count; call++) {
    const place = places[call % places.length]
    if (place === undefined) continue
    const { body, headers, pid, port } = place
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    calls.push(
      await timed(pid, () =>
        postAt(port, body, headers).then(
          ({ status }) => status,
          () => 0,
        ),
      ),
    )
    // oxlint-disable-next-line no-await-in-loop -- as above
    health.push(await timed(pid, () => healthAt(port).catch(() => 0)))
  }
  return { calls, health }
}

if (!isMainThread && parentPort !== null) await serve(parentPort)
