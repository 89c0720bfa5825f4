/** The environment in which a command runs: a real terminal in main.ts, and a terminal in memory in tests. */
import type { Clock } from '#sdk/settings.ts'

export interface Terminal {
  /** Writes the data that the command outputs, to standard output. */
  readonly out: Screen
  /** Writes progress, hints and errors. */
  readonly err: Screen
  readonly input: Input
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder in which the command runs. */
  readonly folder: string
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** Aborted when the user presses Ctrl-C. */
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
  /** Width of the terminal, in columns. Null if the output is not a terminal. */
  readonly columns: number | null
  readonly hasColour: boolean
}

export interface Input {
  readonly isTerminal: boolean
  /**
   * Reads standard input until its end.
   * @throws CommandError if the terminal's signal is aborted
   */
  read(): Promise<Uint8Array>
  /**
   * Asks a question and reads the line that the user types, one question at a time. A secret is not shown while it is
   * typed. Text that the user typed before the question counts as the answer.
   * @throws CommandError if the terminal's signal is aborted, or if the user presses Ctrl-C or Ctrl-D
   */
  ask(question: string, options?: { readonly isSecret?: boolean }): Promise<string>
  /** Calls the callback for each typed line, until the signal is aborted. */
  onLine(heard: () => void, until: AbortSignal): void
}

/** Thrown if a command cannot continue, with a message and an exit code. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** Exit codes for scripts; docs/reference/commands.md "Exit codes" lists them. */
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

/** Returns the error for a command that was used incorrectly. */
export function usageError(message: string): CommandError {
  return new CommandError(message, exit.usage)
}

/** Returns the error for a wait that Ctrl-C, or an equivalent signal, has canceled. */
export function interrupted(signal: AbortSignal): CommandError {
  return new CommandError('Interrupted.', exit.interrupted, { cause: signal.reason })
}
