import {
  inside,
  after,
  kindOf,
  kinds,
  startOf,
  stringAt,
  valueOf,
  type Json,
  type Node,
} from '#wire/text/json-tape.ts'
import { isGiven, mustBe, refuseForRoute, type WireRequest } from '#wire/wire-request.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'

/**
 * Reads the field with which clients of OpenRouter choose the host of a model; undefined if absent, null or false.
 * Hosts have different prices, so the gateway adds the maximum price of the target
 * (gateway/decide/limit-openrouter-host-price.ts). Rejects unknown members, because an unknown member may change the
 * price in another way.
 */
export function providerChoiceAt(json: Json, provider: Node): WireRequest['providerChoice'] {
  if (!isGiven(json, provider) || kindOf(json, provider) === kinds.false) return undefined
  if (kindOf(json, provider) !== kinds.object) mustBe('provider', 'an object')
  const end = after(json, provider)
  for (let key = inside(provider); key < end; key = after(json, valueOf(key))) {
    const name = stringAt(json, key)
    if (name === 'max_price') refuseForRoute('provider.max_price', ownMaximum)
    if (!choices.has(name)) refuseForRoute(`provider.${name.slice(0, 64)}`, unknownChoice)
  }
  return { at: startOf(json, provider) + 1, isFirstOfSeveral: inside(provider) < end }
}

/**
 * Members that only select among hosts, whose price the maximum price limits (docs/reference/wires.md "Requests on the
 * chat wire").
 */
const choices = nameSet(`
  order only ignore allow_fallbacks require_parameters data_collection zdr enforce_distillable_text quantizations
  sort preferred_min_throughput preferred_max_latency
`)

const ownMaximum = 'the gateway sets the maximum price to the price of the model. Omit the field'
const unknownChoice = 'the effect of the field on the price is not known. Omit the field'
