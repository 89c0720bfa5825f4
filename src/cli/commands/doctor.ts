/** `tollgate doctor`: finds problems on this machine, on the way to the server, and in the application. */
import { unknownSettings } from '#app/setting-names.ts'
import { Api } from '#cli/api-client.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { commandOfCall, type NamedCall } from '#cli/operations/command-for-suggested-call.ts'
import { failureOf } from '#cli/output/failure-text-and-exit-code.ts'
import { moneyText } from '#cli/output/dollars-and-micros.ts'
import { paint } from '#cli/output/terminal-colors.ts'
import { withProgress } from '#cli/output/progress-indicator.ts'
import { harmless, padEnd } from '#cli/output/text-width.ts'
import { closeToOthers, credentialsFile, isOpenToOthers } from '#cli/settings/settings-files.ts'
import { settingsOf, unknownSettingText, type Settings } from '#cli/settings/settings.ts'
import { exit, type Screen, type Terminal } from '#cli/terminal-interface.ts'
import { inDollars } from '#explain/amounts-in-explanation-text.ts'

interface Finding {
  readonly code: string
  readonly severity: 'error' | 'warning' | 'notice' | (string & {})
  readonly message: string
  readonly fix: { readonly say: string; readonly call: NamedCall | null }
}

interface Diagnosis {
  readonly application: string
  readonly mode: string
  readonly sound: boolean
  readonly findings: readonly Finding[]
  readonly checks: readonly { name: string; looksAt: string; state: string; findings: number }[]
}

interface LocalCheck {
  readonly name: string
  readonly state: 'sound' | 'found'
  readonly sentence: string
  /** Called only with `--fix`. Null if no fix is known. */
  readonly mend: (() => void) | null
}

/** The only API calls that `--fix` may make. They delete nothing, cost nothing, and need no decision of the user. */
const safeCalls: ReadonlySet<string> = new Set(['bundles.default'])

export async function doctor(
  flags: CommonFlags & { readonly fix?: boolean },
  terminal: Terminal,
): Promise<number> {
  const settings = settingsOf(flags, terminal)
  const mended: string[] = []
  const local = checkedHere(settings, terminal)
  if (flags.fix === true) {
    for (const { mend, sentence } of local) {
      if (mend === null) continue
      mend()
      mended.push(sentence)
    }
  }
  const api = new Api(settings, terminal)
  const diagnose = (): Promise<Diagnosis> =>
    withProgress(terminal, 'doctor', () => api.call<Diagnosis>('doctor'))
  let found: Diagnosis
  try {
    found = await diagnose()
  } catch (error) {
    if (flags.json === true) throw error
    printLocal(local, terminal.out)
    const failure = failureOf(error, settings)
    terminal.out.write(`${paint(terminal.out, 'red', '✗')} server  ${harmless(failure.sentence)}\n`)
    if (failure.hint !== null) terminal.out.write(`    ${failure.hint}\n`)
    return failure.exitCode
  }
  if (flags.fix === true) {
    const done = await mendedCalls(found, api)
    mended.push(...done)
    if (done.length > 0) found = await diagnose()
  }
  if (flags.json === true) {
    const here = local.map(({ name, sentence, state }) => ({ name, state, sentence }))
    terminal.out.write(`${JSON.stringify({ ...found, local: here, mended })}\n`)
  } else print(found, local, mended, { out: terminal.out, isVerbose: flags.verbose === true })
  return found.sound ? exit.ok : exit.failed
}

function checkedHere({ app, host, token }: Settings, { env }: Terminal): LocalCheck[] {
  const unknown = unknownSettings(env)
  const file = credentialsFile(env)
  const isOpen = isOpenToOthers(file)
  return [
    {
      name: 'sign-in',
      state: token === null ? 'found' : 'sound',
      sentence:
        token === null
          ? `not signed in at ${host.value}; sign in with tollgate login`
          : `token from ${token.origin}`,
      mend: null,
    },
    {
      name: 'credentials',
      state: isOpen ? 'found' : 'sound',
      sentence: isOpen ? `other users can read ${file}` : 'only you can read the credentials file',
      mend: isOpen ? () => closeToOthers(file) : null,
    },
    {
      name: 'address',
      state: /^http:\/\/(?!localhost|127\.|\[::1\])/.test(host.value) ? 'found' : 'sound',
      sentence: /^http:\/\/(?!localhost|127\.|\[::1\])/.test(host.value)
        ? `${host.value} is not https, so the token is sent unencrypted`
        : `${host.value} (${host.origin})${app === null ? '' : `, application ${app.value}`}`,
      mend: null,
    },
    {
      name: 'environment',
      state: unknown.length > 0 ? 'found' : 'sound',
      sentence:
        unknown.length > 0
          ? unknown.map(unknownSettingText).join(' ')
          : 'all TOLLGATE_* variables are known settings',
      mend: null,
    },
  ]
}

async function mendedCalls({ findings }: Diagnosis, api: Api): Promise<string[]> {
  const done: string[] = []
  for (const { fix } of findings) {
    if (fix.call === null || !safeCalls.has(fix.call.operation)) continue
    const slug = decodeURIComponent(fix.call.path.split('/')[3] ?? '')
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as they are printed
    await api.call(fix.call.operation, { slug })
    done.push(fix.say)
  }
  return done
}

function print(
  { application, checks, findings, mode, sound }: Diagnosis,
  local: readonly LocalCheck[],
  mended: readonly string[],
  { isVerbose, out }: { readonly out: Screen; readonly isVerbose: boolean },
): void {
  const width = Math.max(...[...local, ...checks].map(({ name }) => name.length))
  printLocal(local, out, width)
  for (const { findings: count, looksAt, name, state } of checks) {
    const found =
      state === 'sound'
        ? 'no problems'
        : state === 'found'
          ? `${count} ${count === 1 ? 'problem' : 'problems'}, see below`
          : 'check failed'
    const mark =
      state === 'sound'
        ? paint(out, 'green', '✓')
        : state === 'found'
          ? paint(out, 'yellow', '!')
          : paint(out, 'red', '✗')
    const scope = isVerbose ? `  ${paint(out, 'dim', harmless(looksAt))}` : ''
    out.write(`${mark} ${nameText(harmless(name), width)}  ${found}${scope}\n`)
  }
  for (const { fix, message, severity } of findings) {
    const mark =
      severity === 'error' ? paint(out, 'red', '✗') : severity === 'warning' ? paint(out, 'yellow', '!') : '·'
    out.write(`\n${mark} ${harmless(inDollars(message, moneyText))}\n`)
    out.write(`    ${harmless(inDollars(fix.say, moneyText))}\n`)
    const command = fix.call && commandOfCall(fix.call)
    if (command) out.write(`    ${paint(out, 'cyan', harmless(command))}\n`)
  }
  for (const what of mended) out.write(`\n${paint(out, 'green', 'fixed')} ${harmless(what)}\n`)
  const verdict = !sound
    ? 'requests fail or amounts are wrong. Fix the errors above.'
    : findings.length > 0
      ? 'requests work. Review the findings above.'
      : 'no problems found.'
  out.write(`\n${paint(out, 'bold', `${application} in ${mode} mode: ${verdict}`)}\n`)
}

function nameText(name: string, width: number): string {
  return padEnd(name.replaceAll('_', ' '), width)
}

function printLocal(
  local: readonly LocalCheck[],
  out: Screen,
  width = Math.max(...local.map(({ name }) => name.length)),
): void {
  for (const { name, sentence, state } of local) {
    const mark = state === 'sound' ? paint(out, 'green', '✓') : paint(out, 'yellow', '!')
    out.write(`${mark} ${nameText(name, width)}  ${paint(out, 'dim', harmless(sentence))}\n`)
  }
}
