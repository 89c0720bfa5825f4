/**
 * IDs and times are the same in every run. After an intended change, rewrite the golden files with `npm test --
 * tests/command-line/golden-output.test.ts --update`. Review the changed files before you commit them.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { widthOf } from '#cli/output/text-width.ts'
import {
  commandLine,
  fetchOf,
  type CommandLine,
  type TerminalOptions,
} from '../support/run-command-line-in-process.ts'
import { openControl, type Control } from '../support/control-plane-without-socket.ts'
import { filled } from '../support/valid-request-of-every-operation.ts'

let control: Control
let shell: CommandLine
let callId: string

beforeAll(async () => {
  control = await openControl({ isRepeatable: true })
  ;({ callId } = await filled(control))
  shell = commandLine({
    fetch: fetchOf(control),
    env: { TOLLGATE_BASE_URL: 'http://control.test', TOLLGATE_TOKEN: control.token, TOLLGATE_APP: 'acme' },
  })
})
afterAll(async () => {
  shell.close()
  await control.close()
})

const narrow = { columns: 80 }
const wide = { columns: 200 }
const coloured = { columns: 80, hasColour: true }

const files: readonly (readonly [file: string, argv: () => string[], options?: TerminalOptions])[] = [
  ['help', () => ['--help'], narrow],
  ['keys-mint-help', () => ['keys', 'mint', '--help'], narrow],
  ['keys-list-80', () => ['keys', 'list'], narrow],
  ['keys-list-200', () => ['keys', 'list'], wide],
  ['keys-list-piped', () => ['keys', 'list']],
  ['keys-list-quiet', () => ['keys', 'list', '-q']],
  [
    'users-list-columns',
    () => ['users', 'list', '--columns', 'externalId,bundle,balance.balanceUnits'],
    narrow,
  ],
  ['users-show', () => ['users', 'show', 'user-1'], coloured],
  ['users-ledger', () => ['users', 'ledger', 'user-1'], wide],
  ['bundles-show', () => ['bundles', 'show', 'free'], narrow],
  ['requests-explain', () => ['requests', 'explain', `req_${callId}`], coloured],
  ['requests-explain-piped', () => ['requests', 'explain', `req_${callId}`]],
  ['usage', () => ['usage'], coloured],
  ['usage-by-day', () => ['usage', '--by', 'day'], narrow],
  ['doctor', () => ['doctor'], narrow],
  ['whoami', () => ['whoami'], narrow],
  ['not-found', () => ['keys', 'show', 'nobody'], coloured],
  ['missing-flags', () => ['keys', 'mint'], narrow],
  [
    'dry-run',
    () => ['bundles', 'price', 'free', '--model', 'acme/smart', '--price.input', '$0.15', '--dry-run'],
  ],
  ['unknown-command', () => ['keyz']],
  ['completion-bash', () => ['completion', 'bash']],
]

for (const [file, argv, options] of files) {
  it(`tollgate ${file.replaceAll('-', ' ')}`, async () => {
    const words = argv()
    const { err, exitCode, out } = await shell.run(words, options)
    const shown = `${out}${err === '' ? '' : `--- standard error\n${err}`}--- exit ${exitCode}\n`
    const text = shown.replaceAll(shell.home, '~').replaceAll('\u001b[', '␛[')
    await expect(`$ tollgate ${words.join(' ')}\n${text}`).toMatchFileSnapshot(`golden/${file}.txt`)
  })
}

/** Each golden file contains the output of one everyday command, in each output form. */
const everyday: readonly (readonly [file: string, argv: () => string[]])[] = [
  ['keys-list', () => ['keys', 'list']],
  ['users-list', () => ['users', 'list']],
  ['users-show', () => ['users', 'show', 'user-1']],
  ['users-ledger', () => ['users', 'ledger', 'user-1']],
  ['bundles-show', () => ['bundles', 'show', 'free']],
  ['models-list', () => ['models', 'list']],
  ['requests-list', () => ['requests', 'list']],
  ['requests-explain', () => ['requests', 'explain', `req_${callId}`]],
  ['usage', () => ['usage']],
  ['not-found', () => ['keys', 'show', 'nobody']],
]
const ways: Readonly<Record<string, TerminalOptions>> = {
  '80 columns': narrow,
  '200 columns': wide,
  '80 columns, colours': coloured,
  piped: {},
}

for (const [file, argv] of everyday) {
  it(`tollgate ${file.replaceAll('-', ' ')} prints its golden output at 80 and 200 columns, with colors, and piped`, async () => {
    const words = argv()
    const shown: string[] = []
    for (const [way, options] of Object.entries(ways)) {
      // oxlint-disable-next-line no-await-in-loop -- one file
      const { err, out } = await shell.run(words, options)
      // oxlint-disable-next-line no-control-regex -- what colours are made of
      const plain = (out + err).replaceAll(/\u001b\[\d+m/g, '')
      if (!options.hasColour) expect(out + err, 'colours').toBe(plain)
      const widest = Math.max(...plain.split('\n').map(widthOf))
      expect(widest, `${way} has a line that is wider`).toBeLessThanOrEqual(options.columns ?? Infinity)
      shown.push(`=== ${way}\n${out}${err === '' ? '' : `--- standard error\n${err}`}`)
    }
    const text = shown.join('').replaceAll('\u001b[', '␛[')
    await expect(`$ tollgate ${words.join(' ')}\n${text}`).toMatchFileSnapshot(
      `golden/output-forms/${file}.txt`,
    )
  })
}
