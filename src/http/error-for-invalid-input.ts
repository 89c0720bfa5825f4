import * as z from 'zod'
import { Failure } from '#domain/errors.ts'
import type { InputFault, Operation } from '#operations/kernel/declare-operation.ts'

/**
 * Returns the faults of all fields of a request as one error. Unknown fields come first, with the names of known
 * fields. A required field is often missing only because its name was misspelled.
 */
export function inputFailure(operation: Pick<Operation, 'input'>, fault: InputFault): Failure {
  const schema = fault.in === 'body' ? (operation.input.body ?? z.undefined()) : operation.input[fault.in]
  for (const issue of fault.issues) {
    if (issue.code !== 'unrecognized_keys') continue
    const at = issue.path.map(String)
    const names = issue.keys.map((key) => shown([...at, key]))
    const fields = knownFields(schema, at)
    const known = fields.length > 0 ? fields.join(', ') : 'no fields'
    return new Failure('unknown_field', at.length === 0 ? { known } : { place: shown(at), known }, {
      param: names.slice(0, 8).join(', '),
    })
  }
  const [first] = fault.issues
  const sentences = fault.issues
    .slice(0, 8)
    .map((issue) => sentence(issue, shown(issue.path.map(String)) || fault.in))
  // Two checks of one field may return the same sentence.
  const reason = [...new Set(sentences)].join('; ')
  const param = first ? shown(first.path.map(String)) : ''
  return new Failure('invalid_request', { reason: `${reason}.` }, param === '' ? {} : { param })
}

/**
 * The error for a header or parameter that no schema checks.
 * @param reason a sentence
 */
export function invalidRequest(reason: string, param: string): Failure {
  return new Failure('invalid_request', { reason }, { param })
}

/**
 * Returns a path such as `sources.0.provider`. Truncated, so that the response never repeats a very long text of the
 * caller.
 */
function shown(path: readonly string[]): string {
  return path.join('.').slice(0, 128)
}

function sentence(issue: z.core.$ZodIssue, name: string): string {
  // Only zod's message distinguishes a missing field from a field of a wrong type, because its issues do not contain
  // the value.
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) {
    return `${name} is required`
  }
  const message = isOfLibrary(issue) ? requirement(issue) : issue.message
  return message.startsWith('must') || message.startsWith('is ')
    ? `${name} ${message}`
    : `${name}: ${message}`
}

/** Whether the message comes from zod itself and not from the schema. */
function isOfLibrary({ message }: z.core.$ZodIssue): boolean {
  return /^(?:Invalid (?:input|option|string)|Too (?:big|small))\b/.test(message)
}

function requirement(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${withArticle(issue.expected)}`
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `must ${bound(issue.origin, 'at least', issue.minimum)}`
    case 'too_big':
      return `must ${bound(issue.origin, 'at most', issue.maximum)}`
    default:
      return issue.message.replace(/^Invalid (?:input|string): /, '')
  }
}

function withArticle(type: string): string {
  const words: Readonly<Record<string, string>> = {
    int: 'an integer',
    record: 'an object',
    nonoptional: 'present',
  }
  return words[type] ?? `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

function bound(origin: string, how: 'at least' | 'at most', limit: number | bigint): string {
  const unit = { string: 'character', array: 'item', set: 'item', record: 'field' }[origin]
  if (unit === undefined) return `be ${how} ${limit}`
  return `have ${how} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`
}

function knownFields(schema: z.core.$ZodType, path: readonly string[]): string[] {
  const inner = unwrapped(schema)
  const [step, ...rest] = path
  if (inner instanceof z.ZodObject) {
    if (step === undefined) return Object.keys(inner.shape)
    const field: unknown = Object.hasOwn(inner.shape, step) ? inner.shape[step] : undefined
    return field instanceof z.ZodType ? knownFields(field, rest) : []
  }
  if (inner instanceof z.ZodUnion) {
    return [...new Set(inner.options.flatMap((option) => knownFields(option, path)))]
  }
  if (inner instanceof z.ZodArray && step !== undefined) return knownFields(inner.element, rest)
  return []
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodExactOptional
  ) {
    return unwrapped(schema.def.innerType)
  }
  if (schema instanceof z.ZodPipe) return unwrapped(schema.def.in)
  return schema
}
