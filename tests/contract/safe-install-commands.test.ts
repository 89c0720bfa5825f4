/**
 * Checks install commands and imports that users copy. If an install command named another project's package, users
 * would run that project's code.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

const knownPackages = ['openai']

const published = [
  'README.md',
  'docs/**/*.md',
  'sdk/*/README.md',
  'tools/package/npm-readme.md',
  'web/**/*.{ts,tsx}',
].flatMap((pattern) => globSync(pattern, { cwd: root }))

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

function installed(text: string): string[] {
  const commands = /\b(?:pip3?|uv pip|npm|pnpm|yarn|bun|poetry|uv|deno) (?:install|i|add) ([^\n`;&|]+)/g
  return Array.from(text.matchAll(commands), ([, rest = '']) => rest.split(/\s+/))
    .flat()
    .filter((word) => word !== '' && !word.startsWith('-'))
}

it('the test finds the packages that a command installs', () => {
  expect(installed('pip install tollgate\nnpm i -g ./tollgate-0.1.0.tgz openai')).toEqual([
    'tollgate',
    './tollgate-0.1.0.tgz',
    'openai',
  ])
})

it('every install command names a file of this project or a known package', () => {
  const named = published.flatMap((file) => installed(textOf(file)).map((what) => ({ file, what })))
  expect(named.map(({ what }) => what)).toContain('./tollgate_client-0.1.0-py3-none-any.whl')
  expect(
    named.filter(
      ({ what }) => !/^\.\/[\w.-]+\.(?:tgz|whl|tar\.gz)$/.test(what) && !knownPackages.includes(what),
    ),
  ).toEqual([])
})

it('no text runs a tollgate package from a registry or imports tollgate in Python, because another project owns these names', () => {
  const foreign = /\b(?:npx|bunx|uvx|pipx run|pnpm dlx) \S*tollgate|^\s*(?:from|import) tollgate\b(?!_)/m
  const files = [...published, 'sdk/behaviours/python.py', ...globSync('sdk/python/**/*.py', { cwd: root })]
  expect(files.filter((file) => foreign.test(textOf(file)))).toEqual([])
})

it('the Python distribution and its import name belong to this project', () => {
  const project = textOf('sdk/python/pyproject.toml')
  expect(project).toMatch(/^name = "tollgate-client"$/m)
  expect(project).toMatch(/^packages = \["src\/tollgate_client"\]$/m)
})
