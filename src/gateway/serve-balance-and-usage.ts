import { Failure } from '#domain/errors.ts'
import type { HeldModel, Holder } from '#domain/balance-and-usage-for-key-owner.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'
import { serveFreeRequest } from './serve-free-request.ts'

/** Serves `GET /v1/svc/balance`, optionally for one model name. */
export function readBalance(arrival: Arrival): Promise<void> {
  return serveFreeRequest(arrival, async (caller) => {
    const query = queryOf(arrival, ['model'])
    const name = query.get('model')
    const model = name === null ? null : heldModel(arrival, caller, name)
    return {
      body: Buffer.from(JSON.stringify(await arrival.ports.holder.balance(holderOf(arrival, caller), model))),
    }
  })
}

/** Serves `GET /v1/svc/usage`, for the current month. */
export function readUsage(arrival: Arrival): Promise<void> {
  return serveFreeRequest(arrival, async (caller) => {
    queryOf(arrival, [])
    return { body: Buffer.from(JSON.stringify(await arrival.ports.holder.usage(holderOf(arrival, caller)))) }
  })
}

function holderOf({ ports }: Arrival, { config, key }: Caller): Holder {
  const { organizationId, testClockOffsetMs } = config
  return { organizationId, testClockOffsetMs, key, nowMs: ports.clock.nowMs() }
}

function heldModel({ configuration }: Arrival, caller: Caller, name: string): HeldModel {
  const served = configuration.served(caller, name)
  if (served instanceof Failure)
    throw new Failure('model_not_found', { model: name.slice(0, 200) }, { param: 'model' })
  return { alias: served.name, hasCreditPrice: served.first.quote.credits !== null }
}

/** @throws Failure `invalid_request` for an unknown or repeated parameter */
function queryOf({ response }: Arrival, accepted: readonly string[]): URLSearchParams {
  const { url = '' } = response.req
  const end = url.indexOf('?')
  const query = new URLSearchParams(end < 0 ? '' : url.slice(end + 1))
  for (const name of query.keys()) {
    // Some clients send their key as `key` (key-in-request-headers.ts).
    if (name === 'key') continue
    const param = name.slice(0, 200)
    if (!accepted.includes(name))
      throw new Failure('invalid_request', { reason: `Unknown query parameter ${param}.` }, { param })
    if (query.getAll(name).length > 1)
      throw new Failure('invalid_request', { reason: `The query parameter ${param} is repeated.` }, { param })
  }
  return query
}
