/** Formats a call of the API for a terminal, a program, or curl. */
import { flagWords, quoted } from '#cli/operations/flag-words.ts'
import { wordsOf } from '#cli/operations/names.ts'
import type { Operation } from '#cli/operations/operation-table.ts'

export interface SnippetScope {
  readonly baseUrl: string
  /** Null to omit the application, so that the server uses the active one. */
  readonly app: string | null
  readonly mode: 'live' | 'test'
}

export type Input = Readonly<Record<string, unknown>>

export const languages = [
  ['cli', 'Command line'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
  ['curl', 'curl'],
] as const
export type Language = (typeof languages)[number][0]

/** The token is a variable in every language, because a secret must not be in shared text. */
export function snippetOf(
  language: Language,
  operation: Operation,
  input: Input,
  scope: SnippetScope,
): string {
  const left = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined && value !== ''),
  )
  return { cli: commandOf, typescript: typescriptOf, python: pythonOf, curl: curlOf }[language](
    operation,
    left,
    scope,
  )
}

function commandOf(operation: Operation, input: Input, { app, mode }: SnippetScope): string {
  const inPath = (operation.inPath ?? []).map(({ name }) => name)
  // A missing value is shown as a placeholder.
  const words = inPath.map((name) => (name in input ? quoted(textOf(input[name])) : `'<${name}>'`))
  const flags = Object.entries(input)
    .filter(([name]) => !inPath.includes(name))
    .flatMap(([name, value]) => flagWords(name, value))
  const common = [
    ...(app === null ? [] : ['--app', quoted(app)]),
    ...(mode === 'test' ? ['--mode', 'test'] : []),
  ]
  return ['tollgate', ...wordsOf(operation.id), ...words, ...flags, ...common].join(' ')
}

function typescriptOf(operation: Operation, input: Input, { app, baseUrl, mode }: SnippetScope): string {
  const options = [
    'token: process.env.TOLLGATE_TOKEN',
    `baseUrl: ${JSON.stringify(baseUrl)}`,
    ...(app === null ? [] : [`app: ${JSON.stringify(app)}`]),
    ...(mode === 'test' ? [`mode: 'test'`] : []),
  ]
  const given = Object.keys(input).length === 0 ? '' : literalOf(input, typescriptWords)
  const call = `client.${operation.id}(${given})`
  const use =
    operation.answer === 'document' || operation.answer === 'page'
      ? `const answer = await ${call}`
      : `for await (const one of ${call}) console.log(one)`
  return `import { Tollgate } from 'tollgate-sdk'\n\nconst client = new Tollgate({ ${options.join(', ')} })\n${use}\n`
}

function pythonOf(operation: Operation, input: Input, { app, baseUrl, mode }: SnippetScope): string {
  const options = [
    'token=os.environ["TOLLGATE_TOKEN"]',
    `base_url=${JSON.stringify(baseUrl)}`,
    ...(app === null ? [] : [`app=${JSON.stringify(app)}`]),
    ...(mode === 'test' ? ['mode="test"'] : []),
  ]
  const method = operation.id.split('.').map(snake).join('.')
  const given = Object.entries(input).map(
    ([name, value]) => `${snake(name)}=${literalOf(value, pythonWords)}`,
  )
  const call = `client.${method}(${given.join(', ')})`
  const use =
    operation.answer === 'document' || operation.answer === 'page'
      ? `answer = ${call}`
      : `for one in ${call}:\n    print(one)`
  return `import os\nfrom tollgate_client import Tollgate\n\nclient = Tollgate(${options.join(', ')})\n${use}\n`
}

function curlOf(operation: Operation, input: Input, { app, baseUrl, mode }: SnippetScope): string {
  const left = new Map(Object.entries(input))
  const take = (name: string): string => {
    if (!left.has(name)) return `<${name}>`
    const value = textOf(left.get(name))
    left.delete(name)
    return encodeURIComponent(value)
  }
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => take(name))
  const query = (operation.inQuery ?? [])
    .filter((name) => left.has(name))
    .map((name) => `${name}=${take(name)}`)
  const url = `${baseUrl}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const lines = [
    `curl${operation.method === 'GET' ? '' : ` -X ${operation.method}`} ${quoted(url)}`,
    '-H "authorization: Bearer $TOLLGATE_TOKEN"',
    ...(app === null ? [] : [`-H ${quoted(`x-svc-app: ${app}`)}`]),
    ...(mode === 'test' ? [`-H 'x-svc-mode: test'`] : []),
    ...(operation.body === 'json'
      ? [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(Object.fromEntries(left)))}`]
      : []),
  ]
  return lines.join(' \\\n  ')
}

interface Words {
  readonly none: string
  readonly yes: string
  readonly no: string
  readonly isQuotedKey: boolean
}
const typescriptWords: Words = { none: 'null', yes: 'true', no: 'false', isQuotedKey: false }
const pythonWords: Words = { none: 'None', yes: 'True', no: 'False', isQuotedKey: true }

function literalOf(value: unknown, words: Words): string {
  if (value === null || value === undefined) return words.none
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (typeof value === 'bigint') return JSON.stringify(String(value))
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((one) => literalOf(one, words)).join(', ')}]`
  const fields = Object.entries(value).map(([name, one]) => {
    const key = words.isQuotedKey || !/^[A-Za-z_$][\w$]*$/.test(name) ? JSON.stringify(name) : name
    return `${key}: ${literalOf(one, words)}`
  })
  return `{ ${fields.join(', ')} }`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '')
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
