/** A call as the API names it, path and body, as the input of its operation: what a page runs or shows as code. */
import { useQuery } from '@tanstack/react-query'
import type { Operation } from '#cli/operations/operation-table.ts'
import type { OperationCall } from '#sdk/generated/types.ts'
import type { OperationId } from './calls.ts'
import { operationTableQuery } from './copy-as.tsx'
import type { Input } from './snippets.ts'

export interface NamedCall {
  readonly operation: OperationId
  readonly input: Input
}

/** Undefined: the table is not there yet, or has no such operation. */
export function useNamedCall(call: OperationCall | null): NamedCall | undefined {
  const { data } = useQuery(operationTableQuery)
  const operation = call && data?.operations.find(({ id }) => id === call.operation)
  if (!call || !operation) return undefined
  return { operation: operation.id as OperationId, input: inputOfCall(operation, call) }
}

/** @param operation that the call names: its path says which part is which */
export function inputOfCall(
  { path: template }: Pick<Operation, 'path'>,
  { body, path }: Pick<OperationCall, 'path' | 'body'>,
): Input {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const [address = '', query = ''] = path.split('?')
  // A name may hold slashes as they are, so the last part of a path takes what is left.
  const pattern = template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '(.+)')
  const values = new RegExp(`^${pattern}$`).exec(address)?.slice(1) ?? []
  return {
    ...Object.fromEntries(new URLSearchParams(query)),
    ...Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(values[at] ?? '')])),
    ...body,
  }
}
