/**
 * Makes the engine compile the hot path before the server listens. Otherwise, each of the first few thousand calls
 * would use up to twice as much CPU as later calls. After a rolling restart under load, end users would notice these
 * slow calls.
 *
 * The calls go through a separate server with a temporary store, and leave nothing in the real server. A separate
 * thread acts as the provider and the clients. It uses a second core and does not affect how the engine compiles the
 * main thread's functions.
 */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { readConfig, type Config } from '#app/server-configuration.ts'
import { makeLog } from '#app/server-log.ts'
import { startTollgate, type Tollgate } from '#app/start-tollgate.ts'
import { routeOf } from '#cli/api-client.ts'
import { firstRequest, performed, type Choices } from '#cli/operations/recipe-of-first-request.ts'
import { operationById } from '#cli/operations/operation-table.ts'
import type { Logger } from '#domain/log-interface.ts'
import { gatewayOf } from '#sdk/clients.ts'
import { Sender } from '#sdk/sender.ts'
import { createKeysInGroups } from './create-keys-in-groups.ts'
import type { Traffic } from './traffic-thread.ts'

const slug = 'warm-up'
const model = 'warm-up/model'
const bundle = 'all'
/** The engine compiles the look-up of a key only after many different keys. */
const endUsers = Array.from({ length: 100 }, (_, at) => `end-user-${at}`)
const creditMicros = '1000000000'
const microsPerMillionTokens = '1000000'

export const warmingUp = 'warming up before listening; TOLLGATE_WARM_UP=false skips this'

/** A failure is logged and does not stop the start. */
export async function warmUp(config: Config, log: Logger): Promise<void> {
  log.info({}, warmingUp)
  let folder = ''
  const leave = (): void => process.exit(130)
  const remove = (): void => {
    if (folder !== '') rmSync(folder, { recursive: true, force: true })
  }
  process.on('exit', remove)
  process.on('SIGTERM', leave)
  process.on('SIGINT', leave)
  const thread = new Worker(new URL('./traffic-thread.ts', import.meta.url))
  try {
    const isUp = once(thread, 'message')
    folder = await mkdtemp(join(tmpdir(), 'tollgate-warm-up-'))
    const server = await startTollgate(configFor(folder, config), makeLog('silent'), {
      startsTokenizer: false,
    })
    try {
      const [providerUrl] = (await isUp) as [string]
      const traffic = await setUp(server, providerUrl)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      thread.postMessage(traffic)
      await once(thread, 'message')
    } finally {
      await server.close()
    }
  } catch (err) {
    log.warn({ err }, 'the warm-up failed; the first requests will take longer')
  } finally {
    await thread.terminate()
    process.off('SIGTERM', leave)
    process.off('SIGINT', leave)
    process.off('exit', remove)
    remove()
  }
}

/** Keeps only the settings of the ledger's writer (`TOLLGATE_WRITER`) and of the HTTP reader (`TOLLGATE_HTTP_EDGE`). */
function configFor(folder: string, { httpEdge, writer }: Config): Config {
  return readConfig({
    TOLLGATE_DATA: folder,
    TOLLGATE_LISTEN: '127.0.0.1:0',
    TOLLGATE_ALLOW_PRIVATE_PROVIDERS: 'true',
    TOLLGATE_CONTROL_RATE: '0',
    TOLLGATE_WRITER: writer,
    TOLLGATE_HTTP_EDGE: httpEdge,
  })
}

async function setUp({ baseUrl, setup }: Tollgate, providerUrl: string): Promise<Traffic> {
  const sender = new Sender({ baseUrl, token: setup?.token ?? '', app: slug, mode: 'live' })
  const call = (operation: string, input: object): Promise<unknown> =>
    sender.call(routeOf(operationById(operation)), input)
  const { application } = await performed(firstRequest(choicesFor(providerUrl)), call)
  const keys = await createKeysInGroups(endUsers, (endUserId) =>
    call('keys.mint', { endUserId, name: 'warm-up' }),
  )
  const credit = { amountUnits: creditMicros, reason: 'warm-up', idempotencyKey: 'warm-up' }
  await call('grants.issue', { ...credit, endUsers })
  return {
    gateway: gatewayOf(application),
    model,
    // The cast is safe, because keys.mint returns a key.
    keys: keys.map((key) => (key as { readonly key: string }).key),
  }
}

function choicesFor(providerUrl: string): Choices {
  return {
    application: { slug, name: slug },
    provider: { label: 'thread', kind: 'openai_compatible', baseUrl: providerUrl, apiKey: 'sk-none' },
    models: [
      {
        name: model,
        upstream: 'model',
        price: {
          input: microsPerMillionTokens,
          cacheRead: microsPerMillionTokens,
          cacheWrite: microsPerMillionTokens,
          cacheWriteLong: microsPerMillionTokens,
          output: microsPerMillionTokens,
        },
      },
    ],
    bundles: [{ slug: bundle, displayName: bundle, allow: [model] }],
  }
}
