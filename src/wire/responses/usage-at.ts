import type { Usage } from '#money/usage.ts'
import { kindOf, kinds, member, valueAt } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { textAt } from '#wire/request.ts'
import { usageFromResponses } from './usage.ts'

/** What a response says that it has used. */
export function usageAt(json: Json, response: Node): { usage: Usage | null; hasReportedUsage: boolean } {
  const raw = response < 0 ? -1 : member(json, response, 'usage')
  if (raw < 0 || kindOf(json, raw) !== kinds.object) return { usage: null, hasReportedUsage: false }
  const tier = textAt(json, member(json, response, 'service_tier'))
  const tools = member(json, response, 'tool_usage')
  const search = tools < 0 ? -1 : member(json, tools, 'web_search')
  const count = search < 0 ? -1 : member(json, search, 'num_requests')
  const usage = usageFromResponses(valueAt(json, raw), tier, count < 0 ? 0 : valueAt(json, count))
  return { usage, hasReportedUsage: true }
}
