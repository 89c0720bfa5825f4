/** Tests the published Python SDK: built, linted, type-checked, and run by its oldest supported Python. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBehaviourServer, type BehaviourServer } from '../../sdk/behaviours/server.ts'
import { generatedFiles } from '../../tools/generate/generated-files.ts'
import { buildPythonSdk } from '../../tools/package/python-sdk.ts'
import { run, startServer } from '../support/start-product.ts'
import {
  pythonEnvironment,
  pythonSdk,
  type PythonEnvironment,
} from '../../tools/python/virtual-environment.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const tools = await pythonEnvironment('python3', ['runtime', 'tools'])
const oldest = tools && (await pythonEnvironment('python3.10', ['runtime']))

function withoutAsync(program: string): string {
  return program
    .replace('import asyncio\n', '')
    .replace(/asyncio\.run\((main\(.*\))\)/, '$1')
    .replace(/\b(?:async|await) /g, '')
    .replace(/\bAsync(Tollgate|TollgatePortal|Client)\b/g, '$1')
}

describe.skipIf(tools === null)('the Python package', () => {
  let project: string
  let built: string
  let installed: string
  let scenarios: string
  let behaviours: BehaviourServer
  beforeAll(async () => {
    project = mkdtempSync(join(tmpdir(), 'tollgate-python-'))
    built = join(project, 'dist')
    installed = join(project, 'installed')
    scenarios = join(project, 'scenarios')
    behaviours = await startBehaviourServer()
    const made = await buildPythonSdk(built, new Date())
    assert(made)
    const into = ['--no-deps', '--no-index', '--target', installed, made.wheel]
    const put = await python(tools, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...into)
    assert.equal(put.code, 0, put.stderr)
    mkdirSync(scenarios)
    const scenario = readFileSync(join(root, 'tests/sdk/installed/customer-first-day.py'), 'utf8')
    writeFileSync(join(scenarios, 'async_scenario.py'), scenario)
    writeFileSync(join(scenarios, 'sync_scenario.py'), withoutAsync(scenario))
  })
  afterAll(async () => {
    await behaviours.close()
    rmSync(project, { recursive: true })
  })

  function python(
    environment: PythonEnvironment | null,
    ...args: readonly string[]
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const variables = { ...environment?.variables, PYTHONPATH: installed }
    return run(environment?.python ?? '', args, variables)
  }

  async function isClean(...args: readonly string[]): Promise<void> {
    const { code, stderr, stdout } = await python(tools, '-m', ...args)
    expect(code, stdout + stderr).toBe(0)
  }

  it('the Python package is a wheel and an sdist that twine accepts', async () => {
    const files = filesOf(built)
    const version = /^version = "(.+)"$/m.exec(
      readFileSync(join(pythonSdk, 'src/tollgate_client/version.py'), 'utf8'),
    )?.[1]
    expect(files).toEqual([
      `tollgate_client-${version}-py3-none-any.whl`,
      `tollgate_client-${version}.tar.gz`,
    ])
    await isClean('twine', 'check', '--strict', ...files.map((name) => join(built, name)))
  })

  it('the Python package contains its types, its license and every generated file', () => {
    const prefix = 'sdk/python/src/'
    const made = Object.keys(generatedFiles()).filter((name) => name.startsWith(prefix))
    expect(made.length).toBeGreaterThan(30)
    for (const name of made)
      expect(filesOf(join(installed, dirname(name.slice(prefix.length))))).toContain(name.split('/').at(-1))
    expect(filesOf(join(installed, 'tollgate_client'))).toContain('py.typed')
    const [information = ''] = readdirSync(installed).filter((name) => name.endsWith('.dist-info'))
    expect(filesOf(join(installed, information, 'licenses'))).toEqual(['LICENSE'])
    expect(readFileSync(join(pythonSdk, 'LICENSE'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'))
  })

  it('the Python package contains no generated file of a removed operation', () => {
    const folder = 'sdk/python/src/tollgate_client/generated'
    const made = Object.keys(generatedFiles()).filter((name) => dirname(name) === folder)
    const there = filesOf(join(root, folder)).filter((name) => name.endsWith('.py'))
    expect(there.map((name) => `${folder}/${name}`)).toEqual(made.toSorted())
  })

  it('the Python package passes ruff', async () => {
    const programs = [
      'sdk/behaviours/python.py',
      'tests/clients/from-document/scenario.py',
      'tests/sdk/installed/customer-first-day.py',
      'tests/sdk/python/caller.py',
      'tests/sdk/python/official_clients.py',
    ]
    const config = ['--config', join(pythonSdk, 'pyproject.toml')]
    const files = programs.map((name) => join(root, name))
    for (const check of [['check'], ['format', '--check']]) {
      await isClean('ruff', ...check, '--no-cache', pythonSdk)
      await isClean('ruff', ...check, '--no-cache', ...config, ...files)
    }
  })

  it('the Python package and programs that use it pass mypy and pyright, both strict', async () => {
    const examples = examplesOf(readFileSync(join(pythonSdk, 'README.md'), 'utf8'))
    expect(examples.length).toBeGreaterThan(8)
    for (const [at, example] of examples.entries()) writeFileSync(join(scenarios, `readme_${at}.py`), example)
    const config = join(pythonSdk, 'pyproject.toml')
    const cache = ['--cache-dir', join(project, 'mypy')]
    await isClean('mypy', '--config-file', config, ...cache, join(pythonSdk, 'src'))
    await isClean('mypy', '--strict', ...cache, scenarios)
    const interpreter = ['--pythonpath', tools?.python ?? '']
    await isClean('pyright', ...interpreter, '--project', pythonSdk)
    writeFileSync(join(scenarios, 'pyrightconfig.json'), JSON.stringify({ typeCheckingMode: 'strict' }))
    await isClean('pyright', ...interpreter, '--project', scenarios)
  })

  it('the Python package passes its own tests', () =>
    isClean('unittest', 'discover', '--start-directory', join(pythonSdk, 'tests')))

  describe.each([
    ['this Python', tools],
    ['the oldest Python', oldest],
  ])('under %s', (_, environment) => {
    it.skipIf(environment === null).each(['sync', 'async'])(
      'the Python package passes every case of sdk/behaviours, %s',
      async (flavour) => {
        const player = join(root, 'sdk/behaviours/python.py')
        const played = await python(environment, player, behaviours.url, flavour)
        console.log(played.stdout.trim())
        expect(played.stderr).toBe('')
        expect(JSON.parse(played.stdout).failures).toEqual([])
      },
    )

    it.skipIf(environment === null).each(['sync', 'async'])(
      'a program with the Python package signs up, sells a call, reads its cost and opens the portal, %s',
      async (flavour) => {
        const tollgate = await startServer()
        try {
          const scenario = join(scenarios, `${flavour}_scenario.py`)
          const ran = await python(environment, scenario, tollgate.baseUrl, tollgate.setupUrl)
          expect(ran.stderr).toBe('')
          expect([ran.code, ran.stdout]).toEqual([0, 'done\n'])
        } finally {
          await tollgate.close()
        }
      },
    )
  })
})

function filesOf(folder: string): string[] {
  return readdirSync(folder).toSorted()
}

/** If an example imports nothing, the imports and a client are added. */
function examplesOf(markdown: string): string[] {
  const names = ['ApiError', 'NotFoundError', 'Tollgate', 'dollars', 'format_micros']
  return Array.from(markdown.matchAll(/^```python\n(.*?)^```$/gms), ([, code = '']) =>
    /^(?:import|from) /m.test(code)
      ? code
      : `from tollgate_client import ${names.join(', ')}\n\n__all__ = [${names.map((name) => `"${name}"`).join(', ')}]\nclient = Tollgate()\n${code}`,
  )
}
