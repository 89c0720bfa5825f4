/** The generated part of the TypeScript SDK: a file for each noun, the shared types, the codes of errors. */
import assert from 'node:assert/strict'
import type { ApiModel, NounModel, OperationModel } from '../sdk/operation-model.ts'
import { namesOf } from '../sdk/operation-model.ts'
import type { TypeModel } from '../sdk/type-model.ts'
import { docComment, fieldLines, literal, typeText } from './type-text.ts'

const head =
  '// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.'
const shared = 'types.'

/** Name in the folder -> text. */
export function typescriptSdk(api: ApiModel): Record<string, string> {
  return {
    'error-code.ts': errorCodes(api),
    'types.ts': sharedTypes(api),
    'operations.ts': operations(api),
    ...Object.fromEntries(api.nouns.map((noun) => [`${kebab(noun.name)}.ts`, nounFile(noun)])),
  }
}

function errorCodes({ errorCodes: codes }: ApiModel): string {
  const rows = codes.map(
    ({ code, message, status }) => `${docComment([`${status}: ${message}`], '  ')}  | ${literal(code)}`,
  )
  return `${head}\n\n/** Every code that the server of this version answers; a later one may know more. */\nexport type ErrorCode =\n${rows.join('\n')}\n`
}

function sharedTypes({ types }: ApiModel): string {
  const printed = types.map(({ description, isAnswered, name, type }) => {
    const comment = docComment([description], '')
    // A type that is both sent and returned is as open as a returned type, so that it can be sent back.
    const direction = isAnswered ? 'answered' : 'sent'
    return type.kind === 'object'
      ? `${comment}export interface ${name} {\n${fieldLines(type.fields, direction, '  ', '')}\n}`
      : `${comment}export type ${name} = ${typeText(type, direction, '', '')}`
  })
  return `${[head, '/** One of these words; a later server may know more. */\nexport type Open<Words extends string> = Words | (string & {})', ...printed].join('\n\n')}\n`
}

function nounFile({ description, itself, name, operations: own }: NounModel): string {
  if (itself) {
    const all = [itself, ...own]
    return file([...all.flatMap(typesOf), callableNoun(description, itself, own)], all)
  }
  const ofEndUsers = own.filter(({ isForEndUsers }) => isForEndUsers)
  const others = own.filter(({ isForEndUsers }) => !isForEndUsers)
  const classes =
    ofEndUsers.length === 0
      ? [nounClass(className(name), description, own)]
      : [
          nounClass(
            'EndUserPortal',
            'What an end user may see and do, with a session of their own.',
            ofEndUsers,
          ),
          nounClass(className(name), description, others, 'EndUserPortal'),
        ]
  return file([...own.flatMap(typesOf), ...classes], own)
}

/** Everything below the client itself. */
function operations(api: ApiModel): string {
  const fields = api.nouns.map(
    ({ description, name }) => `${docComment([description], '  ')}  readonly ${name}: ${className(name)}`,
  )
  const made = api.nouns.map(
    ({ itself, name }) =>
      `    this.${name} = ${itself ? `make${className(name)}` : `new ${className(name)}`}(sender)`,
  )
  const body = [
    ...api.verbs.flatMap(typesOf),
    `/** Every operation, by its id. */
export class Operations {
  readonly #sender: Sender
${fields.join('\n')}

  constructor(sender: Sender) {
    this.#sender = sender
${made.join('\n')}
  }

${api.verbs.map(methodOf).join('\n\n')}
}`,
  ]
  const imports = api.nouns.map(({ itself, name }) => {
    const names = itself ? `make${className(name)}, type ${className(name)}` : className(name)
    return `import { ${names} } from './${kebab(name)}.ts'`
  })
  const again = api.nouns.map(({ name }) => `export type * from './${kebab(name)}.ts'`)
  return file([again.join('\n'), ...body], api.verbs, imports)
}

function file(
  parts: readonly string[],
  own: readonly OperationModel[],
  imports: readonly string[] = [],
): string {
  const text = parts.join('\n\n')
  const uses = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(text)
  // Comments use the word too.
  const open = text.includes('Open<') ? ["import type { Open } from './types.ts'"] : []
  const shares = own.some(usesShared) ? ["import type * as types from './types.ts'"] : []
  const settings = ['CallOptions', 'ConditionalOptions', 'StreamOptions'].filter(uses)
  return `${head}\n\n${[
    ...(uses('Call') ? ["import type { Call } from '../call.ts'"] : []),
    ...(uses('PageCall') ? ["import type { PageCall } from '../page.ts'"] : []),
    "import type { Sender } from '../sender.ts'",
    ...(settings.length > 0 ? [`import type { ${settings.join(', ')} } from '../settings.ts'`] : []),
    ...(uses('StreamCall') ? ["import type { StreamCall } from '../stream.ts'"] : []),
    ...imports,
    ...open,
    ...shares,
  ].join('\n')}\n\n${text}\n`
}

function nounClass(name: string, description: string, own: readonly OperationModel[], base?: string): string {
  const constructor = base
    ? `  constructor(sender: Sender) {
    super(sender)
    this.#sender = sender
  }`
    : `  constructor(sender: Sender) {
    this.#sender = sender
  }`
  return `${docComment([description], '')}export class ${name}${base ? ` extends ${base}` : ''} {
  readonly #sender: Sender

${constructor}

${own.map(methodOf).join('\n\n')}
}`
}

/** A noun that can be called itself, and has verbs too: `usage()` and `usage.export()`. */
function callableNoun(description: string, itself: OperationModel, own: readonly OperationModel[]): string {
  const name = className(itself.id)
  // These names belong to functions, and cannot be set.
  for (const { id, verb } of own)
    assert(!['name', 'length'].includes(verb), `${id} cannot be a field of a function`)
  const members = own.map(
    (operation) =>
      `${commentOf(operation)}  ${operation.verb}(${parametersOf(operation)}): ${returnOf(operation).type}`,
  )
  const made = own.map((operation) => {
    const { call, type } = returnOf(operation)
    return `    ${operation.verb}: (${parametersOf(operation)}): ${type} =>
      sender.${call}(
        ${routeText(operation)},
        input,
        options,
      ),`
  })
  const { call, type } = returnOf(itself)
  return `${docComment([description], '')}export interface ${name} {
${commentOf(itself)}  (${parametersOf(itself)}): ${type}

${members.join('\n\n')}
}

export function make${name}(sender: Sender): ${name} {
  const itself = (${parametersOf(itself)}): ${type} =>
    sender.${call}(
      ${routeText(itself)},
      input,
      options,
    )
  return Object.assign(itself, {
${made.join('\n')}
  })
}`
}

function methodOf(operation: OperationModel): string {
  const { call, type } = returnOf(operation)
  return `${commentOf(operation)}  ${operation.verb}(${parametersOf(operation)}): ${type} {
    return this.#sender.${call}(
      ${routeText(operation)},
      input,
      options,
    )
  }`
}

function parametersOf(operation: OperationModel): string {
  const { answer, isConditional } = operation
  const options =
    answer.kind === 'events' ? 'StreamOptions' : isConditional ? 'ConditionalOptions' : 'CallOptions'
  return `${inputMark(operation)}, options?: ${options}`
}

/** The return type of the method, and the sender's method that it calls. */
function returnOf(operation: OperationModel): { type: string; call: string } {
  const { answer, id } = operation
  switch (answer.kind) {
    case 'document':
      return { type: `Call<${outputName(operation)}>`, call: 'call' }
    case 'page':
      return { type: `PageCall<${itemText(answer.item)}, ${typeName(id)}Output>`, call: 'page' }
    case 'events':
    case 'lines':
      return { type: `StreamCall<${outputName(operation)}>`, call: answer.kind }
  }
}

function commentOf({ description, errors, isExtension, method, path, summary }: OperationModel): string {
  return docComment(
    [
      `${summary}. ${description}`,
      `${method} ${path}${isExtension ? ' (an extension)' : ''}`,
      errors.length > 0 ? `@throws ApiError ${errors.join(', ')}` : '',
    ],
    '  ',
  )
}

/** A type name of an operation's own, or the name of its shared type. */
function outputName({ answer, id }: OperationModel): string {
  const type = answer.kind === 'document' || answer.kind === 'page' ? answer.type : answer.item
  return type.kind === 'named' ? `${shared}${type.name}` : `${typeName(id)}Output`
}

function itemText(item: TypeModel): string {
  return typeText(item, 'answered', '', shared)
}

function inputMark(operation: OperationModel): string {
  if (!hasInput(operation)) return 'input?: Record<string, never>'
  const isNeeded =
    operation.inPath.length > 0 ||
    operation.inQuery.some(({ isRequired }) => isRequired) ||
    operation.body?.kind === 'file' ||
    operation.body?.kind === 'shapes' ||
    (operation.body?.kind === 'fields' && operation.body.fields.some(({ isRequired }) => isRequired))
  return `input${isNeeded ? '' : '?'}: ${typeName(operation.id)}Input`
}

function hasInput({ body, inPath, inQuery }: OperationModel): boolean {
  return (
    inPath.length + inQuery.length > 0 ||
    (body !== null && !(body.kind === 'fields' && body.fields.length === 0))
  )
}

function routeText({ answer, body, id, inQuery, isKeyed, method, path }: OperationModel): string {
  const facts = [
    `id: ${literal(id)}`,
    `method: ${literal(method)}`,
    `path: ${literal(path)}`,
    ...(inQuery.length > 0 ? [`query: [${inQuery.map(({ name }) => literal(name)).join(', ')}]`] : []),
    ...(body ? [`body: ${literal(body.kind === 'file' ? 'file' : 'json')}`] : []),
    ...(isKeyed ? ['isKeyed: true'] : []),
    ...(answer.kind === 'events' && answer.event !== null ? [`event: ${literal(answer.event)}`] : []),
  ]
  return `{ ${facts.join(', ')} }`
}

function typesOf(operation: OperationModel): string[] {
  const { answer, body, id, inPath, inQuery, summary } = operation
  const name = typeName(id)
  const types: string[] = []
  if (hasInput(operation)) {
    const fields = [...inPath, ...inQuery, ...(body?.kind === 'fields' ? body.fields : [])]
    const own = fieldLines(fields, 'sent', '  ', shared)
    const comment = docComment([`Of ${id}: ${lowerFirst(summary)}.`], '')
    if (body?.kind === 'shapes') {
      const shapes = typeText(body.type, 'sent', '', shared)
      types.push(
        `${comment}export type ${name}Input = ${fields.length > 0 ? `{\n${own}\n} & (${shapes})` : shapes}`,
      )
    } else {
      const lines = [own, ...(body?.kind === 'file' ? [fileFields(body.types)] : [])].filter(
        (text) => text !== '',
      )
      types.push(`${comment}export interface ${name}Input {\n${lines.join('\n')}\n}`)
    }
  }
  const output = answer.kind === 'document' || answer.kind === 'page' ? answer.type : answer.item
  if (output.kind !== 'named') {
    const comment = docComment([`What ${id} answers.`], '')
    types.push(
      output.kind === 'object'
        ? `${comment}export interface ${name}Output {\n${fieldLines(output.fields, 'answered', '  ', shared)}\n}`
        : `${comment}export type ${name}Output = ${typeText(output, 'answered', '', shared)}`,
    )
  }
  return types
}

function fileFields(types: readonly string[]): string {
  return `  /** The file. */
  file: Blob | ArrayBuffer | Uint8Array
  /** Its media type; that of the Blob when left out. */
  type?: ${types.map(literal).join(' | ')} | undefined`
}

function usesShared({ answer, body, inPath, inQuery }: OperationModel): boolean {
  const types = [
    ...[...inPath, ...inQuery, ...(body?.kind === 'fields' ? body.fields : [])].map(({ type }) => type),
    ...(body?.kind === 'shapes' ? [body.type] : []),
    answer.kind === 'document' || answer.kind === 'page' ? answer.type : answer.item,
  ]
  return types.some((type) => namesOf(type).length > 0)
}

/** `keys.mint` is `KeysMint`. */
function typeName(id: string): string {
  return id.split('.').map(upperFirst).join('')
}

/** `deviceAuth` is `DeviceAuth`. */
function className(noun: string): string {
  return upperFirst(noun)
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function upperFirst(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`
}

function lowerFirst(text: string): string {
  return `${text[0]?.toLowerCase() ?? ''}${text.slice(1)}`
}
