import { inputAsFlags } from '#cli/operations/copyable-flags.ts'
import { wordsOf } from '#cli/operations/command-and-flag-names.ts'
import type { Operation } from '#cli/operations/operation-table.ts'
import { literal, shellWord, snake } from '#sdk/values-as-source-code.ts'

export interface SnippetScope {
  readonly baseUrl: string
  /** Null omits the application, so that the server uses the active application. */
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
  input: object,
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
  const words = inPath.map((name) => (name in input ? shellWord(textOf(input[name])) : `'<${name}>'`))
  const flags = Object.entries(input)
    .filter(([name]) => !inPath.includes(name))
    .flatMap(([name, value]) => inputAsFlags(name, value))
  const common = [
    ...(app === null ? [] : ['--app', shellWord(app)]),
    ...(mode === 'test' ? ['--mode', 'test'] : []),
  ]
  return ['tollgate', ...wordsOf(operation.id), ...words, ...flags, ...common].join(' ')
}

function typescriptOf(operation: Operation, input: Input, { app, baseUrl, mode }: SnippetScope): string {
  const options = [
    'token: process.env.TOLLGATE_TOKEN',
    `baseUrl: ${literal('typescript', baseUrl)}`,
    ...(app === null ? [] : [`app: ${literal('typescript', app)}`]),
    ...(mode === 'test' ? [`mode: 'test'`] : []),
  ]
  const given = Object.keys(input).length === 0 ? '' : literal('typescript', input)
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
    `base_url=${literal('python', baseUrl)}`,
    ...(app === null ? [] : [`app=${literal('python', app)}`]),
    ...(mode === 'test' ? ['mode="test"'] : []),
  ]
  const method = operation.id.split('.').map(snake).join('.')
  const given = Object.entries(input).map(([name, value]) => `${snake(name)}=${literal('python', value)}`)
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
    `curl${operation.method === 'GET' ? '' : ` -X ${operation.method}`} ${shellWord(url)}`,
    '-H "authorization: Bearer $TOLLGATE_TOKEN"',
    ...(app === null ? [] : [`-H ${shellWord(`x-svc-app: ${app}`)}`]),
    ...(mode === 'test' ? [`-H 'x-svc-mode: test'`] : []),
    ...(operation.body === 'json'
      ? [`-H 'content-type: application/json'`, `-d ${shellWord(JSON.stringify(Object.fromEntries(left)))}`]
      : []),
  ]
  return lines.join(' \\\n  ')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '')
}
