/** A response can suggest a call of an operation, such as `providers.price` with its path and body. */
import { shellWord } from '#sdk/values-as-source-code.ts'
import { operationTable } from './operation-table.ts'
import { inputAsFlags } from './copyable-flags.ts'
import { wordsOf } from './command-and-flag-names.ts'

export interface NamedCall {
  readonly operation: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>> | null
}

export function commandOfCall({ body, operation: id, path }: NamedCall): string | null {
  const operation = operationTable.operations.find((one) => one.id === id)
  if (!operation) return null
  const parts = path.split('/')
  const inPath = operation.path.split('/').flatMap((part, at) => {
    const isLast = at === operation.path.split('/').length - 1
    // The slashes of a name may be unescaped.
    const value = isLast ? parts.slice(at).join('/') : (parts[at] ?? '')
    return part.startsWith('{') ? [decodeURIComponent(value)] : []
  })
  const flags = Object.entries(body ?? {}).flatMap(([name, value]) => inputAsFlags(name, value))
  return ['tollgate', ...wordsOf(id), ...inPath.map(shellWord), ...flags].join(' ')
}
