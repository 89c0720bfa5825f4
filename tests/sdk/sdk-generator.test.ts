import { describe, expect, it } from 'vitest'
import { errors } from '#domain/errors.ts'
import { operations } from '#operations/index.ts'
import { pythonName, wireName } from '../../tools/generate/python/python-names.ts'
import { pythonSdk } from '../../tools/generate/python/write-python-sdk.ts'
import { apiModel, type OperationModel } from '../../tools/generate/sdk/operation-model.ts'
import { fieldOf, typeOf, type TypeModel } from '../../tools/generate/sdk/type-model.ts'
import { typescriptSdk } from '../../tools/generate/typescript/write-typescript-sdk.ts'

const api = apiModel(operations, errors)
const models = [
  ...api.nouns.flatMap(({ itself, operations: own }) => (itself ? [itself, ...own] : own)),
  ...api.verbs,
]

function modelOf(id: string): OperationModel {
  const model = models.find((one) => one.id === id)
  if (!model) throw new Error(`there is no ${id}`)
  return model
}

const namesOf = ({ inPath }: OperationModel): string[] => inPath.map(({ name }) => name)

describe('the model of the operations', () => {
  it('the generator’s model contains each operation of the table once', () => {
    expect(models.map(({ id }) => id).toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
  })

  it('a path input has the name that its operation declares, even if another operation of the same path declares another name', () => {
    expect(namesOf(modelOf('providers.connect'))).toEqual(['label'])
    expect(namesOf(modelOf('providers.show'))).toEqual(['id'])
    expect(namesOf(modelOf('outcomes.finish'))).toEqual(['slug', 'id'])
  })

  it('a path input is named after its resource only if a body field has the same name', () => {
    expect(modelOf('bundles.include').path).toBe('/v1/bundles/{bundleSlug}/include')
    const changed = models.filter(({ id, path }) => path !== operations.find((one) => one.id === id)?.path)
    expect(changed.map(({ id }) => id)).toEqual(['bundles.include'])
  })

  it('the model recognizes lists, streams, files, keys and ETags', () => {
    expect(modelOf('keys.list').answer.kind).toBe('page')
    expect(modelOf('usage.export').answer.kind).toBe('lines')
    expect(modelOf('requests.tail').answer).toMatchObject({ kind: 'events', event: 'call' })
    expect(modelOf('brand.logo').body).toMatchObject({ kind: 'file' })
    expect(modelOf('keys.mint')).toMatchObject({ isKeyed: true, isConditional: false })
    expect(modelOf('bundles.edit')).toMatchObject({ isKeyed: true, isConditional: true })
    expect(modelOf('sessions.create').isKeyed).toBe(false)
    expect(api.nouns.find(({ name }) => name === 'usage')?.itself?.id).toBe('usage')
  })

  it('the model describes a field’s range, its unit and its default', () => {
    const about = (schema: object): string =>
      fieldOf('x', { description: 'It is.', ...schema }, false).description
    expect(about({ type: 'string', minLength: 1, maxLength: 128 })).toBe('It is. 1 to 128 characters.')
    expect(about({ type: 'integer', minimum: 0, maximum: 10, default: 5 })).toBe(
      'It is. From 0 to 10. Defaults to `5`.',
    )
    expect(about({ type: 'string', enum: ['day', 'month'], default: 'month' })).toBe(
      'It is. Defaults to `month`.',
    )
    expect(about({ type: 'string', pattern: '^(0|[1-9][0-9]{0,14}|10{15})$' })).toBe(
      'It is. An integer as a decimal string.',
    )
  })

  it('the generator’s model recognizes the fields that contain amounts and times', () => {
    const amount = { type: 'string', pattern: '^(0|-?[1-9][0-9]*)$' }
    expect(typeOf({ anyOf: [amount, { type: 'null' }] })).toEqual({
      kind: 'union',
      of: [{ kind: 'amount' }, { kind: 'null' }],
    })
    const day = { type: 'string', format: 'date' }
    expect(typeOf({ anyOf: [day, { type: 'string', format: 'date-time' }] })).toEqual({ kind: 'time' })
    // A slug that consists of digits is not an amount.
    expect(typeOf({ type: 'string', pattern: '^[a-z0-9]+$' })).toEqual({ kind: 'text' })
    expect(typeOf({ type: 'string', pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d$' })).toEqual({ kind: 'text' })
  })

  it('the model rejects schemas of an unknown form, and creates no unknown type from them', () => {
    expect(() => typeOf({ type: 'tuple' })).toThrow(/does not know this schema/)
  })
})

it('the same operations generate the same code', () => {
  expect(typescriptSdk(apiModel(operations, errors))).toEqual(typescriptSdk(api))
  expect(pythonSdk(apiModel(operations, errors))).toEqual(pythonSdk(api))
})

describe('Python', () => {
  it('Python methods use Python’s own names for fields, and the server receives the API’s names', () => {
    expect(['endUserId', 'from', 'x_UsageRecordId', 'on'].map(pythonName)).toEqual([
      'end_user_id',
      'from_',
      'x_usage_record_id',
      'on',
    ])
    for (const name of ['endUserId', 'from', 'input']) expect(wireName(pythonName(name))).toBe(name)
  })

  it('if a noun is also an operation, the Python client has a callable object for the noun', () => {
    const { 'usage.py': usage = '' } = pythonSdk(api)
    for (const name of ['Usage', 'AsyncUsage']) {
      const [, body = ''] = usage.split(`class ${name}:`)
      expect(body).toMatch(/def __call__\(self, .*Unpack\[UsageInput\]/)
      expect(body).toMatch(/def export\(self, .*Unpack\[UsageExportInput\]/)
    }
  })

  it('two shapes with the same name are rejected, because Python would keep only the second shape', () => {
    const row = { name: 'rows', description: 'Its rows.', isRequired: true, isDeprecated: false }
    const shape: TypeModel = { kind: 'object', fields: [{ ...row, type: { kind: 'text' } }] }
    const shared = (name: string, type: TypeModel) => ({ name, description: name, type, isAnswered: true })
    const rows: TypeModel = { kind: 'object', fields: [{ ...row, type: { kind: 'list', item: shape } }] }
    const made = pythonSdk({ ...api, types: [...api.types, shared('Table', rows)] })['types.py'] ?? ''
    const [, inline = ''] = /^class (Table\w+)/m.exec(made) ?? []
    expect(inline).not.toBe('')
    const clash = { ...api, types: [...api.types, shared('Table', rows), shared(inline, shape)] }
    expect(() => pythonSdk(clash)).toThrow(`2 shapes of one file are called ${inline}`)
  })

  it('the Python documentation uses Python’s field names, and shows values in the form that is sent', () => {
    const { 'operations.py': text = '', 'types.py': types = '' } = pythonSdk(api)
    expect(types).toContain('can spend together per `cap_period`, in micros.')
    expect(text).toContain('Defaults to `endUser`.')
  })
})
