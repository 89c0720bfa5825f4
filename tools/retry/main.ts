/**
 * Runs vitest. If only test files of pages or terminals fail, runs each of them alone a second time. If all of them
 * then pass, the run passes, and the unsteady tests are named. If one fails again, the exit code is that of the first
 * run.
 *
 *   node tools/retry/main.ts [--config <file>] [--project <name>] [path…]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { unsteadyLines, verdictOf, type Failures } from './may-failed-tests-run-again.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { positionals: paths, values } = parseArgs({
  allowPositionals: true,
  options: { config: { type: 'string' }, project: { type: 'string' } },
})
const options = Object.entries(values).flatMap(([name, value]) => [`--${name}`, value])

const first = await vitest(paths)
const verdict = verdictOf(first.status, first.failures, (path) => readFileSync(join(root, path), 'utf8'))
if (verdict.kind !== 'again') process.exit(first.status)

const unsteady: string[] = []
for (const file of verdict.files) {
  console.log(`\n${file.path} failed, and runs once more alone.`)
  // oxlint-disable-next-line no-await-in-loop -- alone
  const { status } = await vitest([file.path])
  if (status !== 0) process.exit(first.status)
  unsteady.push(...unsteadyLines(file))
}
console.log(unsteady.join('\n'))

async function vitest(
  files: readonly string[],
): Promise<{ readonly status: number; readonly failures: Failures | null }> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-failures-'))
  const written = join(folder, 'failures.json')
  const command = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...options, ...files]
  const child = spawn(process.execPath, command, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TEST_FAILURES_FILE: written },
  })
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal)
  process.on('SIGTERM', passOn)
  // The terminal also sends Ctrl-C to the child process, so ignore it here.
  const wait = (): void => {}
  process.on('SIGINT', wait)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the arguments of Node's event
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  process.off('SIGTERM', passOn)
  process.off('SIGINT', wait)
  try {
    // Ignore the failures of a run that a signal has ended.
    return { status: code ?? 1, failures: signal === null ? read(written) : null }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function read(path: string): Failures | null {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the reporter writes it
    return JSON.parse(readFileSync(path, 'utf8')) as Failures
  } catch {
    return null
  }
}
