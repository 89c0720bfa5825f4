/**
 * Finds the Pythons on this machine, and creates virtual environments with exactly the packages that
 * sdk/python/requirements lists.
 */
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const pythonSdk = join(root, 'sdk/python')
const cache = join(root, 'node_modules/.cache/python')

export type Requirements = 'runtime' | 'tools' | 'clients' | 'generator' | 'agents'

export interface PythonEnvironment {
  readonly python: string
  readonly variables: Readonly<Record<string, string>>
}

/**
 * Null if the environment cannot be created on this machine; the reason is printed.
 * @param command the command that runs Python, such as `python3`
 */
export async function pythonEnvironment(
  command: string,
  requirements: readonly Requirements[],
): Promise<PythonEnvironment | null> {
  const version = versionOf(command)
  if (version === null) return skipped(`the machine has no ${command}, or it is older than 3.10`)
  const files = requirements.map((name) => join(pythonSdk, 'requirements', `${name}.txt`))
  const lock = createHash('sha256').update(version)
  for (const file of files) lock.update(readFileSync(file))
  const folder = join(cache, lock.digest('hex').slice(0, 16))
  if (existsSync(folder)) return environmentIn(folder)
  // If two processes create the same environment, the one that is complete first is kept.
  const own = `${folder}-${process.pid}`
  mkdirSync(cache, { recursive: true })
  const made = environmentIn(own)
  const steps = [
    [command, '-m', 'venv', own],
    [made.python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps']
      .concat(['--timeout', '20', '--retries', '1'])
      .concat(files.flatMap((file) => ['-r', file])),
    // The tool's first call downloads its remaining parts.
    ...(requirements.includes('tools') ? [[made.python, '-m', 'pyright', '--version']] : []),
  ]
  for (const [file = '', ...args] of steps) {
    // oxlint-disable-next-line no-await-in-loop -- one step after the other
    const { code, stderr, stdout } = await run(file, args, made.variables)
    if (code === 0) continue
    rmSync(own, { recursive: true, force: true })
    return skipped(`${[file, ...args].join(' ')} failed: ${(stderr || stdout).trim().split('\n').at(-1)}`)
  }
  try {
    renameSync(own, folder)
  } catch {
    rmSync(own, { recursive: true, force: true })
  }
  return environmentIn(folder)
}

function environmentIn(folder: string): PythonEnvironment {
  return {
    python: join(folder, 'bin/python'),
    variables: {
      PYRIGHT_PYTHON_CACHE_DIR: join(cache, 'pyright'),
      PYRIGHT_PYTHON_IGNORE_WARNINGS: '1',
      PYTHONDONTWRITEBYTECODE: '1',
    },
  }
}

/** Returns a version such as `3.11.7`. Null if the command does not exist, or if its version is too old. */
function versionOf(command: string): string | null {
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' })
  const [, version = '', minor = ''] = /^Python (3\.(\d+)\.\S+)/.exec(stdout ?? '') ?? []
  return status === 0 && Number(minor) >= 10 ? version : null
}

function skipped(reason: string): null {
  console.error(`The Python SDK is left out here: ${reason}.`)
  return null
}

function run(
  file: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      { env: { ...process.env, ...variables }, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) =>
        resolve({
          code: child.exitCode ?? (error ? 1 : 0),
          stdout,
          stderr: stderr || (error?.message ?? ''),
        }),
    )
  })
}
