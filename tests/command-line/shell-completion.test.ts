/** If a shell is not installed on this machine, its tests are skipped with a message. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, control, run, startServer, type LocalServer } from '../support/start-product.ts'
import { onScreen, type Screen } from '../support/run-in-pseudo-terminal.ts'

let server: LocalServer
let home: string
let env: Record<string, string>
beforeAll(async () => {
  server = await startServer()
  home = mkdtempSync(join(tmpdir(), 'tollgate-completion-'))
  env = {
    HOME: home,
    ZDOTDIR: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(tmpdir(), 'tollgate-test-cache'),
    XDG_DATA_HOME: join(home, '.local/share'),
    LC_ALL: 'C.UTF-8',
    PATH: [dirname(command), process.env['PATH'] ?? ''].join(delimiter),
    TOLLGATE_BASE_URL: server.baseUrl,
    TOLLGATE_TOKEN: server.token,
  }
  const steps = [
    ['/v1/apps/acme', { name: 'Acme' }],
    ['/v1/providers/main', { kind: 'simulator' }],
    ['/v1/models/acme:smart', { sources: [{ provider: 'main', model: 'sim-1' }] }],
    ['/v1/bundles/free', { displayName: 'Free' }],
    ['/v1/end-users/ada%20$(touch%20owned)', {}],
  ] as const
  for (const [path, body] of steps) {
    // oxlint-disable-next-line no-await-in-loop -- each step needs the step before
    const answer = await control(server, 'PUT', path, body)
    assert.equal(answer.status, 200, answer.text)
  }
})
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
  await server.close()
})

/** Each entry is the typed text before Tab and the line after completion. */
const lines: readonly (readonly [typed: string, became: string])[] = [
  ['tollgate compl', 'tollgate completion '],
  ['tollgate keys mi', 'tollgate keys mint '],
  ['tollgate keys mint --end-u', 'tollgate keys mint --end-user-id '],
  ['tollgate keys list --mode t', 'tollgate keys list --mode test '],
  ['tollgate use ac', 'tollgate use acme '],
  ['tollgate --mode te', 'tollgate --mode test '],
  ['tollgate open por', 'tollgate open portal '],
  ['tollgate models show acme:sm', 'tollgate models show acme:smart '],
]

function has(shell: string): boolean {
  const { error, status } = spawnSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' })
  if (error === undefined && status === 0) return true
  console.log(`Completion in ${shell} is not tested: this machine has no ${shell}.`)
  return false
}

async function completes(screen: Screen, typed: string, became: string): Promise<void> {
  screen.type(`${typed}\t`)
  // Completion waits at most one second for the server's list of IDs. A busy machine may need longer, so the user
  // presses Tab again.
  const again = setInterval(() => screen.type('\t'), 5_000)
  try {
    // The shell adds a space after a complete word, so that the user can type the next word.
    expect(await screen.shows(new RegExp(`^> ${RegExp.escape(became)} *$`))).toContain(became)
  } finally {
    clearInterval(again)
  }
  screen.type('\u0015')
}

describe.skipIf(!has('bash'))('bash', () => {
  it('bash completes nouns, verbs, flags, words and IDs', async () => {
    const file = join(home, '.bashrc')
    writeFileSync(file, `PS1='> '\nbind 'set bell-style none'\neval "$(tollgate completion bash)"\n`)
    const screen = onScreen(['--noprofile', '--rcfile', file, '-i'], { columns: 120, env, file: 'bash' })
    await screen.shows(/^>/)
    for (const [typed, became] of lines) await completes(screen, typed, became)
    // Completion quotes the characters of an ID that a shell would interpret.
    await completes(
      screen,
      'tollgate users show ad',
      String.raw`tollgate users show ada\ \$\(touch\ owned\) `,
    )
    screen.type('exit 7\r')
    expect(await screen.ended).toBe(7)
  })
})

describe.skipIf(!has('zsh'))('zsh', () => {
  it('zsh completes nouns, verbs, flags, words and IDs', async () => {
    const set = 'autoload -Uz compinit && compinit -u -D\neval "$(tollgate completion zsh)"\n'
    writeFileSync(join(home, '.zshrc'), `PROMPT='> '\nunsetopt PROMPT_SP BEEP\n${set}`)
    const screen = onScreen(['-i'], { columns: 120, env, file: 'zsh' })
    await screen.shows(/^>/)
    for (const [typed, became] of lines) await completes(screen, typed, became)
    await completes(
      screen,
      'tollgate users show ad',
      String.raw`tollgate users show ada\ \$\(touch\ owned\) `,
    )
    screen.type('exit 7\r')
    expect(await screen.ended).toBe(7)
  })
})

describe.skipIf(!has('fish'))('fish', () => {
  it('fish completes nouns, verbs, flags, words and IDs', async () => {
    mkdirSync(join(home, '.config/fish'), { recursive: true })
    for (const [typed, became] of [
      ...lines,
      ['tollgate users show ad', 'tollgate users show ada $(touch owned) '],
    ]) {
      const asked = `tollgate completion fish | source; complete --do-complete '${typed}'`
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as a person does
      const { code, stderr, stdout } = await run('fish', ['-c', asked], env)
      expect([code, stderr]).toEqual([0, ''])
      const [word] = stdout.split('\n').map((line) => line.split('\t')[0])
      expect(word).toBe(/ (\S+(?: \S+\(.*\))?) $/.exec(became ?? '')?.[1])
    }
  })
})

it('if the server does not respond, completion suggests and prints nothing', async () => {
  const away = { ...env, TOLLGATE_BASE_URL: 'http://127.0.0.1:9' }
  expect(await run(command, ['__complete', '--', 'models', 'show', ''], away)).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  })
})
