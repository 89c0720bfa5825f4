/** The terminal is in memory, and the command line calls the control plane without a socket. */
import { rmSync } from 'node:fs'
import { runCommand } from '#cli/run-command.ts'
import type { Terminal } from '#cli/terminal-interface.ts'
import type { Control } from './control-plane-without-socket.ts'
import { newDataFolder } from './data-folder.ts'

export interface Ran {
  readonly exitCode: number | null
  readonly out: string
  readonly err: string
}

export interface TerminalOptions {
  readonly fetch?: typeof fetch
  readonly env?: Readonly<Record<string, string>>
  /** Null if the output is piped. */
  readonly columns?: number | null
  readonly hasColour?: boolean
  readonly input?: string | Uint8Array
  readonly typed?: readonly string[]
  readonly clock?: Partial<Terminal['clock']>
  readonly signal?: AbortSignal
  /** If omitted, the command finds no browser. */
  readonly opened?: string[]
}

export interface CommandLine {
  readonly home: string
  /** @param argv the arguments without the program */
  run(argv: readonly string[], options?: TerminalOptions): Promise<Ran>
  close(): void
}

/** The options of a single run override `always`. */
export function commandLine(always: TerminalOptions = {}): CommandLine {
  const home = newDataFolder('cli')
  return {
    home,
    async run(argv, own = {}) {
      const options = { ...always, ...own, env: { HOME: home, ...always.env, ...own.env } }
      const written = { out: '', err: '' }
      const exitCode = await runCommand(argv, terminalOf(written, home, options))
      return { exitCode, ...written }
    },
    close: () => rmSync(home, { recursive: true, force: true }),
  }
}

function terminalOf(
  written: { out: string; err: string },
  folder: string,
  options: TerminalOptions,
): Terminal {
  const { clock, columns = null, hasColour = false, input = '', opened, typed, signal } = options
  const lines = [...(typed ?? [])]
  const screen = (name: 'out' | 'err'): Terminal['out'] => ({
    write: (text) => void (written[name] += text),
    drained: async () => {},
    isTerminal: columns !== null,
    columns,
    hasColour,
  })
  return {
    out: screen('out'),
    err: screen('err'),
    input: {
      isTerminal: typed !== undefined,
      read: async () => (typeof input === 'string' ? new TextEncoder().encode(input) : input),
      async ask(question) {
        const line = lines.shift() ?? ''
        written.err += `${question}${line}\n`
        return line
      },
      onLine() {},
    },
    env: options.env ?? {},
    folder,
    fetch: options.fetch ?? (() => Promise.reject(new Error('this test has no server'))),
    clock: { now: Date.now, random: () => 0, sleep: async () => {}, ...clock },
    signal: signal ?? new AbortController().signal,
    hostName: 'laptop',
    open: (url) => opened !== undefined && opened.push(url) > 0,
  }
}

/** Calls the control plane without a socket. @param headers additional headers, like the cookies of a browser */
export function fetchOf(control: Control, headers: Readonly<Record<string, string>> = {}): typeof fetch {
  return async (url, init = {}) => {
    const { body, method = 'GET', signal } = init
    signal?.throwIfAborted()
    const { pathname, search } = new URL(url instanceof Request ? url.url : url)
    const sent = { ...Object.fromEntries(new Headers(init.headers)), ...headers }
    const type = sent['content-type'] ?? ''
    const answer = await control.call(method, `${pathname}${search}`, {
      token: null,
      headers: sent,
      ...(typeof body === 'string' && { body }),
      ...(body instanceof Uint8Array && { file: { type, bytes: body } }),
    })
    return new Response(answer.text, { status: answer.status, headers: answer.headers })
  }
}
