/** The program must process every character and every Ctrl-C that a user types between two prompts. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { onScreen, type Screen } from '../support/run-in-pseudo-terminal.ts'

const program = fileURLToPath(new URL('../support/program-with-prompts.ts', import.meta.url))

function asking(...steps: ('ask' | 'secret' | 'read' | 'wait')[]): Screen {
  return onScreen([program, ...steps], { columns: 80, env: {}, file: process.execPath })
}

async function isInterrupted(screen: Screen): Promise<void> {
  expect(await screen.ended).toBe(130)
  // If a user presses Ctrl-C while no question is shown, the terminal may print ^C before the message.
  expect(screen.lines().at(-1)).toMatch(/^(?:\^C)?Interrupted\.$/)
}

describe('Ctrl-C', () => {
  it.each(['ask', 'secret'] as const)('Ctrl-C ends a question: %s', async (kind) => {
    const screen = asking(kind)
    await screen.shows(`${kind}?`)
    screen.type('half an answer\u0003')
    await isInterrupted(screen)
  })

  it('without another listener, a Ctrl-C that is pressed before a question ends that question', async () => {
    const screen = asking('ask', 'wait', 'ask')
    await screen.shows('ask?')
    screen.type('one\r')
    await screen.shows('It is busy.')
    screen.type('\u0003')
    await isInterrupted(screen)
    expect(screen.lines().join('\n')).toContain('It heard an interruption.')
  })

  it('a Ctrl-C that arrives together with the previous answer does not answer the next question', async () => {
    const screen = asking('ask', 'wait')
    await screen.shows('ask?')
    screen.type('yes\r\u0003')
    await isInterrupted(screen)
    expect(screen.lines().join()).not.toContain('It heard')
  })

  it('Ctrl-C ends a command that is reading standard input', async () => {
    const screen = asking('read')
    await screen.shows('It reads.')
    screen.type('half an answer\u0003')
    await isInterrupted(screen)
  })
})

it.each(['ask', 'secret', 'read'] as const)(
  'SIGINT from another program ends a waiting command: %s',
  async (kind) => {
    const screen = asking(kind)
    await screen.shows(kind === 'read' ? 'It reads.' : `${kind}?`)
    screen.kill('SIGINT')
    await isInterrupted(screen)
  },
)

describe('input typed ahead', () => {
  it('if several lines arrive together, each line answers one question', async () => {
    const screen = asking('ask', 'secret', 'wait', 'ask')
    await screen.shows('ask?')
    screen.type('one\rtwo\rthree\r')
    await screen.shows('It heard two.')
    await screen.shows('It is busy.')
    screen.kill('SIGUSR2')
    await screen.shows('It heard three.')
    expect(await screen.ended).toBe(0)
  })

  it('a line typed between two questions answers the second question', async () => {
    const screen = asking('ask', 'wait', 'ask', 'ask')
    await screen.shows('ask?')
    screen.type('one\r')
    await screen.shows('It is busy.')
    screen.type('two\rthr')
    // The terminal has echoed the input, so the input has reached the program.
    await screen.shows(/^thr/)
    screen.kill('SIGUSR2')
    await screen.shows('It heard two.')
    screen.type('ee\r')
    await screen.shows('It heard three.')
    expect(await screen.ended).toBe(0)
  })
})

const hasBash = spawnSync('bash', ['-c', 'exit 0'], { stdio: 'ignore' }).status === 0

describe.skipIf(!hasBash)('Ctrl-Z', () => {
  const asleep = async (...steps: string[]): Promise<Screen> => {
    const screen = onScreen(['--noprofile', '--norc', '-i'], {
      columns: 80,
      env: { PS1: '$ ' },
      file: 'bash',
    })
    await screen.shows(/^\$/)
    screen.type(`'${process.execPath}' '${program}' ${steps.join(' ')}\r`)
    await screen.shows('ask?')
    screen.type('on\u001a')
    await screen.shows('Stopped')
    return screen
  }

  it('Ctrl-Z suspends a question, and the question continues afterwards', async () => {
    const screen = await asleep('ask')
    // The shell command clears the screen and then prints a text.
    screen.type(String.raw`printf '\033c'; echo "a sh"ell` + '\r')
    await screen.shows(/^a shell$/)
    expect(screen.lines().join('\n')).not.toContain('ask?')
    screen.type('fg\r')
    await screen.shows(/^ask\? on$/)
    screen.type('e\r')
    await screen.shows('It heard one.')
    screen.type('exit 7\r')
    expect(await screen.ended).toBe(7)
  })

  it('a Ctrl-C that arrives together with an answer is not lost after Ctrl-Z', async () => {
    const screen = await asleep('ask', 'wait')
    screen.type('fg\re\r')
    await screen.shows('It is busy.')
    screen.type('\u0003')
    await screen.shows('It heard an interruption.')
    screen.type('exit 7\r')
    expect(await screen.ended).toBe(7)
  })
})
