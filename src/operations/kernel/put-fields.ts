/**
 * The rule of every PUT, and of other operations that create or change the resource with a given name:
 *
 * - an omitted field keeps its current value, and its default applies only when the resource is created;
 * - null removes the value, or resets it to its default if a value is required;
 * - an object or a list is one value, which replaces the stored value completely.
 *
 * The functions of this file declare the fields of a PUT body, and `putValues` applies the rule. The sentences of the
 * API reference and the table of docs/reference/put.md are generated from the same declarations.
 */
import * as z from 'zod'
import { refused, type Refused } from './returned-error.ts'

interface Field<S extends z.ZodType> {
  readonly schema: S
}

interface Always<S extends z.ZodType> extends Field<S> {
  readonly kind: 'always'
}

interface Lasting<S extends z.ZodType> extends Field<S> {
  readonly kind: 'lasting'
  /** The value of a new resource if the field is omitted, as a sentence. Null if the field is required on creation. */
  readonly atCreation: string | null
}

interface Optional<S extends z.ZodType> extends Field<S> {
  readonly kind: 'optional'
  readonly initial: z.output<S>
}

type PutField = Always<z.ZodType> | Lasting<z.ZodType> | Optional<z.ZodType>
export type PutFields = Readonly<Record<string, PutField>>

type Sent<F extends PutField> =
  F extends Optional<infer S>
    ? z.ZodExactOptional<z.ZodNullable<S>>
    : F extends Lasting<infer S>
      ? z.ZodExactOptional<S>
      : F['schema']
type SentShape<F extends PutFields> = { readonly [Name in keyof F]: Sent<F[Name]> }
export type Values<F extends PutFields> = { -readonly [Name in keyof F]: z.output<F[Name]['schema']> }
export type Given<F extends PutFields> = {
  readonly [Name in keyof F]?:
    | z.output<F[Name]['schema']>
    | (F[Name]['kind'] extends 'optional' ? null : never)
}

export function always<S extends z.ZodType>(schema: S): Always<S> {
  return { kind: 'always', schema }
}

/**
 * @param atCreation a sentence about the value if the field is omitted at creation. Null if the field is required at
 *   creation. Empty if the operation creates nothing
 */
export function lasting<S extends z.ZodType>(schema: S, atCreation: string | null = null): Lasting<S> {
  return { kind: 'lasting', schema, atCreation }
}

/**
 * A field that may be omitted on creation.
 * @param initial the value at creation. If the schema does not accept null, null in a PUT also sets this value
 */
export function optional<S extends z.ZodType>(schema: S, initial: z.output<S>): Optional<S> {
  return { kind: 'optional', schema, initial }
}

export interface PutRow {
  readonly name: string
  readonly whenCreated: 'required' | 'optional'
  readonly whenOmitted: 'kept' | 'always'
  /** `resetTo` is the value to which null resets the field. */
  readonly whenNull: 'rejected' | 'removed' | { readonly resetTo: string }
}

const rowsByBody = new WeakMap<z.ZodType, readonly PutRow[]>()

export function putRowsOf(body: z.ZodType | null): readonly PutRow[] | null {
  return (body && rowsByBody.get(body)) ?? null
}

export function putBody<const F extends PutFields>(fields: F): z.ZodObject<SentShape<F>, z.core.$strict> {
  const shape = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, sentField(field)]))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `sentField` makes each of them as `Sent` says
  const body = z.strictObject(shape) as unknown as z.ZodObject<SentShape<F>, z.core.$strict>
  rowsByBody.set(
    body,
    Object.entries(fields).map(([name, field]) => rowOf(name, field)),
  )
  return body
}

/**
 * Null resets the field to `initial`. An omitted field keeps the stored value, or gets `initial` if the resource is
 * new.
 */
export function kept<T>(given: T | null | undefined, stored: T | undefined, initial: T): T {
  if (given === null) return initial
  if (given !== undefined) return given
  return stored === undefined ? initial : stored
}

/**
 * Returns all fields after a PUT.
 * @param stored the current values; null if the resource does not exist yet
 * @param at prefix of field names in errors, including its dot
 */
export function putValues<F extends PutFields>(
  fields: F,
  given: Given<F>,
  stored: Values<F> | null,
  at = '',
): Values<F> | Refused<'invalid_request'> {
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const sent: unknown = given[name]
    const before: unknown = stored?.[name]
    if (field.kind === 'optional') {
      values[name] = sent === null && isNullable(field.schema) ? null : kept(sent, before, field.initial)
    } else {
      const value = sent ?? before
      if (value === undefined)
        return refused('invalid_request', { reason: `${name} is required.` }, `${at}${name}`)
      values[name] = value
    }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a value for each field, checked by its schema
  return values as Values<F>
}

function sentField(field: PutField): z.ZodType {
  const { schema } = field
  if (field.kind === 'always') return schema
  const sent = field.kind === 'optional' && !isNullable(schema) ? schema.nullable() : schema
  const { description = '', examples } = schema.meta() ?? {}
  return z.exactOptional(sent).meta({
    description: [description, ruleOf(field)].filter((part) => part !== '').join(' '),
    ...(examples !== undefined && { examples }),
  })
}

function ruleOf(field: Lasting<z.ZodType> | Optional<z.ZodType>): string {
  if (field.kind === 'lasting') {
    return field.atCreation === null
      ? 'Required on creation. Omit to keep the current value.'
      : `${field.atCreation} Omit to keep the current value.`.trimStart()
  }
  const { initial, schema } = field
  if (isNullable(schema)) {
    return initial === null
      ? 'Omit to keep the current value; set to null to remove it.'
      : `Defaults to ${spelled(field)}. Omit to keep the current value.`
  }
  return `Defaults to ${spelled(field)}. Omit to keep the current value; set to null to reset it to the default.`
}

function rowOf(name: string, field: PutField): PutRow {
  if (field.kind === 'always')
    return { name, whenCreated: 'required', whenOmitted: 'always', whenNull: 'rejected' }
  if (field.kind === 'lasting') {
    const whenCreated = field.atCreation === null ? 'required' : 'optional'
    return { name, whenCreated, whenOmitted: 'kept', whenNull: 'rejected' }
  }
  const whenNull = isNullable(field.schema) ? ('removed' as const) : { resetTo: spelled(field) }
  return { name, whenCreated: 'optional', whenOmitted: 'kept', whenNull }
}

function isNullable(schema: z.ZodType): boolean {
  return schema.safeParse(null).success
}

function spelled({ initial, schema }: Optional<z.ZodType>): string {
  const sent: unknown = z.encode(schema, initial)
  return typeof sent === 'string' ? `\`${sent}\`` : `\`${JSON.stringify(sent)}\``
}
