import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'

export interface Child {
  readonly pid: number
  readonly greeting: Record<string, unknown>
  /** Time from the start of the process until it printed the JSON object. */
  readonly startMs: number
  /** Sends SIGTERM, then SIGKILL after `graceMs`, and resolves when the process has ended. */
  stop(graceMs?: number): Promise<void>
}

const running = new Set<ChildProcess>()

// `exit` is also emitted after an uncaught error, so a child keeps running only if the benchmark itself is ended by
// SIGKILL.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

/**
 * Starts a process and waits for the first line of its standard output, which contains one JSON object.
 * @param logPath file for the standard error of the process, which is shown if the process does not start
 */
export async function startChild({
  command,
  args,
  env,
  logPath,
  timeoutMs = 60_000,
}: {
  command: string
  args: readonly string[]
  env: Record<string, string | undefined>
  logPath: string
  timeoutMs?: number
}): Promise<Child> {
  const log = openSync(logPath, 'a')
  const startedMs = performance.now()
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', log] })
  closeSync(log)
  running.add(child)
  child.once('exit', () => running.delete(child))
  const greeting = await firstLine(child, timeoutMs).catch((cause: unknown) => {
    child.kill('SIGKILL')
    throw new Error(`start ${command} ${args.join(' ')}:\n${readFileSync(logPath, 'utf8').slice(-2000)}`, {
      cause,
    })
  })
  const startMs = performance.now() - startedMs
  const { pid } = child
  if (pid === undefined) throw new Error(`start ${command}: no process id`)
  return { pid, greeting, startMs, stop: (graceMs = 20_000) => stop(child, graceMs) }
}

async function stop(child: ChildProcess, graceMs: number): Promise<void> {
  if (!running.has(child)) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await gone
  clearTimeout(timer)
}

function firstLine(child: ChildProcess, timeoutMs: number): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(() => reject(new Error(`nothing printed in ${timeoutMs} ms`)), timeoutMs)
    child.once('error', reject)
    child.once('exit', (code, signal) => reject(new Error(`it ended with ${code ?? signal}`)))
    const read = (bytes: Buffer) => {
      text += bytes.toString()
      const end = text.indexOf('\n')
      if (end < 0) return
      clearTimeout(timer)
      child.stdout?.off('data', read)
      // A full pipe would stop the process, so read all further output.
      child.stdout?.resume()
      try {
        const value: unknown = JSON.parse(text.slice(0, end))
        if (!isObject(value)) throw new Error('not an object')
        resolve(value)
      } catch (cause) {
        reject(new Error('the first line of its standard output is not a JSON object', { cause }))
      }
    }
    child.stdout?.on('data', read)
  })
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The error names the type of the value that was found, but never the value itself. */
export function textAt(object: Record<string, unknown>, name: string): string {
  const value = object[name]
  if (typeof value !== 'string') throw new Error(`no "${name}" among ${Object.keys(object).join(', ')}`)
  return value
}
