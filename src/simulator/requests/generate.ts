import { complaint, Complaints, type Complaint } from '#simulator/complaint.ts'
import { foreignField } from '#simulator/fields.ts'
import {
  isObject,
  isWhole,
  objectOf,
  objectsOf,
  stringOf,
  stringsOf,
  type JsonObject,
} from '#simulator/loose-json.ts'
import { InputCount, type SimulatedRequest, type SimulatedTool } from '#simulator/request.ts'
import { callOf, checkTurns, eitherOf, responseOf, type Turn } from './contents.ts'
import { dialectFault } from './schema-dialect.ts'

const choicesMax = 8
const stopsMax = 5

/** A generateContent or countTokens request, or what Google would refuse it for (wire.md 3.1). */
export function readGenerate(
  given: JsonObject,
  { model, isStream }: { model: string; isStream: boolean },
): SimulatedRequest | Complaint {
  const body = isObject(given['generateContentRequest']) ? given['generateContentRequest'] : given
  const contents = body['contents']
  if (!Array.isArray(contents) || contents.length === 0) {
    return complaint('* GenerateContentRequest.contents: contents is not specified')
  }
  const config = objectOf(eitherOf(body, 'generationConfig', 'generation_config'))
  const max = eitherOf(config, 'maxOutputTokens', 'max_output_tokens') ?? null
  const candidates = eitherOf(config, 'candidateCount', 'candidate_count') ?? 1
  const stops = eitherOf(config, 'stopSequences', 'stop_sequences') ?? []
  if (max !== null && !isWhole(max)) {
    return complaint('* GenerateContentRequest.generation_config.max_output_tokens: must be positive')
  }
  if (!isWhole(candidates) || candidates > choicesMax) {
    return complaint(`Invalid candidateCount: must be from 1 to ${choicesMax}.`)
  }
  const complaints = new Complaints()
  const foreign = foreignField('generate', body)
  complaints.unless(
    foreign === null,
    `Invalid JSON payload received. Unknown name "${foreign}": Cannot find field.`,
  )
  complaints.unless(
    Array.isArray(stops) && stops.length <= stopsMax,
    `The stop_sequences must be a list of at most ${stopsMax}.`,
  )
  for (const [name, low, high] of [
    ['temperature', 0, 2],
    ['topP', 0, 1],
  ] as const) {
    const value = config[name] ?? null
    complaints.unless(
      value === null || (typeof value === 'number' && value >= low && value <= high),
      `* GenerateContentRequest.generation_config.${name}: must be in the range [${low}, ${high}].`,
    )
  }
  const tools = toolsOf(body, complaints)
  const forced = checkChoice(body, tools, complaints)
  const turns = objectsOf(contents).map((content) => ({
    role: stringOf(content['role'] ?? 'user'),
    parts: objectsOf(content['parts']),
  }))
  checkTurns(turns, complaints)
  const schema = schemaOf(config, complaints)
  if (complaints.first) return complaints.first

  const lastUser = turns.findLastIndex(
    ({ role, parts }) => role === 'user' && parts.some(({ text }) => typeof text === 'string'),
  )
  const thinking = objectOf(eitherOf(config, 'thinkingConfig', 'thinking_config'))
  return {
    model,
    isStream,
    isUsageWanted: true,
    outputTokensMax: max,
    choices: candidates,
    stops: stringsOf(stops),
    inputTokens: inputTokensOf(body, config, turns),
    userText: textOf(turns[lastUser]?.parts ?? []),
    isAfterTools: turns
      .slice(lastUser + 1)
      .some(({ parts }) => parts.some((part) => responseOf(part) !== null)),
    seed: isWhole(config['seed']) ? String(config['seed']) : null,
    tools,
    forcedTool: forced,
    mayCallSeveral: true,
    schema,
    reasoning: {
      isOff: eitherOf(thinking, 'thinkingBudget', 'thinking_budget') === 0,
      isShown: eitherOf(thinking, 'includeThoughts', 'include_thoughts') === true,
      isSealed: true,
    },
    body,
  }
}

function declarationsOf({ tools }: JsonObject): JsonObject[] {
  return objectsOf(tools).flatMap((tool) =>
    objectsOf(eitherOf(tool, 'functionDeclarations', 'function_declarations')),
  )
}

function toolsOf(body: JsonObject, complaints: Complaints): SimulatedTool[] {
  return declarationsOf(body).map((declaration, index) => {
    const name = stringOf(declaration['name'])
    const path = `tools[0].function_declarations[${index}]`
    complaints.unless(
      /^[A-Za-z_][\w.:-]{0,127}$/.test(name),
      `* GenerateContentRequest.${path}.name: Invalid function name. Must start with a letter or an underscore.`,
    )
    const { parameters } = declaration
    const jsonSchema = eitherOf(declaration, 'parametersJsonSchema', 'parameters_json_schema')
    complaints.unless(
      parameters === undefined || jsonSchema === undefined,
      `${path}: only one of parameters and parameters_json_schema can be set.`,
    )
    const fault = dialectFault(parameters, `${path}.parameters`)
    complaints.unless(fault === null, fault ?? '')
    return { name, isCustom: false, parameters: objectOf(parameters ?? jsonSchema) }
  })
}

function checkChoice(
  body: JsonObject,
  tools: readonly SimulatedTool[],
  complaints: Complaints,
): SimulatedTool | null {
  const config = objectOf(
    eitherOf(
      objectOf(eitherOf(body, 'toolConfig', 'tool_config')),
      'functionCallingConfig',
      'function_calling_config',
    ),
  )
  const names = stringsOf(eitherOf(config, 'allowedFunctionNames', 'allowed_function_names') ?? [])
  for (const name of names) {
    complaints.unless(
      tools.some((tool) => tool.name === name),
      `* GenerateContentRequest.tool_config.function_calling_config.allowed_function_names: ${name} is not among the functions declared.`,
    )
  }
  const mode = stringOf(config['mode'])
  complaints.unless(
    names.length === 0 || mode === 'ANY' || mode === 'VALIDATED',
    'Allowed function names should only be set when function calling mode is ANY or VALIDATED.',
  )
  if (mode !== 'ANY') return null
  return tools.find(({ name }) => names.length === 0 || names.includes(name)) ?? null
}

function schemaOf(config: JsonObject, complaints: Complaints): JsonObject | null {
  const schema = eitherOf(config, 'responseSchema', 'response_schema')
  const jsonSchema =
    eitherOf(config, 'responseJsonSchema', 'response_json_schema') ??
    eitherOf(config, '_responseJsonSchema', '_response_json_schema')
  const type = eitherOf(config, 'responseMimeType', 'response_mime_type')
  complaints.unless(
    (schema === undefined && jsonSchema === undefined) || type === 'application/json',
    '* GenerateContentRequest.generation_config.response_mime_type: must be application/json with a schema.',
  )
  const fault = dialectFault(schema, 'generation_config.response_schema')
  complaints.unless(fault === null, fault ?? '')
  return type === 'application/json' ? objectOf(schema ?? jsonSchema) : null
}

function inputTokensOf(body: JsonObject, config: JsonObject, turns: readonly Turn[]): number {
  const count = new InputCount()
  const system = objectOf(eitherOf(body, 'systemInstruction', 'system_instruction'))
  count.text(textOf(objectsOf(system['parts'])))
  for (const { parts } of turns) {
    count.message()
    count.text(textOf(parts))
    for (const part of parts) {
      if (eitherOf(part, 'inlineData', 'inline_data') !== undefined) count.image()
      count.json(callOf(part)?.['args'])
      count.json(responseOf(part)?.['response'])
    }
  }
  count.json(body['tools'])
  count.json(
    eitherOf(config, 'responseSchema', 'response_schema') ??
      eitherOf(config, 'responseJsonSchema', 'response_json_schema'),
  )
  return count.tokens
}

function textOf(parts: readonly JsonObject[]): string {
  return parts
    .map(({ text }) => text)
    .filter((text) => typeof text === 'string')
    .join('\n')
}
