/**
 * Data about every operation for the command line, as JSON. The file is small enough to be read at each start, unlike
 * the code of the operations. Nested fields become separate flags such as `price.input`, with the kind of text that
 * each flag accepts.
 */
import type { Flag, FlagKind, Operation, OperationTable } from '#cli/operations/operation-table.ts'
import type { ApiModel, OperationModel } from '../sdk/operation-model.ts'
import type { FieldModel, TypeModel } from '../sdk/type-model.ts'

export function operationTable(api: ApiModel): string {
  const types = new Map(api.types.map(({ name, type }) => [name, type]))
  const all = [
    ...api.nouns.flatMap(({ itself, operations }) => (itself ? [itself, ...operations] : operations)),
    ...api.verbs,
  ]
  const table: OperationTable = {
    nouns: Object.fromEntries(api.nouns.map(({ description, name }) => [name, description])),
    operations: all.map((operation) => entryOf(operation, types)),
  }
  // Write one operation per line, so that a change of an operation changes one line.
  const lines = table.operations.map((operation) => `    ${JSON.stringify(operation)}`)
  return `{\n  "nouns": ${JSON.stringify(table.nouns)},\n  "operations": [\n${lines.join(',\n')}\n  ]\n}\n`
}

type Types = ReadonlyMap<string, TypeModel>

function entryOf(operation: OperationModel, types: Types): Operation {
  const { answer, body, description, id, inPath, inQuery, isConditional, isKeyed, method, path, summary } =
    operation
  const inBody = body === null || body.kind === 'file' ? [] : fieldsOfBody(body, types)
  const flags = [...inQuery, ...inBody].flatMap((field) => flagsOf(field, [], types))
  return {
    id,
    method,
    path,
    summary,
    description,
    answer: answer.kind,
    ...fieldsAnswered(answer, types),
    ...(inPath.length > 0 && { inPath: inPath.map(({ description: about, name }) => ({ name, about })) }),
    ...(inQuery.length > 0 && { inQuery: inQuery.map(({ name }) => name) }),
    ...(flags.length > 0 && { flags }),
    ...(body !== null && { body: body.kind === 'file' ? 'file' : 'json' }),
    ...(body?.kind === 'file' && { fileTypes: body.types }),
    ...(isKeyed && { isKeyed }),
    ...(isConditional && { isConditional }),
  }
}

/** A field is required if every variant requires it. */
function fieldsOfBody(
  body: Exclude<NonNullable<OperationModel['body']>, { kind: 'file' }>,
  types: Types,
): readonly FieldModel[] {
  return body.kind === 'fields' ? body.fields : merged(shapesOf(body.type, types))
}

function shapesOf(type: TypeModel, types: Types): (readonly FieldModel[])[] {
  const known = resolved(type, types)
  if (known.kind === 'object') return [known.fields]
  return known.kind === 'union' ? known.of.flatMap((one) => shapesOf(one, types)) : []
}

function merged(shapes: readonly (readonly FieldModel[])[]): FieldModel[] {
  const names = [...new Set(shapes.flatMap((fields) => fields.map(({ name }) => name)))]
  return names.flatMap((name) => {
    const all = shapes.flatMap((fields) => fields.filter((field) => field.name === name))
    const [first] = all
    if (!first) return []
    const type: TypeModel =
      all.length === 1 ? first.type : { kind: 'union', of: all.map((field) => field.type) }
    const isRequired = all.length === shapes.length && all.every((field) => field.isRequired)
    return [{ ...first, type, isRequired }]
  })
}

/** `--json` and `--columns` accept the fields of the response, and the fields directly inside them. */
function fieldsAnswered(answer: OperationModel['answer'], types: Types): Pick<Operation, 'fields'> {
  if (answer.kind !== 'page' && answer.kind !== 'document') return {}
  const fields = merged(shapesOf(answer.kind === 'page' ? answer.item : answer.type, types)).flatMap(
    ({ name, type }) => {
      const real = alternatives(type, types).filter(({ kind }) => kind !== 'null')
      const isWhole = real.some(({ kind }) => kind !== 'object')
      return [name, ...(isWhole ? [] : merged(shapesOf(type, types)).map((one) => `${name}.${one.name}`))]
    },
  )
  return fields.length > 0 ? { fields } : {}
}

/** Nested objects become separate flags up to this depth. Deeper objects are clearer as JSON. */
const deepest = 3

function flagsOf(field: FieldModel, above: readonly string[], types: Types): Flag[] {
  const { description, isRequired, name } = field
  const path = [...above, name]
  const all = alternatives(field.type, types)
  const isNullable = all.some(({ kind }) => kind === 'null')
  const real = all.filter(({ kind }) => kind !== 'null')
  const shapes = real.flatMap((type) => (type.kind === 'object' ? [type.fields] : []))
  if (shapes.length > 0 && shapes.length === real.length && path.length < deepest) {
    const within = merged(shapes).flatMap((one) => flagsOf({ ...one, isRequired: false }, path, types))
    return [
      {
        name: path.join('.'),
        kind: 'json',
        about: description,
        ...(isRequired && { isRequired }),
        isGroup: true,
        ...(isNullable && { isNullable }),
      },
      ...within,
    ]
  }
  return [
    {
      name: path.join('.'),
      about: description,
      ...(isRequired && { isRequired }),
      ...(isNullable && { isNullable }),
      ...kindOf(real, path, types),
    },
  ]
}

function kindOf(
  real: readonly TypeModel[],
  path: readonly string[],
  types: Types,
): Pick<Flag, 'kind' | 'words' | 'isList' | 'isMap' | 'fields'> {
  const [first] = real
  const lists = real.filter((type) => type.kind === 'list')
  if (lists.length > 0 && lists.length === real.length) {
    const items = lists.flatMap(({ item }) => alternatives(item, types))
    return { ...kindOf(items, path, types), isList: true }
  }
  if (first?.kind === 'map' && real.length === 1) {
    const within = kindOf(alternatives(first.value, types), path, types)
    return within.kind === 'json' ? { kind: 'json' } : { ...within, isMap: true }
  }
  const shapes = real.flatMap((type) => (type.kind === 'object' ? [type.fields] : []))
  if (shapes.length > 0) {
    const within = merged(shapes).flatMap((one) => flagsOf({ ...one, isRequired: false }, [], types))
    // Such as one rule for all kinds of tools, or an object with a rule for each kind.
    const words = wordsOf(real.filter((type) => type.kind !== 'object'))
    return {
      kind: 'json',
      ...(words.length > 0 && { words }),
      fields: within.filter(({ isGroup }) => isGroup !== true),
    }
  }
  const words = wordsOf(real)
  if (words.length > 0) return { kind: 'text', words }
  const kinds = [...new Set(real.map((type) => simpleKind(type, path)))]
  const [kind = 'json'] = kinds
  if (kinds.length === 1) return { kind }
  // Such as a word that names a rule, or a number that is a maximum.
  const others = real.filter((type) => type.kind !== 'words')
  const isNumber = others.length > 0 && others.every((type) => type.kind === 'integer')
  return isNumber
    ? { kind: 'integer', words: wordsOf(real.filter((type) => type.kind === 'words')) }
    : { kind: 'json' }
}

function simpleKind(type: TypeModel, path: readonly string[]): FlagKind {
  switch (type.kind) {
    case 'constant':
      return typeof type.value === 'boolean' ? 'boolean' : 'json'
    case 'amount':
      return isMoney(path) ? 'micros' : 'amount'
    case 'time':
    case 'day':
      return 'time'
    case 'text':
    case 'boolean':
    case 'integer':
    case 'number':
      return type.kind
    default:
      return 'json'
  }
}

/** Fields named `credits` are prices in credits. The unit of fields named `amount` is stated by another field. */
function isMoney(path: readonly string[]): boolean {
  const last = path.at(-1) ?? ''
  return last.endsWith('Micros') || last === 'amountUnits' || path[0] === 'price'
}

function wordsOf(types: readonly TypeModel[]): string[] {
  const all = types.flatMap((type) =>
    type.kind === 'words'
      ? [...type.words]
      : type.kind === 'constant' && typeof type.value === 'string'
        ? [type.value]
        : [null],
  )
  return all.some((word) => word === null) ? [] : [...new Set(all.flatMap((word) => word ?? []))]
}

function alternatives(type: TypeModel, types: Types): TypeModel[] {
  const known = resolved(type, types)
  return known.kind === 'union' ? known.of.flatMap((one) => alternatives(one, types)) : [known]
}

function resolved(type: TypeModel, types: Types): TypeModel {
  if (type.kind !== 'named') return type
  return resolved(types.get(type.name) ?? { kind: 'unknown' }, types)
}
