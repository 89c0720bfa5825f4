import type { JsonObject } from '#wire/text/json-values.ts'

/**
 * The requirements of the Open Responses schema for a response object (openresponses.org, ResponseResource and its
 * tools). Each of these fields is present, and null only if allowed.
 * @returns the faults, by the field's name; empty for a valid response
 */
export function faultsOfResponse(response: JsonObject): readonly string[] {
  const faults = faultsOf(response, responseRules, '')
  const tools = Array.isArray(response['tools']) ? response['tools'] : []
  for (const [i, tool] of tools.entries()) {
    const rules = Object(tool).type === 'function' ? functionRules : toolRules
    faults.push(...faultsOf(Object(tool), rules, `tools.${i}.`))
  }
  if (response['usage'] !== null) faults.push(...faultsOf(Object(response['usage']), usageRules, 'usage.'))
  return faults
}

type Kind = 'text' | 'number' | 'integer' | 'flag' | 'list' | 'object' | 'text or object'
type Rules = Readonly<Record<string, Kind | `${Kind} or null`>>

const responseRules: Rules = {
  id: 'text',
  object: 'text',
  created_at: 'integer',
  completed_at: 'integer or null',
  status: 'text',
  incomplete_details: 'object or null',
  model: 'text',
  previous_response_id: 'text or null',
  instructions: 'text or null',
  output: 'list',
  error: 'object or null',
  tools: 'list',
  tool_choice: 'text or object',
  truncation: 'text',
  parallel_tool_calls: 'flag',
  text: 'object',
  top_p: 'number',
  presence_penalty: 'number',
  frequency_penalty: 'number',
  top_logprobs: 'integer',
  temperature: 'number',
  reasoning: 'object or null',
  user: 'text or null',
  usage: 'object or null',
  max_output_tokens: 'integer or null',
  max_tool_calls: 'integer or null',
  store: 'flag',
  background: 'flag',
  service_tier: 'text',
  metadata: 'object',
  safety_identifier: 'text or null',
  prompt_cache_key: 'text or null',
}

const toolRules: Rules = { type: 'text', name: 'text', description: 'text or null' }
const functionRules: Rules = { ...toolRules, parameters: 'object or null', strict: 'flag or null' }

const usageRules: Rules = {
  input_tokens: 'integer',
  output_tokens: 'integer',
  total_tokens: 'integer',
  input_tokens_details: 'object',
  output_tokens_details: 'object',
}

function faultsOf(value: JsonObject, rules: Rules, at: string): string[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const field = value[name]
    if (field === undefined) return [`${at}${name} is missing`]
    const kind = rule.replace(' or null', '')
    if (field === null) return rule === kind ? [`${at}${name} is null`] : []
    return kind.split(' or ').some((each) => checks[each]?.(field)) ? [] : [`${at}${name} is not: ${rule}`]
  })
}

const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  flag: (value) => typeof value === 'boolean',
  list: Array.isArray,
  object: (value) => typeof value === 'object' && !Array.isArray(value),
}
