/** Shows progress on a terminal if the work takes longer than a second. */
import type { Terminal } from '#cli/terminal-interface.ts'
import { cut } from './text-width.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export interface Progress {
  readonly say: (what: string) => void
}

export async function withProgress<T>(
  { err }: Pick<Terminal, 'err'>,
  what: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  let said = what
  const progress = { say: (now: string): void => void (said = now) }
  if (!err.isTerminal) return work(progress)
  const startedMs = performance.now()
  let drawn = 0
  const timer = setInterval(() => {
    const passedMs = performance.now() - startedMs
    if (passedMs < 1000) return
    const line = `${frames[drawn++ % frames.length]} ${said} (${Math.floor(passedMs / 1000)} s)`
    err.write(`\r\u001b[K${cut(line, (err.columns ?? 80) - 1)}`)
  }, 120)
  try {
    return await work(progress)
  } finally {
    clearInterval(timer)
    if (drawn > 0) err.write('\r\u001b[K')
  }
}
