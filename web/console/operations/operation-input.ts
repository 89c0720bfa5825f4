/** Pages run the operation of a suggested API call, or show the operation as code. */
import { useQuery } from '@tanstack/react-query'
import type { Operation } from '#cli/operations/operation-table.ts'
import type { OperationCall } from '#sdk/generated/types.ts'
import type { OperationId } from './use-operation.ts'
import { operationTableQuery } from '../copy-as-code.tsx'
import type { Input } from '../code-for-api-calls.ts'

export interface NamedCall {
  readonly operation: OperationId
  readonly input: Input
}

/** Undefined if the table is not loaded or has no such operation. */
export function useNamedCall(call: OperationCall | null): NamedCall | undefined {
  const { data } = useQuery(operationTableQuery)
  const operation = call && data?.operations.find(({ id }) => id === call.operation)
  if (!call || !operation) return undefined
  return { operation: operation.id as OperationId, input: inputOfCall(operation, call) }
}

/** @param operation its path template names the parameters */
export function inputOfCall(
  { path: template }: Pick<Operation, 'path'>,
  { body, path }: Pick<OperationCall, 'path' | 'body'>,
): Input {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const [address = '', query = ''] = path.split('?')
  // The last parameter takes the rest of the path, because a name may contain unescaped slashes.
  const pattern = template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '(.+)')
  const values = new RegExp(`^${pattern}$`).exec(address)?.slice(1) ?? []
  return {
    ...Object.fromEntries(new URLSearchParams(query)),
    ...Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(values[at] ?? '')])),
    ...body,
  }
}
