/** Builds the wheel and the sdist of the Python SDK with the build backend that its pyproject.toml names. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pythonEnvironment, pythonSdk } from '../python/virtual-environment.ts'

export interface PythonArchives {
  readonly wheel: string
  readonly sdist: string
  readonly tools: Readonly<Record<string, string>>
}

/**
 * @param made modification time of the files in the archives, so that the same commit produces the same bytes
 * @returns null if this machine has no Python, or lacks the required packages; the reason is printed
 */
export async function buildPythonSdk(to: string, made: Date): Promise<PythonArchives | null> {
  const environment = await pythonEnvironment('python3', ['runtime', 'tools'])
  if (environment === null) return null
  const { python, variables } = environment
  const asked = (...args: readonly string[]): string =>
    execFileSync(python, args, {
      encoding: 'utf8',
      env: {
        ...process.env,
        ...variables,
        // Zip archives cannot store times before 1980.
        SOURCE_DATE_EPOCH: String(Math.max(Math.floor(made.getTime() / 1000), 315_532_800)),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  asked('-m', 'build', '--no-isolation', '--outdir', to, pythonSdk)
  const found = (ending: string): string =>
    join(to, readdirSync(to).find((name) => name.endsWith(ending)) ?? `*${ending}`)
  const versions =
    'import hatchling.__about__ as h, platform; print(platform.python_version(), h.__version__)'
  const [version = '', hatchling = ''] = asked('-c', versions).trim().split(' ')
  return { wheel: found('.whl'), sdist: found('.tar.gz'), tools: { python: version, hatchling } }
}

export function pythonRequirements(): { readonly name: string; readonly range: string }[] {
  const project = readFileSync(join(pythonSdk, 'pyproject.toml'), 'utf8')
  const [, listed = ''] = /^dependencies = \[(.*)\]$/m.exec(project) ?? []
  return Array.from(listed.matchAll(/"([\w.-]+)([^"]*)"/g), ([, name = '', range = '']) => ({ name, range }))
}
