import { ConfigFaults, readConfig } from '#app/config.ts'
import { makeLog } from '#app/log.ts'
import { startTollgate } from '#app/tollgate.ts'
import type { Tollgate } from '#app/tollgate.ts'

export interface ServeOptions {
  readonly data?: string
  readonly port?: number
  readonly json?: boolean
}

/** `tollgate serve`: the server and nothing else; for scripts, containers and supervisors. */
export async function serve(options: ServeOptions): Promise<void> {
  const tollgate = await started(options)
  const { baseUrl, setup } = tollgate
  if (options.json) {
    console.log(JSON.stringify({ baseUrl, pid: process.pid, setup }))
    return
  }
  console.log(`Tollgate serves ${baseUrl} (description: ${baseUrl}/v1/openapi.json).`)
  if (setup) {
    console.log(
      `\nThis is the first start of this data folder. The token of organization ${setup.organizationId}, shown this once:\n\n  ${setup.token}\n`,
    )
  }
}

/** Starts the server and sees to it that signals end it well. A fault that a person can mend is told as a sentence, without a stack. */
export async function started(options: ServeOptions, isQuiet = false): Promise<Tollgate> {
  const tollgate = await open(options, isQuiet)
  let isStopping = false
  const stop = (): void => {
    // A second signal is a person who does not want to wait.
    if (isStopping) process.exit(130)
    isStopping = true
    void tollgate.close().then(
      () => process.exit(0),
      (cause: unknown) => {
        console.error(cause)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return tollgate
}

async function open({ data, port }: ServeOptions, isQuiet: boolean): Promise<Tollgate> {
  try {
    const config = readConfig(process.env, {
      ...(data === undefined ? {} : { data }),
      ...(port === undefined ? {} : { port }),
    })
    const isTold = process.env.TOLLGATE_LOG_LEVEL !== undefined
    return await startTollgate(config, makeLog(isQuiet && !isTold ? 'warn' : config.logLevel))
  } catch (cause) {
    const isMendable =
      cause instanceof ConfigFaults || (cause instanceof Error && !(cause instanceof TypeError))
    console.error(isMendable ? `tollgate: ${cause.message}` : cause)
    process.exit(1)
  }
}
