import { ConfigFaults, readConfig, type Config } from '#app/server-configuration.ts'
import { makeLog } from '#app/server-log.ts'
import { supervise } from '#app/supervise-workers.ts'
import { startTollgate, type Tollgate } from '#app/start-tollgate.ts'
import { isWorker, onStop, siblingsOfWorker, tellReady } from '#app/messages-to-supervisor.ts'
import { sentenceOf } from './run-on-store.ts'
import { warmUp } from '#cli/warm-up/compile-hot-path.ts'

export interface ServeOptions {
  readonly data?: string
  readonly port?: number
  readonly json?: boolean
  readonly workers?: number
}

/** `tollgate serve`: runs the server without creating a first application, for scripts, containers and supervisors. */
export async function serve(options: ServeOptions): Promise<void> {
  if (isWorker) return serveAsWorker(options)
  if (options.workers === undefined) return tellServing(options, await started(options))
  const supervised = await orSentence(() => {
    const { config, log } = settings(options, false)
    return supervise({ config, data: options.data, log, workers: options.workers ?? 1 })
  })
  endsOnSignals(
    () => supervised.stop(),
    () => supervised.kill(),
  )
  if (!(await orSentence(() => supervised.allReady))) return
  process.on('SIGHUP', () => {
    // A new worker that fails to start logs the reason. The old workers continue.
    supervised.replace().catch(() => {})
  })
  tellServing(options, supervised)
}

function tellServing({ json }: ServeOptions, { baseUrl, setup }: Pick<Tollgate, 'baseUrl' | 'setup'>): void {
  if (json) {
    console.log(JSON.stringify({ baseUrl, pid: process.pid, setup }))
    return
  }
  console.log(`Tollgate is running at ${baseUrl} (API description: ${baseUrl}/v1/openapi.json).`)
  if (setup) {
    console.log(
      `\nThis is the first start with this store. The token of the organization ${setup.organizationId}, shown only once:\n\n  ${setup.token}\n\nSign-in link for the first owner. The link works once, within one hour (tollgate setup-link creates a new link):\n\n  ${setup.setupUrl}\n`,
    )
  }
}

/**
 * Starts the server, and stops it cleanly on signals. A configuration error is printed as a sentence, without a stack.
 */
export async function started(options: ServeOptions, isQuiet = false): Promise<Tollgate> {
  const tollgate = await orSentence(async () => {
    const { config, log } = settings(options, isQuiet)
    if (config.warmsUp) await warmUp(config, log)
    return startTollgate(config, log)
  })
  // A second signal ends the program immediately.
  endsOnSignals(
    () => tollgate.close(),
    () => process.exit(130),
  )
  return tollgate
}

/** The worker stops on a message of its supervisor, or on a signal. A terminal sends its signals to all workers. */
async function serveAsWorker(options: ServeOptions): Promise<void> {
  // The supervisor gets the same signal and replaces its workers. By default, SIGHUP would end the worker immediately.
  process.on('SIGHUP', () => {})
  // Before the server has started, a stop ends the worker immediately.
  let stop = (): void => process.exit(0)
  onStop(() => stop())
  const tollgate = await orSentence(async () => {
    const { config, log } = settings(options, false)
    if (config.warmsUp) await warmUp(config, log)
    return startTollgate(config, log, { siblings: siblingsOfWorker() })
  })
  stop = endsOnSignals(
    () => tollgate.close(),
    () => {},
  )
  tellReady(tollgate)
}

function endsOnSignals(close: () => Promise<void>, again: () => void): () => void {
  let isStopping = false
  const stop = (): void => {
    if (isStopping) return again()
    isStopping = true
    void close().then(
      () => process.exit(0),
      (cause: unknown) => {
        console.error(cause)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return stop
}

function settings(
  { data, port }: ServeOptions,
  isQuiet: boolean,
): { config: Config; log: ReturnType<typeof makeLog> } {
  const given = readConfig(process.env, {
    ...(data === undefined ? {} : { data }),
    ...(port === undefined ? {} : { port }),
  })
  // In `start`, a person is waiting for the first response, so there is no warm-up.
  const config = { ...given, warmsUp: given.warmsUp && !isQuiet }
  const isTold = (process.env.TOLLGATE_LOG_LEVEL ?? '') !== ''
  return { config, log: makeLog(isQuiet && !isTold ? 'warn' : config.logLevel) }
}

async function orSentence<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (cause) {
    const isMendable =
      cause instanceof ConfigFaults || (cause instanceof Error && !(cause instanceof TypeError))
    console.error(isMendable ? `tollgate: ${sentenceOf(cause)}` : cause)
    process.exit(1)
  }
}
