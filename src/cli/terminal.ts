/** The environment of a command: a real terminal in main.ts, and one in memory in tests. */
import type { Clock } from '#sdk/settings.ts'

export interface Terminal {
  /** Data only. */
  readonly out: Screen
  /** Progress, hints and errors. */
  readonly err: Screen
  readonly input: Input
  readonly env: Readonly<Record<string, string | undefined>>
  /** The current folder. */
  readonly folder: string
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** The host name of the machine. */
  readonly hostName: string
  /** Opens an address in the user's browser. Returns false if no browser was found. */
  open(url: string): boolean
}

export interface Screen {
  write(text: string): void
  /** Waits until all output is written. */
  drained(): Promise<void>
  readonly isTerminal: boolean
  /** Width of the terminal. Null if it is no terminal. */
  readonly columns: number | null
  readonly hasColour: boolean
}

export interface Input {
  readonly isTerminal: boolean
  /** Reads all input. @throws CommandError if the terminal's signal is aborted */
  read(): Promise<Uint8Array>
  /**
   * Reads a typed line, one question at a time. A secret is not shown. Text that was typed ahead is the answer.
   * @throws CommandError if the terminal's signal is or becomes aborted, at Ctrl-C and at Ctrl-D
   */
  ask(question: string, options?: { readonly isSecret?: boolean }): Promise<string>
  /** Calls back when a line is typed, until the signal is aborted. */
  onLine(heard: () => void, until: AbortSignal): void
}

/** The message if a command cannot continue, and its exit code. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/**
 * Exit codes, for scripts: docs/reference/commands.md "Exit codes".
 */
export const exit = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  signIn: 4,
  refused: 5,
  conflict: 6,
  rateLimited: 7,
  unreachable: 8,
  interrupted: 130,
} as const

/** Returns the error for incorrect usage of a command. */
export function usageError(message: string): CommandError {
  return new CommandError(message, exit.usage)
}

/** Returns the error after Ctrl-C or an equivalent signal has canceled the wait. */
export function interrupted(signal: AbortSignal): CommandError {
  return new CommandError('Interrupted.', exit.interrupted, { cause: signal.reason })
}
