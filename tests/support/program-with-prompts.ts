/**
 * A program with prompts at its terminal, one step per argument: `ask`, `secret` (which prints its input), `read`
 * (standard input to its end), and `wait`. In the step `wait`, the program does other work until SIGUSR2 or an
 * interruption.
 */
import { once } from 'node:events'
import { processTerminal } from '#cli/process-terminal.ts'
import { CommandError } from '#cli/terminal-interface.ts'

const { input, signal } = processTerminal()

async function heard(step: string): Promise<string> {
  if (step === 'read') {
    console.log('It reads.')
    return String(Buffer.from(await input.read()))
  }
  return input.ask(`${step}? `, { isSecret: step === 'secret' })
}

async function busy(): Promise<string> {
  const called = once(process, 'SIGUSR2')
  const interrupted = once(signal, 'abort')
  // A signal handler alone does not keep the process alive.
  const alive = setInterval(() => {}, 1_000)
  console.log('It is busy.')
  await Promise.race([called, interrupted])
  clearInterval(alive)
  return signal.aborted ? 'an interruption' : 'a call'
}

try {
  for (const step of process.argv.slice(2)) {
    // oxlint-disable-next-line no-await-in-loop -- one step after the other
    console.log(`It heard ${await (step === 'wait' ? busy() : heard(step))}.`)
  }
} catch (error) {
  if (!(error instanceof CommandError)) throw error
  console.log(error.message)
  process.exitCode = error.exitCode
}
