/**
 * The generated part of the Python SDK: a file for each noun, the shared types, the codes of errors. A noun has two
 * classes with the same methods: a synchronous class and an asynchronous class.
 */
import assert from 'node:assert/strict'
import type { ApiModel, NamedType, NounModel, OperationModel } from '../sdk/operation-model.ts'
import { namesOf } from '../sdk/operation-model.ts'
import type { FieldModel, TypeModel } from '../sdk/type-model.ts'
import { pythonName, typeName, upperFirst } from './names.ts'
import { inPythonWords } from './python-words.ts'
import { docstring, literal, model, typedDict, typeText, type Direction, type Printing } from './type-text.ts'

const banner =
  '# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.'

const ownModules: ReadonlySet<string> = new Set(['error_code', 'operations', 'params', 'types'])

type Flavour = 'sync' | 'async'

/** Name in the folder -> text. */
export function pythonSdk(inOwnWords: ApiModel): Record<string, string> {
  const api = inPythonWords(inOwnWords)
  for (const noun of api.nouns) assert(!ownModules.has(moduleName(noun)), `${noun.name} is a file of its own`)
  const classes = new Set(api.types.flatMap(({ name, type }) => (type.kind === 'object' ? [name] : [])))
  for (const operation of operationsOf(api)) {
    const type = answerType(operation)
    assert(type.kind !== 'named' || classes.has(type.name), `${operation.id} answers what is no class`)
  }
  const answered = new Set(api.types.flatMap(({ isAnswered, name }) => (isAnswered ? [name] : [])))
  return {
    '__init__.py': `${banner}\n`,
    'error_code.py': errorCodes(api),
    'params.py': params(api, answered),
    'types.py': sharedTypes(api, answered),
    'operations.py': operations(api, answered),
    ...Object.fromEntries(api.nouns.map((noun) => [`${moduleName(noun)}.py`, nounFile(noun, answered)])),
  }
}

function errorCodes({ errorCodes: codes }: ApiModel): string {
  const rows = codes.map(
    ({ code, message, status }) => `${comment(`${status}: ${message}`, '    ')}    ${literal(code)},\n`,
  )
  return `${banner}
from typing import Literal

ErrorCode = Literal[
${rows.join('')}]
"""Every code that the server of this version answers; a later one may know more."""
`
}

function comment(text: string, indent: string): string {
  const words = text.split(' ')
  const lines = ['']
  for (const word of words) {
    const last = lines.length - 1
    const line = lines[last] ?? ''
    if (line !== '' && line.length + word.length > 96) lines.push(word)
    else lines[last] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line) => `${indent}# ${line}\n`).join('')
}

function sharedTypes({ types: shared }: ApiModel, answered: ReadonlySet<string>): string {
  return file(
    aliasesLast(shared)
      .filter(({ isAnswered }) => isAnswered)
      .flatMap((type) =>
        sharedType(type, type.name, { direction: 'answered', models: '', params: '', answered }),
      ),
  )
}

/** Python resolves the names in an alias when it reads the alias, and those in a class only on use. */
function aliasesLast(types: readonly NamedType[]): NamedType[] {
  return types.toSorted(
    (one, other) => Number(one.type.kind !== 'object') - Number(other.type.kind !== 'object'),
  )
}

/** The shared types that callers send, and those within them. */
function params(api: ApiModel, answered: ReadonlySet<string>): string {
  const byName = new Map(api.types.map((type) => [type.name, type]))
  const sent = new Set<string>()
  const follow = (type: TypeModel): void => {
    for (const name of namesOf(type)) {
      if (sent.has(name)) continue
      sent.add(name)
      follow(byName.get(name)?.type ?? { kind: 'unknown' })
    }
  }
  for (const operation of operationsOf(api)) for (const { type } of inputsOf(operation)) follow(type)
  const own = aliasesLast(api.types).filter(({ name }) => sent.has(name))
  return file(
    own.flatMap((type) =>
      sharedType(type, `${type.name}Param`, { direction: 'sent', models: 'types.', params: '', answered }),
    ),
  )
}

function sharedType(
  { description, type }: NamedType,
  name: string,
  way: Omit<Printing, 'declare'>,
): string[] {
  const declared: string[] = []
  const own: Printing = { ...way, declare: (text) => declared.push(text) }
  if (type.kind === 'object') {
    const text =
      way.direction === 'sent'
        ? typedDict(name, description, type.fields, own)
        : model(name, description, type.fields, own)
    return [...declared, text]
  }
  const alias = aliasText(name, typeText(type, `${name}Part`, own), description)
  return [...declared, alias]
}

function aliasText(name: string, text: string, description: string): string {
  return `${name}: TypeAlias = ${text}\n${docstring([description], '')}`
}

function operationsOf({ nouns, verbs }: ApiModel): OperationModel[] {
  return [...nouns.flatMap(({ itself, operations: own }) => (itself ? [itself, ...own] : own)), ...verbs]
}

function nounFile(noun: NounModel, answered: ReadonlySet<string>): string {
  const { description, itself, name, operations: own } = noun
  const all = itself ? [itself, ...own] : own
  const ofEndUsers = own.filter(({ isForEndUsers }) => isForEndUsers)
  const others = own.filter(({ isForEndUsers }) => !isForEndUsers)
  const end = 'What an end user may see and do, with a session of their own.'
  const classes = (flavour: Flavour): string[] =>
    ofEndUsers.length === 0
      ? nounClass(upperFirst(name), description, all, flavour)
      : [
          ...nounClass('EndUserPortal', end, ofEndUsers, flavour),
          ...nounClass(upperFirst(name), description, others, flavour, 'EndUserPortal'),
        ]
  return file([
    ...all.flatMap((operation) => typesOf(operation, answered)),
    ...all.map(routeText),
    ...classes('sync'),
    ...classes('async'),
  ])
}

/** Everything below the client itself. */
function operations(api: ApiModel, answered: ReadonlySet<string>): string {
  const { nouns, verbs } = api
  return file(
    [
      ...verbs.flatMap((operation) => typesOf(operation, answered)),
      ...verbs.map(routeText),
      ...nounClass('Operations', 'Every operation, by its id.', verbs, 'sync', null, nouns),
      ...nounClass('Operations', 'Every operation, by its id.', verbs, 'async', null, nouns),
    ],
    nouns.map((noun) => {
      const name = upperFirst(noun.name)
      return `from .${moduleName(noun)} import ${[`Async${name}`, name].toSorted().join(', ')}`
    }),
  )
}

function file(parts: readonly string[], imports: readonly string[] = []): string {
  const text = parts.join('\n\n')
  const code = text.replace(/"""[^]*?"""/g, '')
  // In Python, a second declaration silently replaces the first.
  for (const [name, all] of Map.groupBy(declaredIn(code), (one) => one)) {
    assert(
      all.length === 1,
      `${all.length} shapes of one file are called ${name}: name one of them otherwise`,
    )
  }
  const uses = (name: string): boolean => new RegExp(`(?<![\\w.])${name}\\b`).test(code)
  const from = (module: string, ...names: readonly string[]): string[] => {
    const used = names.filter(uses)
    return used.length > 0 ? [`from ${module} import ${used.join(', ')}`] : []
  }
  const groups = [
    [
      ...from('collections.abc', 'Mapping', 'Sequence'),
      ...from('typing', 'Any', 'ClassVar', 'Literal', 'TypeAlias'),
    ],
    [...from('typing_extensions', 'NotRequired', 'TypedDict', 'Unpack')],
    [
      ...from('..document', 'Document', 'reader'),
      ...from('..inputs', 'Amount', 'Time'),
      ...from('..page', 'AsyncPage', 'AsyncPageCall', 'Page'),
      ...from('..request', 'Route'),
      ...from('..response', 'RawResponse', 'async_raw', 'raw'),
      ...from('..sender', 'AsyncSender', 'Sender'),
      ...from('..settings', 'CallOptions', 'ConditionalOptions', 'StreamOptions'),
      ...from('..stream', 'AsyncStream', 'Stream'),
      ...from('.', 'params', 'types'),
      ...imports.toSorted(),
    ],
  ].filter((group) => group.length > 0)
  return `${banner}\n${[['from __future__ import annotations'], ...groups].map((group) => group.join('\n')).join('\n\n')}\n\n${parts[0]?.startsWith('class ') ? '\n' : ''}${parts.join('\n\n')}`
}

/** Names of the classes and aliases of a file. */
function declaredIn(code: string): string[] {
  return [...code.matchAll(/^(?:class (\w+)|(\w+): TypeAlias =)/gm)].map(
    ([, one, alias]) => one ?? alias ?? '',
  )
}

/** Its class, and the class with raw responses. */
function nounClass(
  name: string,
  description: string,
  own: readonly OperationModel[],
  flavour: Flavour,
  base: string | null = null,
  nouns: readonly NounModel[] = [],
): string[] {
  const prefix = flavour === 'sync' ? '' : 'Async'
  const sender = `${prefix}Sender`
  const rawName = `${prefix}${name}WithRawResponse`
  const read = own.filter(({ answer }) => answer.kind === 'document' || answer.kind === 'page')
  const wrap = flavour === 'sync' ? 'raw' : 'async_raw'
  const made = nouns.map(
    (noun) =>
      `        self.${pythonName(noun.name)} = ${prefix}${upperFirst(noun.name)}(sender)\n${docstring([noun.description], '        ')}`,
  )
  const itself = own.find((operation) => methodName(operation, name) === '__call__')
  const members = read.filter((operation) => operation !== itself)
  const rawClass = `class ${rawName}${base ? `(${prefix}${base}WithRawResponse)` : ''}:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: ${prefix}${name}) -> None:
${base ? '        super().__init__(methods)\n' : ''}${members.map((operation) => `        self.${methodName(operation, name)} = ${wrap}(methods.${methodName(operation, name)})\n`).join('')}${itself ? `        self._itself = ${wrap}(methods.__call__)\n\n${rawCall(itself, flavour)}` : ''}`
  const ownClass = `class ${prefix}${name}${base ? `(${prefix}${base})` : ''}:
${docstring([description], '    ')}
    def __init__(self, sender: ${sender}) -> None:
${base ? '        super().__init__(sender)\n' : ''}        self._sender = sender
${made.join('')}
    @property
    def with_raw_response(self) -> ${rawName}:
        """The same methods, each of which gives a RawResponse."""
        return ${rawName}(${prefix}${name}(self._sender.raw()))

${own.map((operation) => methodOf(operation, name, flavour)).join('\n')}`
  return [ownClass, rawClass]
}

/** A noun that is also an operation is a callable object: `usage()` in addition to `usage.export()`. */
function methodName({ id, noun, verb }: OperationModel, className: string): string {
  return id === noun && upperFirst(noun) === className ? '__call__' : pythonName(verb)
}

function rawCall(operation: OperationModel, flavour: Flavour): string {
  const { answer } = operation
  assert.equal(answer.kind, 'document', `${operation.id} is a noun, and answers no document`)
  const result = `RawResponse[${outputName(operation)}]`
  const mark = flavour === 'sync' ? '' : 'async '
  const wait = flavour === 'sync' ? '' : 'await '
  return `    ${mark}def __call__(${parametersOf(operation)}) -> ${result}:
        return ${wait}self._itself(options=options${hasInput(operation) ? ', **given' : ''})
`
}

function methodOf(operation: OperationModel, className: string, flavour: Flavour): string {
  const { answer, id } = operation
  const given = hasInput(operation) ? 'given' : '{}'
  const send = (call: string, as: string): string =>
    `self._sender.${call}(${routeName(id)}, ${given}, options, ${as})`
  const name = methodName(operation, className)
  const isAsync = flavour === 'async'
  const head = (mark: string, result: string): string =>
    `    ${mark}def ${name}(${parametersOf(operation)}) -> ${result}:\n${describing(operation)}`
  switch (answer.kind) {
    case 'document': {
      const call = `${isAsync ? 'await ' : ''}${send('call', readerOf(operation))}`
      return `${head(isAsync ? 'async ' : '', outputName(operation))}        return ${call}\n`
    }
    case 'page': {
      const item = typeText(answer.item, '', printing('answered', new Set()))
      const page = `${isAsync ? 'Async' : ''}${typeName(id)}Page`
      return `${head('', isAsync ? `AsyncPageCall[${item}, ${page}]` : page)}        return ${send('page', page)}\n`
    }
    case 'events':
    case 'lines':
      return `${head('', `${isAsync ? 'Async' : ''}Stream[${outputName(operation)}]`)}        return ${send(answer.kind, readerOf(operation))}\n`
  }
}

function parametersOf(operation: OperationModel): string {
  const { answer, id, isConditional } = operation
  const options =
    answer.kind === 'events' ? 'StreamOptions' : isConditional ? 'ConditionalOptions' : 'CallOptions'
  const given = hasInput(operation) ? `, **given: Unpack[${typeName(id)}Input]` : ''
  return `self, *, options: ${options} | None = None${given}`
}

function describing(operation: OperationModel): string {
  const { description, errors, id, isExtension, method, path, summary } = operation
  const inputs = inputsOf(operation)
  const takes = inputs.length > 0 ? `Its inputs are those of ${typeName(id)}Input.` : ''
  return docstring(
    [
      `${summary}.`,
      description,
      `${method} ${path}${isExtension ? ' (an extension)' : ''}. ${takes}`.trim(),
      errors.length > 0 ? `Raises ApiError: ${errors.join(', ')}.` : '',
    ],
    '        ',
  )
}

function answerType({ answer }: OperationModel): TypeModel {
  return answer.kind === 'document' || answer.kind === 'page' ? answer.type : answer.item
}

/** A type name of an operation's own, or the name of its shared type. */
function outputName(operation: OperationModel): string {
  const type = answerType(operation)
  return type.kind === 'named' ? `types.${type.name}` : `${typeName(operation.id)}Output`
}

/** Returns the code that creates the result from a document. */
function readerOf(operation: OperationModel): string {
  const type = answerType(operation)
  const name = outputName(operation)
  return type.kind === 'object' || type.kind === 'named' ? name : `reader(${name})`
}

function routeName(id: string): string {
  return `_${id.split('.').map(pythonName).join('_').toUpperCase()}`
}

function routeText(operation: OperationModel): string {
  const { answer, body, id, inQuery, isKeyed, method, path } = operation
  const accept = { events: 'text/event-stream', lines: 'application/x-ndjson', document: '', page: '' }[
    answer.kind
  ]
  const facts = [
    `id=${literal(id)}`,
    `method=${literal(method)}`,
    `path=${literal(path)}`,
    ...(hasInput(operation) ? [`takes=${typeName(id)}Input`] : []),
    ...(inQuery.length > 0 ? [`query=(${inQuery.map(({ name }) => `${literal(name)},`).join(' ')})`] : []),
    ...(body ? [`body=${literal(body.kind === 'file' ? 'file' : 'json')}`] : []),
    ...(isKeyed ? ['is_keyed=True'] : []),
    ...(accept ? [`accept=${literal(accept)}`] : []),
    ...(answer.kind === 'events' && answer.event !== null ? [`event=${literal(answer.event)}`] : []),
  ]
  return `${routeName(id)} = Route(\n${facts.map((fact) => `    ${fact},\n`).join('')})\n`
}

function hasInput(operation: OperationModel): boolean {
  return inputsOf(operation).length > 0
}

function inputsOf({
  body,
  inPath,
  inQuery,
}: Pick<OperationModel, 'body' | 'inPath' | 'inQuery'>): FieldModel[] {
  const outside = [...inPath, ...inQuery]
  switch (body?.kind) {
    case undefined:
      return outside
    case 'fields':
      return [...outside, ...body.fields]
    case 'file':
      return [...outside, ...fileFields(body.types)]
    case 'shapes':
      return [...outside, ...fieldsOfAll(body.type)]
  }
}

function fileFields(types: readonly string[]): FieldModel[] {
  const field = { isRequired: true, isDeprecated: false }
  return [
    { ...field, name: 'file', description: 'The file.', type: { kind: 'text' } },
    { ...field, name: 'type', description: 'Its media type.', type: { kind: 'words', words: types } },
  ]
}

/** Merges several shapes into one. A field is required if each shape requires it. */
function fieldsOfAll(type: TypeModel): FieldModel[] {
  const shapes = (type.kind === 'union' ? type.of : [type]).map((shape) => {
    assert(shape.kind === 'object', `a body that is ${shape.kind}`)
    return shape.fields
  })
  const byName = Map.groupBy(shapes.flat(), ({ name }) => name)
  return [...byName.values()].flatMap((same) => {
    const [first] = same
    if (!first) return []
    const isRequired = same.length === shapes.length && same.every((field) => field.isRequired)
    const types = [...new Map(same.map(({ type: one }) => [JSON.stringify(one), one])).values()]
    return [
      { ...first, isRequired, type: types.length === 1 ? first.type : { kind: 'union' as const, of: types } },
    ]
  })
}

function printing(
  direction: Direction,
  answered: ReadonlySet<string>,
  declare: (text: string) => void = () => {},
): Printing {
  return { direction, models: 'types.', params: 'params.', answered, declare }
}

function typesOf(operation: OperationModel, answered: ReadonlySet<string>): string[] {
  const { answer, body, id, summary } = operation
  const name = typeName(id)
  const declared: string[] = []
  const declare = (text: string): void => void declared.push(text)
  const inputs = inputsOf(operation)
  if (inputs.length > 0) {
    for (const { name: input } of inputs) {
      assert(!['options', 'self'].includes(pythonName(input)), `${id}: an input cannot be called ${input}`)
    }
    const sent = printing('sent', answered, declare)
    const text = typedDict(`${name}Input`, `Of ${id}: ${lowerFirst(summary)}.`, inputs, sent)
    declared.push(body?.kind === 'file' ? text.replace('    file: str', '    file: bytes') : text)
  }
  const output = answerType(operation)
  const read = printing('answered', answered, declare)
  if (output.kind === 'object')
    declared.push(model(`${name}Output`, `What ${id} answers.`, output.fields, read))
  else if (output.kind !== 'named') {
    declared.push(
      aliasText(`${name}Output`, typeText(output, `${name}OutputPart`, read), `What ${id} answers.`),
    )
  }
  if (answer.kind === 'page') declared.push(...pagesOf(operation, answer.item))
  return declared
}

function pagesOf(operation: OperationModel, item: TypeModel): string[] {
  const text = typeText(item, '', printing('answered', new Set()))
  return (['', 'Async'] as const).map(
    (prefix) =>
      `class ${prefix}${typeName(operation.id)}Page(${outputName(operation)}, ${prefix}Page[${text}]):\n    """A page of ${operation.id}."""\n`,
  )
}

function moduleName({ name }: NounModel): string {
  return pythonName(name)
}

function lowerFirst(text: string): string {
  return `${text[0]?.toLowerCase() ?? ''}${text.slice(1)}`
}
