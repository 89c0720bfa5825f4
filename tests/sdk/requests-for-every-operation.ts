import { errors } from '#domain/errors.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { apiModel, type OperationModel } from '../../tools/generate/sdk/operation-model.ts'
import type { Control, Session } from '../support/control-plane-without-socket.ts'
import type { Sample } from '../support/valid-request-of-every-operation.ts'

const api = apiModel(operations, errors)

export const models: ReadonlyMap<string, OperationModel> = new Map(
  [
    ...api.nouns.flatMap(({ itself, operations: own }) => (itself ? [itself, ...own] : own)),
    ...api.verbs,
  ].map((model) => [model.id, model]),
)

export function modelOf({ id }: Operation): OperationModel {
  const model = models.get(id)
  if (!model) throw new Error(`no model of ${id}`)
  return model
}

export interface Caller {
  readonly token: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export function callerOf({ session, token }: Sample, control: Control): Caller {
  if (session) return { token: null, headers: sessionHeaders(session) }
  return { token: token ?? control.token }
}

function sessionHeaders({ cookie, csrfToken }: Session): Record<string, string> {
  return { cookie, 'x-csrf-token': csrfToken, 'sec-fetch-site': 'same-origin' }
}

export function inputOf(operation: Operation, sample: Sample): Record<string, unknown> {
  const { inPath } = modelOf(operation)
  const named = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ''], at) => [
    inPath[at]?.name ?? '',
    sample.path?.[name],
  ])
  return {
    ...Object.fromEntries(named),
    ...sample.query,
    ...sample.body,
    ...(sample.file && { file: sample.file.bytes, type: sample.file.type }),
  }
}

export interface WrongCall {
  readonly caller: Caller
  readonly input: Record<string, unknown>
  readonly kind: 'NotFoundError' | 'BadRequestError' | 'AuthenticationError'
}

export function wrongCallOf(operation: Operation, sample: Sample, control: Control): WrongCall {
  const model = modelOf(operation)
  const input = inputOf(operation, sample)
  const caller = callerOf(sample, control)
  const [first] = model.inPath
  // Excludes PUT, which creates the object if it does not exist.
  if (first && operation.method !== 'PUT' && operation.errors.some((code) => code === 'not_found')) {
    const nobody = first.name === 'email' ? 'nobody@example.com' : 'nobody'
    return { caller, input: { ...input, [first.name]: nobody }, kind: 'NotFoundError' }
  }
  if (model.body?.kind === 'fields') {
    return { caller, input: { ...input, surprise: true }, kind: 'BadRequestError' }
  }
  return { caller: { token: `sk_aaaaaa_${'x'.repeat(36)}` }, input, kind: 'AuthenticationError' }
}
