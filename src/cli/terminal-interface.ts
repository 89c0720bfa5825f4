/** The environment in which a command runs: a real terminal in main.ts, and a terminal in memory in tests. */
import type { Clock } from '#sdk/settings.ts'

export interface Terminal {
  readonly out: Screen
  readonly err: Screen
  readonly input: Input
  readonly env: Readonly<Record<string, string | undefined>>
  readonly folder: string
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly hostName: string
  open(url: string): boolean
}

export interface Screen {
  write(text: string): void
  drained(): Promise<void>
  readonly isTerminal: boolean
  /** Null if the output is not a terminal. */
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
   * A secret is not shown while it is typed. Text that the user typed before the question counts as the answer.
   * @throws CommandError if the terminal's signal is aborted, or if the user presses Ctrl-C or Ctrl-D
   */
  ask(question: string, options?: { readonly isSecret?: boolean }): Promise<string>
  /** Calls the callback for each typed line, until the signal is aborted. */
  onLine(heard: () => void, until: AbortSignal): void
}

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

export function usageError(message: string): CommandError {
  return new CommandError(message, exit.usage)
}

export function interrupted(signal: AbortSignal): CommandError {
  return new CommandError('Interrupted.', exit.interrupted, { cause: signal.reason })
}
