/** A call that an answer names, `providers.price` with its path and body, as a line to paste. */
import { operationTable } from './operation-table.ts'
import { typed, wordsOf } from './names.ts'

export interface NamedCall {
  readonly operation: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>> | null
}

/** Null: there is no such operation. */
export function commandOfCall({ body, operation: id, path }: NamedCall): string | null {
  const operation = operationTable.operations.find((one) => one.id === id)
  if (!operation) return null
  const parts = path.split('/')
  const inPath = operation.path.split('/').flatMap((part, at) => {
    const isLast = at === operation.path.split('/').length - 1
    // A name with slashes may be written into a path as it is.
    const value = isLast ? parts.slice(at).join('/') : (parts[at] ?? '')
    return part.startsWith('{') ? [decodeURIComponent(value)] : []
  })
  const flags = Object.entries(body ?? {}).flatMap(([name, value]) => flagWords(name, value))
  return ['tollgate', ...wordsOf(id), ...inPath.map(quoted), ...flags].join(' ')
}

function flagWords(name: string, value: unknown): string[] {
  const flag = `--${typed(name)}`
  if (value === null) return [`--no-${typed(name)}`]
  if (typeof value === 'boolean') return [value ? flag : `--no-${typed(name)}`]
  if (Array.isArray(value)) return value.flatMap((one) => [flag, quoted(plain(one))])
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([inner, one]) => flagWords(`${name}.${inner}`, one))
  }
  return [flag, quoted(plain(value))]
}

/** `provider=main,model=gpt`, where that says it. */
function plain(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const pairs = Object.entries(value)
  const isFlat = pairs.every(([, one]) => typeof one === 'string' && !one.includes(','))
  return isFlat ? pairs.map(([name, one]) => `${name}=${String(one)}`).join(',') : JSON.stringify(value)
}

/** For a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
