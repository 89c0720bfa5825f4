/** Names of nested fields contain dots. */
import { flagValue, setAt } from '#cli/operations/flag-value.ts'
import type { Flag, Operation } from '#cli/operations/operation-table.ts'

/** The entry `null <name>` sends null instead of the text. */
export type OperationValues = Record<string, string | boolean>

/** A group has one field for each part. A group that can be null also has a field for itself. */
export function fieldsOf({ flags = [], inPath = [] }: Operation): readonly Flag[] {
  const path = inPath.map(({ about, name }): Flag => ({ name, about, kind: 'text', isRequired: true }))
  return [...path, ...flags.filter((flag) => flag.isGroup !== true || flag.isNullable === true)]
}

export function emptyValues(operation: Operation): OperationValues {
  return Object.fromEntries(
    fieldsOf(operation).flatMap((flag) => [
      [flag.name, ''],
      ...(flag.isNullable === true ? [[nullOf(flag.name), false] as const] : []),
    ]),
  )
}

export function nullOf(name: string): string {
  return `null ${name}`
}

export interface ReadInput {
  readonly input: Readonly<Record<string, unknown>>
  readonly faults: Readonly<Record<string, string>>
}

/** @param nowMs base of relative times such as `+30d` */
export function inputOf(operation: Operation, values: OperationValues, nowMs: number): ReadInput {
  const input: Record<string, unknown> = {}
  const faults: Record<string, string> = {}
  for (const flag of fieldsOf(operation)) {
    const text = String(values[flag.name] ?? '')
    try {
      if (values[nullOf(flag.name)] === true) setAt(input, flag.name, null)
      else if (text.trim() !== '') setAt(input, flag.name, valueOf(flag, text, nowMs))
      else if (flag.isRequired === true) faults[flag.name] = 'This field is required.'
    } catch (error) {
      faults[flag.name] = faultOf(error)
    }
  }
  return { input, faults }
}

function valueOf(flag: Flag, text: string, nowMs: number): unknown {
  if (flag.isMap === true) return mapOf(flag, text, nowMs)
  if (flag.isList !== true) return flagValue(flag, flag.kind === 'text' ? text : text.trim(), nowMs)
  // A list is JSON, or one value per line.
  if (flag.kind === 'json' && text.trim().startsWith('['))
    return flagValue({ ...flag, kind: 'json' }, text.trim(), nowMs)
  return linesOf(text).map((line) => flagValue(flag, line, nowMs))
}

function mapOf(flag: Flag, text: string, nowMs: number): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (const line of linesOf(text)) {
    const at = line.indexOf('=')
    if (at < 1) throw new Error(`${JSON.stringify(line)} is not name=value.`)
    made[line.slice(0, at)] = flagValue(flag, line.slice(at + 1), nowMs)
  }
  return made
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** The error of the command line names the flag, but the message is shown at the flag's field. */
function faultOf(error: unknown): string {
  const text = error instanceof Error ? error.message : 'The value is invalid.'
  return text.replace(/^--\S+ is /, '')
}
