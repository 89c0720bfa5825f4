/** What a command sees of the world: a real terminal in main.ts, one in memory in tests. */
import type { Clock } from '#sdk/settings.ts'

export interface Terminal {
  /** Data, and nothing else. */
  readonly out: Screen
  /** Everything else: progress, hints, errors. */
  readonly err: Screen
  readonly input: Input
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that it was called in. */
  readonly folder: string
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** What the machine calls itself. */
  readonly hostName: string
  /** Shows an address in the browser of the person; false: there is none. */
  open(url: string): boolean
}

export interface Screen {
  write(text: string): void
  /** Waits until what was written is taken. */
  drained(): Promise<void>
  readonly isTerminal: boolean
  /** Columns of the terminal; null: it is none. */
  readonly columns: number | null
  readonly hasColour: boolean
}

export interface Input {
  readonly isTerminal: boolean
  /** All of it. @throws CommandError when the signal of the terminal is aborted */
  read(): Promise<Uint8Array>
  /**
   * A line that a person types, one question at a time; a secret is not shown. What was typed ahead is the answer.
   * @throws CommandError when the signal of the terminal is or becomes aborted, at Ctrl-C and at Ctrl-D
   */
  ask(question: string, options?: { readonly isSecret?: boolean }): Promise<string>
  /** Calls back when a line is typed, until the signal. */
  onLine(heard: () => void, until: AbortSignal): void
}

/** The sentence that a person reads when a command cannot go on, and how it ends. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/**
 * Exit codes, for scripts: docs/guides/command-line.md "Exit codes".
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

/** The command was called wrongly. */
export function usageError(message: string): CommandError {
  return new CommandError(message, exit.usage)
}

/** Ctrl-C, or what means the same, has ended what waited. */
export function interrupted(signal: AbortSignal): CommandError {
  return new CommandError('Interrupted.', exit.interrupted, { cause: signal.reason })
}
