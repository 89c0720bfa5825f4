/** A program that only records its calls replaces npm. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const locked = {
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/b': { version: '2.0.0' },
  'node_modules/c-darwin': { version: '3.0.0', integrity: 'sha512-c', optional: true },
}
const installedHere = { 'node_modules/a': locked['node_modules/a'], 'node_modules/b': { version: '2.0.0' } }

let copy: string

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'tollgate-tasks-'))
  mkdirSync(join(copy, 'tools'))
  mkdirSync(join(copy, 'programs'))
  cpSync(join(root, 'tools/run.mjs'), join(copy, 'tools/run.mjs'))
  writeJson('package-lock.json', { packages: { '': { name: 'copy' }, ...locked } })
  writeFileSync(join(copy, 'programs/npm'), '#!/bin/sh\necho "$@" >> calls\n', { mode: 0o755 })
})

afterEach(() => {
  rmSync(copy, { recursive: true, force: true })
})

describe('packages', () => {
  it('packages are not installed again after a manual npm ci', () => {
    install(installedHere)
    expect(npmCalls()).toBe(0)
  })

  it.each([
    ['has another version', { ...installedHere, 'node_modules/b': { version: '2.0.1' } }],
    ['has another hash', { ...installedHere, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' } }],
    ['is missing', { 'node_modules/a': locked['node_modules/a'] }],
    ['is no longer locked', { ...installedHere, 'node_modules/d': { version: '4.0.0' } }],
  ])('packages are installed if one package %s', (_, packages) => {
    install(packages)
    expect(npmCalls()).toBe(1)
  })

  it('packages are installed if npm has not finished an install', () => {
    install(null)
    expect(npmCalls()).toBe(1)
  })

  it('packages are used without an install if they belong to another checkout', () => {
    mkdirSync(join(copy, 'other/.bin'), { recursive: true })
    symlinkSync(process.execPath, join(copy, 'other/.bin/node'))
    symlinkSync(join(copy, 'other'), join(copy, 'node_modules'))
    run('install')
    expect(npmCalls()).toBe(0)
  })
})

describe('help', () => {
  const tasks = [...ask('--help').stdout.matchAll(/^ {2}(\S+) /gm)].map(([, name = '']) => name)

  it('the help lists every task of package.json', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
    expect(tasks).toEqual(expect.arrayContaining(Object.keys(scripts)))
  })

  it.each(tasks)('the help of %s describes the task', (task) => {
    const { status, stdout } = ask(task, '--help')
    expect([status, stdout]).toEqual([0, expect.stringMatching(/Usage: |^npm run /)])
  })

  it('the help is printed for an unknown task and for an unknown word after check', () => {
    for (const words of [['checks'], ['check', '--fast']]) {
      expect(ask(...words)).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage: ') })
    }
  })

  it('with a version of Node.js that is too old, every task names the needed version and installs nothing', () => {
    // This module replaces the version of Node.js before the program reads the version.
    const module = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'18.20.8'})`
    const task = [join(copy, 'tools/run.mjs'), 'start']
    const asked = spawnSync(process.execPath, ['--import', module, ...task], { encoding: 'utf8' })
    expect(asked).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Node.js 20 or newer is needed, and this is 18.20.8'),
    })
    expect(npmCalls()).toBe(0)
  })

  function ask(...words: string[]) {
    return spawnSync(process.execPath, [join(root, 'tools/run.mjs'), ...words], { encoding: 'utf8' })
  }
})

function install(packages: Readonly<Record<string, unknown>> | null): void {
  mkdirSync(join(copy, 'node_modules/.bin'), { recursive: true })
  symlinkSync(process.execPath, join(copy, 'node_modules/.bin/node'))
  if (packages) writeJson('node_modules/.package-lock.json', { packages })
  run('install')
}

function run(...words: string[]) {
  const env = { ...process.env, PATH: `${join(copy, 'programs')}${delimiter}${process.env['PATH']}` }
  const { status, stderr } = spawnSync(process.execPath, [join(copy, 'tools/run.mjs'), ...words], {
    encoding: 'utf8',
    env,
  })
  expect(status, stderr).toBe(0)
}

function npmCalls(): number {
  const calls = join(copy, 'calls')
  return existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n').length : 0
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(join(copy, path), JSON.stringify(value))
}
