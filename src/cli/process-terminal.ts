import { spawn } from 'node:child_process'
import { hostname } from 'node:os'
import { createInterface } from 'node:readline'
import { addAbortSignal } from 'node:stream'
import { isatty } from 'node:tty'
import { wantsColour } from './output/terminal-colors.ts'
import { exit, interrupted, type Input, type Screen, type Terminal } from './terminal-interface.ts'
import { TypedLines } from './terminal-input-lines.ts'

const { env, stderr, stdin, stdout } = process
let interruption: AbortController | undefined

export function processTerminal(): Terminal {
  // If the reader of the output stops reading, as `head` does, the command ends.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  // A command can continue without a reader of its messages.
  stderr.on('error', () => {})
  return {
    out: screenOf(stdout, 1),
    err: screenOf(stderr, 2),
    input: inputOf(),
    env,
    folder: process.cwd(),
    fetch: (url, init) => fetch(url, init),
    clock: { now: Date.now, random: Math.random, sleep },
    // Listen for signals only while a command waits, because a server has its own signal handlers.
    get signal() {
      return interruptionSignal()
    },
    hostName: hostname(),
    open,
  }
}

function screenOf(stream: NodeJS.WriteStream, descriptor: number): Screen {
  const isTerminal = isatty(descriptor)
  const told = Number(env['COLUMNS'])
  return {
    write: (text) => void stream.write(text),
    drained: () =>
      new Promise((resolve) => (stream.writableNeedDrain ? stream.once('drain', resolve) : resolve())),
    isTerminal,
    get columns() {
      if (!isTerminal) return null
      return Number.isSafeInteger(told) && told > 0 ? told : stream.columns || 80
    },
    hasColour: wantsColour(env, isTerminal),
  }
}

function inputOf(): Input {
  const lines = new TypedLines(stdin, stderr)
  return {
    isTerminal: isatty(0),
    async read() {
      const signal = interruptionSignal()
      const pieces: Buffer[] = []
      try {
        for await (const piece of addAbortSignal(signal, stdin)) pieces.push(Buffer.from(piece))
      } catch (error) {
        throw signal.aborted ? interrupted(signal) : error
      }
      return new Uint8Array(Buffer.concat(pieces))
    },
    ask: (question, { isSecret = false } = {}) => lines.next(question, isSecret, interruptionSignal()),
    onLine(heard, until) {
      const typed = createInterface({ input: stdin })
      typed.once('line', heard)
      until.addEventListener('abort', () => typed.close(), { once: true })
    },
  }
}

/**
 * The signal that Ctrl-C aborts. Before the first call of this function, and on a second Ctrl-C, the program ends
 * instead.
 */
function interruptionSignal(): AbortSignal {
  if (!interruption) {
    const made = (interruption = new AbortController())
    process.once('SIGINT', () => {
      made.abort()
      process.once('SIGINT', () => process.exit(exit.interrupted))
    })
  }
  return interruption.signal
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
  })
}

function open(url: string): boolean {
  // In a remote shell, the user's browser is on another machine.
  if (env['SSH_CONNECTION'] || (process.platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY'])) {
    return false
  }
  const [file, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url]
  const child = spawn(file, args, { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
  return true
}
