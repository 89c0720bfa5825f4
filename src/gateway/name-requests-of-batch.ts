import { Failure } from '#domain/errors.ts'
import { jobEndpoints, type JobWire } from '#wire/openai-batch.ts'
import type { ParsedCall } from '#gateway/call/call-state-types.ts'

export type BatchWire = 'messages' | JobWire

export function wireOfCall({ request }: ParsedCall): BatchWire {
  const wire = batchWires.find((one) => one === request.wire)
  if (wire === undefined) throw new Error('a batch has only requests of its own wires')
  return wire
}

const batchWires = ['messages', ...Object.values(jobEndpoints)] as const

/** If `work` fails, the message of the failure names the request. */
export async function inRequest<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw cause instanceof Failure ? failureIn(place, cause) : cause
  }
}

export function placeOf(wire: BatchWire, at: number): string {
  return wire === 'messages' ? `requests.${at}.params` : `lines.${at}.body`
}

export function failureIn(place: string, failure: Failure): Failure {
  const { code, details, operatorDetails, param } = failure
  if (param === null && code !== 'invalid_request' && code !== 'invalid_json') return failure
  const { reason } = details
  const named =
    typeof reason === 'string' && code !== 'unsupported_for_route' ? `${place}: ${reason}` : reason
  return new Failure(
    code,
    { ...details, ...(named !== undefined && { reason: named }) },
    { param: param === null ? place : `${place}.${param}`, operatorDetails, cause: failure },
  )
}
