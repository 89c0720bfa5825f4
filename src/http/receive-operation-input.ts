/** Reads the input of an operation: the fields of the path, the query and the body. */
import { Failure } from '#domain/errors.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { BodyIntake } from '#gateway/overload/limit-memory-of-bodies.ts'
import type { DecodedCall, Operation } from '#operations/kernel/declare-operation.ts'
import type { Caller } from './authenticate-caller.ts'
import { inputFailure, invalidRequest } from './error-for-invalid-input.ts'
import { takesBody } from './errors-of-operation.ts'
import { ownerOf } from './owner-of-body-memory.ts'
import { bodyBytesMax, publicBodyBytesMax, readJsonBody } from './read-json-body.ts'
import { readUploadedFile } from './read-uploaded-file.ts'
import type { Route } from './route-table.ts'

export interface Received {
  readonly operation: Operation
  readonly decoded: DecodedCall
  /** SHA-256 of the method, path, query and body. Repeated requests have the same hash. */
  readonly hash: string
}

export async function receive(
  { operation, parameters }: Extract<Route, { kind: 'found' }>,
  request: Request,
  caller: Caller | null,
  intake: BodyIntake,
): Promise<Received> {
  const terms = { intake, owner: ownerOf(caller) }
  const url = new URL(request.url)
  if (operation.upload !== null) {
    const file = await readUploadedFile(request, operation.upload, terms)
    const body = await operation.upload.read(file)
    const decoded = operation.decode({ path: parameters, query: queryOf(url), body })
    if (decoded.kind === 'fault') throw inputFailure(operation, decoded)
    const asked = [request.method, url.pathname, url.search, file.type, sha256(file.bytes)]
    return { operation, decoded, hash: sha256(JSON.stringify(asked)) }
  }
  const bytesMax = operation.scope === 'public' ? publicBodyBytesMax : bodyBytesMax
  const sentBody = takesBody(operation) ? await readJsonBody(request, { ...terms, bytesMax }) : undefined
  // An operation without fields accepts no body or `{}`.
  const body = operation.input.body === null && isEmptyObject(sentBody) ? undefined : sentBody
  if (operation.input.body === null && body !== undefined) {
    const names = typeof body === 'object' && body !== null ? Object.keys(body) : ['(body)']
    const param = names.slice(0, 8).join(', ').slice(0, 128)
    throw new Failure('unknown_field', { known: 'no fields' }, { param })
  }
  const decoded = operation.decode({ path: parameters, query: queryOf(url), body })
  if (decoded.kind === 'fault') throw inputFailure(operation, decoded)
  const asked = [
    request.method,
    url.pathname,
    url.search,
    sentBody,
    operation.changesToken && caller?.kind === 'team' ? caller.actor.credentialId : null,
  ]
  return { operation, decoded, hash: sha256(JSON.stringify(asked)) }
}

/** Rejects repeated parameters, because the server could not choose between two values. */
export function queryOf(url: URL): Record<string, string> {
  const pairs = [...url.searchParams]
  const names = new Set<string>()
  for (const [name] of pairs) {
    if (names.has(name)) {
      const shown = name.slice(0, 64)
      throw invalidRequest(`${shown} is given twice.`, shown)
    }
    names.add(name)
  }
  return Object.fromEntries(pairs)
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  )
}
