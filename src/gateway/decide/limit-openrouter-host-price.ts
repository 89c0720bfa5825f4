import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import type { Failure } from '#domain/errors.ts'
import { formatDollars } from '#money/amount.ts'
import { rateOf } from '#money/cost.ts'
import { failureOfFault } from '#gateway/call/failure-of-request-fault.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { placesWith } from '#wire/positions-to-edit.ts'
import { fault, type WireRequest } from '#wire/wire-request.ts'

/**
 * The client may choose the host that runs the model. The request then gets the target's price as its maximum price, so
 * that the host costs no more than the hold covers. Fails if the provider offers no choice of hosts.
 */
export function withMaximumPrice(request: WireRequest, { quote, source }: Plan): WireRequest | Failure {
  const { places, providerChoice } = request
  if (providerChoice === undefined) return request
  if (kindFacts(source.account.kind).acceptsMaximumPrice !== true)
    return failureOfFault(fault('unsupported_for_route', 'provider', noHosts))
  const { cost } = quote
  const most = [
    `"prompt":${formatDollars(rateOf('input', cost))}`,
    `"completion":${formatDollars(rateOf('output', cost))}`,
    `"request":${formatDollars(cost.request ?? 0n)}`,
  ]
  const { at, isFirstOfSeveral } = providerChoice
  const text = `"max_price":{${most.join(',')}}${isFirstOfSeveral ? ',' : ''}`
  return { ...request, places: placesWith(places, [{ start: at, end: at, text }]) }
}

const noHosts =
  'the field selects a service for the model, at a price that the hold does not cover. Omit the field'
