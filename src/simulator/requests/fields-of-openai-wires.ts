import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import { objectOf, objectsOf, stringOf, type JsonObject } from '#simulator/read-values-of-any-shape.ts'
import type { SimulatedTool } from '#simulator/simulated-request-types.ts'
import { AnyObject, byKind, listOf, listOrText, type Issue, type Reading } from './read-by-schema.ts'
import { strictFault } from './check-openai-strict-schema.ts'

/** Tools have the flat format of the responses wire. */

const called = {
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  parameters: AnyObject.nullish(),
  strict: z.boolean().nullish(),
}
const Tool = byKind([
  z.object({ kind: z.literal('function'), ...called }),
  z.object({ kind: z.literal('custom'), ...called }),
])
export const Tools = listOf(Tool).nullish()

export function* toolsOf(definitions: z.output<typeof Tools>): Reading<SimulatedTool[]> {
  const tools: SimulatedTool[] = []
  for (const [index, tool] of (definitions ?? []).entries()) {
    if (tool.kind === 'other') continue
    const { name, strict } = tool
    const parameters = tool.parameters ?? {}
    const { type = 'object' } = parameters
    const wrongType = `schema must be a JSON Schema of 'type: "object"', got 'type: "${String(type)}"'.`
    const fault = type === 'object' ? strict === true && strictFault(parameters) : wrongType
    if (typeof fault === 'string') {
      const sentence = `Invalid schema for function '${name}': ${fault}`
      yield rejection(sentence, `tools[${index}].parameters`, 'invalid_function_parameters')
    }
    tools.push({ name, isCustom: tool.kind === 'custom', parameters })
  }
  return tools
}

/** @param choice a string, or `{type, name}`, or `{type: allowed_tools, mode, tools}` */
export function* forcedTool(choice: unknown, tools: readonly SimulatedTool[]): Reading<SimulatedTool | null> {
  if (choice === 'required') return tools[0] ?? null
  const { type, name, mode, tools: allowed } = objectOf(choice)
  const isOne = type === 'function' || type === 'custom'
  const names = new Set(isOne ? [name] : objectsOf(allowed).map((tool) => tool['name']))
  const named = tools.find((tool) => names.has(tool.name)) ?? null
  if (isOne && named === null) {
    yield rejection(`Tool choice '${type}' not found in 'tools' parameter.`, 'tool_choice')
  }
  return isOne || mode === 'required' ? named : null
}

/** Any format other than JSON counts as text. */
export const Format = byKind([
  z.object({ kind: z.literal('json_object') }),
  z.object({
    kind: z.literal('json_schema'),
    name: z.string().min(1),
    schema: AnyObject,
    strict: z.boolean().nullish(),
  }),
])

/**
 * Returns null if the answer may be text, and `{}` for any JSON.
 * @param param the path of the format field
 * @param field the path of the messages, for the error. If a request asks for any JSON, both wires require the word
 *   "JSON" in a message. Without it, the model may write endless white space.
 */
export function* schemaOf(
  format: z.output<typeof Format> | null | undefined,
  { param, field, texts }: { readonly param: string; readonly field: string; readonly texts: unknown },
): Reading<JsonObject | null> {
  if (format?.kind === 'json_object') {
    const fault = `'${field}' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.`
    if (!/json/i.test(JSON.stringify(texts))) yield rejection(fault, field)
    return {}
  }
  if (format?.kind !== 'json_schema') return null
  const fault = format.strict === true ? strictFault(format.schema) : null
  if (fault !== null) yield rejection(`Invalid schema for response_format '${format.name}': ${fault}`, param)
  return format.schema
}

export function contentOf(type: string, types: readonly string[]) {
  const Part = z.object({ type: z.enum(types), text: z.string().nullish() })
  return listOrText(type, Part, ({ input }) => ((input ?? null) === null ? nothingSaid : undefined))
}

const nothingSaid = "Invalid value for 'content': expected a string, got null."

/** The error has no code if the schema defines the message. */
export function openaiWords(issue: Issue): Rejection {
  const { code, input, message, path } = issue
  // OpenAI reports an object of unknown type under the object's path, without `type`.
  const param = paramOf(code === 'invalid_value' && path.at(-1) === 'type' ? path.slice(0, -1) : path)
  if (message !== '') return rejection(message, param)
  if (code === 'unrecognized_keys') {
    return rejection(`Unknown parameter: '${param}'.`, param, 'unknown_parameter')
  }
  if (input === undefined || input === '') {
    return rejection(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter')
  }
  switch (code) {
    case 'invalid_type': {
      const got = input === null ? 'null' : typeof input
      const fault = `Invalid type for '${param}': expected ${nouns[issue.expected] ?? issue.expected}, but got ${got} instead.`
      return rejection(fault, param, 'invalid_type')
    }
    case 'invalid_format': {
      const fault = `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${issue.pattern?.slice(1, -1)}'.`
      return rejection(fault, param, 'invalid_value')
    }
    case 'too_small':
    case 'too_big': {
      const [limit, sign, above, max] =
        code === 'too_big' ? [issue.maximum, '<=', 'above', 'max'] : [issue.minimum, '>=', 'below', 'min']
      if (issue.origin === 'number') {
        const fault = `Invalid '${param}': decimal ${above} ${max}imum value. Expected a value ${sign} ${limit}, but got ${Number(input)} instead.`
        return rejection(fault, param, `decimal_${above}_${max}_value`)
      }
      const long = above === 'above' ? 'long' : 'short'
      const fault = `Invalid '${param}': ${issue.origin} too ${long}. Expected ${nouns[issue.origin]} with ${max}imum length ${limit}.`
      return rejection(fault, param, `${issue.origin}_${above}_${max}_length`)
    }
    default: {
      const values = 'values' in issue ? issue.values : 'options' in issue ? issue.options : []
      const supported = list.format(values?.map((value) => `'${String(value)}'`) ?? [])
      const value = 'discriminator' in issue ? objectOf(input)[issue.discriminator ?? ''] : input
      const fault = `Invalid value: '${stringOf(value)}'. Supported values are: ${supported}.`
      return rejection(fault, param, 'invalid_value')
    }
  }
}

const list = new Intl.ListFormat('en')

const nouns: Readonly<Record<string, string>> = {
  number: 'a decimal',
  int: 'an integer',
  string: 'a string',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
}

function paramOf(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
  return steps.join('').slice(1)
}
