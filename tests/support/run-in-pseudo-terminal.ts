import xterm from '@xterm/headless'
import { spawn } from '@lydell/node-pty'
import { onTestFailed, onTestFinished } from 'vitest'
import { command } from './start-product.ts'

export interface Screen {
  /** Includes lines that have scrolled out of view. */
  lines(): string[]
  hasWrapped(): boolean
  /** Returns the positions whose color or weight is not the default. */
  styledText(): string[]
  /**
   * Resolves when the screen shows the text. @throws Error with the screen if the command ends before the text appears
   */
  shows(text: string | RegExp): Promise<string>
  type(text: string): void
  /**
   * Sends a signal only to the program, as another program does. In contrast, the key Ctrl-C reaches all programs of
   * the terminal.
   */
  kill(signal: 'SIGINT' | 'SIGUSR2'): void
  /** Resolves with the exit code. */
  readonly ended: Promise<number>
}

/** Prints the screen if the test fails, and ends the program when the test ends. */
export function onScreen(
  args: readonly string[],
  {
    columns,
    env,
    file = command,
  }: {
    readonly columns: number
    readonly env: Readonly<Record<string, string>>
    readonly file?: string
  },
): Screen {
  const { PATH = '' } = process.env
  const screen = new xterm.Terminal({ cols: columns, rows: 50, allowProposedApi: true, scrollback: 5_000 })
  const child = spawn(file, [...args], {
    name: env['TERM'] ?? 'xterm-256color',
    cols: columns,
    rows: 50,
    cwd: env['HOME'] ?? '/',
    env: { PATH, ...env },
  })
  const waiting = new Set<() => void>()
  const heard = (): void => {
    for (const look of waiting) look()
  }
  let isOver = false
  child.onData((data) => screen.write(data, heard))
  const ended = new Promise<number>((resolve) =>
    child.onExit(({ exitCode }) =>
      // Read the screen after its latest output was drawn.
      screen.write('', () => {
        isOver = true
        heard()
        resolve(exitCode)
      }),
    ),
  )
  onTestFinished(async () => {
    if (!isOver) child.kill('SIGKILL')
    await ended
  })
  onTestFailed(() => {
    const state = isOver ? 'had ended' : 'was still running'
    console.error(`${[file, ...args].join(' ')} ${state}; its screen:\n${lines().join('\n')}`)
  })
  const all = () =>
    Array.from({ length: screen.buffer.active.length }, (_, at) => screen.buffer.active.getLine(at))
  const lines = (): string[] =>
    all()
      .map((line) => line?.translateToString(true) ?? '')
      .filter((line) => line !== '')
  return {
    lines,
    hasWrapped: () => all().some((line) => line?.isWrapped === true),
    styledText: () =>
      all().flatMap((line) => {
        let styled = ''
        for (let at = 0; at < columns; at++) {
          const cell = line?.getCell(at)
          if (cell && (!cell.isFgDefault() || cell.isBold() || cell.isDim())) styled += cell.getChars()
        }
        return styled.trim() === '' ? [] : [styled]
      }),
    shows: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines().find((line) =>
            typeof text === 'string' ? line.includes(text) : text.test(line),
          )
          if (found === undefined && !isOver) return
          waiting.delete(look)
          if (found !== undefined) return resolve(found)
          reject(new Error(`it ended before it showed ${String(text)}:\n${lines().join('\n')}`))
        }
        waiting.add(look)
        look()
      }),
    type: (text) => child.write(text),
    kill: (signal) => child.kill(signal),
    ended,
  }
}
