/** The real terminal: the streams of this process, its clock and its signals. */
import { spawn } from 'node:child_process'
import { hostname } from 'node:os'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { isatty } from 'node:tty'
import { wantsColour } from './output/style.ts'
import { CommandError, exit, type Input, type Screen, type Terminal } from './terminal.ts'

const { env, stderr, stdin, stdout } = process
let interruption: AbortController | undefined

export function processTerminal(): Terminal {
  // Whoever reads no more, such as `head`, has what they wanted.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  return {
    out: screenOf(stdout, 1),
    err: screenOf(stderr, 2),
    input: inputOf(),
    env,
    folder: process.cwd(),
    fetch: (url, init) => fetch(url, init),
    clock: { now: Date.now, random: Math.random, sleep },
    // Only what waits listens: a server ends by signals of its own.
    get signal() {
      return interrupted()
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
  return {
    isTerminal: isatty(0),
    async read() {
      const pieces: Buffer[] = []
      for await (const piece of stdin) pieces.push(Buffer.from(piece))
      return new Uint8Array(Buffer.concat(pieces))
    },
    async ask(question, { isSecret = false } = {}) {
      // What is typed is echoed to `output`, so a secret has one that shows nothing.
      const output = isSecret ? new Writable({ write: (_, __, done) => done() }) : stderr
      const lines = createInterface({ input: stdin, output, terminal: true })
      lines.on('SIGINT', () => {
        // The prompt of the shell is on a line of its own.
        stderr.write('\n')
        process.exit(exit.interrupted)
      })
      if (isSecret) stderr.write(question)
      try {
        return await new Promise((resolve, reject) => {
          // Ctrl-D is no answer: an empty line is one, and may mean yes.
          lines.once('close', () => reject(new CommandError('Interrupted.', exit.interrupted)))
          lines.question(isSecret ? '' : question, resolve)
        })
      } finally {
        lines.close()
        if (isSecret) stderr.write('\n')
      }
    },
    onLine(heard, until) {
      const lines = createInterface({ input: stdin })
      lines.once('line', heard)
      until.addEventListener('abort', () => lines.close(), { once: true })
    },
  }
}

/** From the first that asks on, Ctrl-C cancels what is under way; a second one ends the process. */
function interrupted(): AbortSignal {
  if (!interruption) {
    const made = (interruption = new AbortController())
    process.once('SIGINT', () => {
      made.abort()
      process.once('SIGINT', () => process.exit(130))
    })
  }
  return interruption.signal
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
  })
}

function open(url: string): boolean {
  // Over a remote shell there is a browser at the other end only.
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
