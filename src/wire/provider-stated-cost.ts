import type { Usage } from '#money/usage-counts.ts'
import { after, inside, kindOf, kinds, nameAt, sourceOf, valueOf } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { numberOrNull, objectOf, type JsonObject } from '#wire/text/json-values.ts'
import { removals } from '#wire/text/removal-edits.ts'
import type { Edit } from '#wire/text/apply-edits.ts'

/** Ten thousand dollars, in thousandths of a micro. A higher cost is not credible. */
const nanosMax = 1e13

/**
 * Returns what a provider charges the application's account for a request, as the provider states it in the usage. xAI
 * states units of 10^-10 dollars, OpenRouter states dollars, and Perplexity states an object with a total in dollars.
 * This cost is never charged, but only compared with the cost that the gateway computes.
 * @param usage a usage with the field names of the provider's wire
 * @returns `{}` if the usage states no credible cost
 */
export function statedCost(usage: JsonObject): Pick<Usage, 'statedCostNanos'> {
  const ticks = numberOrNull(usage.cost_in_usd_ticks)
  const dollars = numberOrNull(usage.cost) ?? numberOrNull(objectOf(usage.cost).total_cost)
  const nanos = ticks !== null ? ticks / 10 : dollars !== null ? dollars * 1e9 : null
  return nanos !== null && nanos >= 0 && nanos <= nanosMax ? { statedCostNanos: Math.round(nanos) } : {}
}

/**
 * Removes the provider's price from a usage, at any depth. An end user pays the bundle's price, and does not see the
 * application's cost.
 * @param usage -1 if the response has no usage
 */
export function costEdits(json: Json, usage: Node): readonly Edit[] {
  return usage >= 0 && mayTellCost.test(sourceOf(json, usage)) ? editsWithin(json, usage) : []
}

function editsWithin(json: Json, usage: Node): readonly Edit[] {
  const isObject = kindOf(json, usage) === kinds.object
  if (!isObject && kindOf(json, usage) !== kinds.array) return []
  const costs: Node[] = []
  const edits: Edit[] = []
  for (let entry = inside(usage), end = after(json, usage); entry < end;) {
    const value = isObject ? valueOf(entry) : entry
    if (isObject && tellsCost.test(nameAt(json, entry))) costs.push(entry)
    else edits.push(...editsWithin(json, value))
    entry = after(json, value)
  }
  return [...edits, ...removals(json, usage, costs)]
}

/**
 * Costs and prices in a usage, such as `cost` and `is_byok` of OpenRouter, `cost_in_usd_ticks` of xAI, and
 * `estimated_cost` of DeepInfra. No name of a token count matches.
 */
const tellsCost = /cost|price|byok|credit|usd/i
/** Also matches texts with escapes, which may hide such a name. Nearly every usage is a text that does not match. */
const mayTellCost = /cost|price|byok|credit|usd|\\/i
