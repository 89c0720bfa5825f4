import { complaint, Complaints, type Complaint } from '#providers/simulator/complaints.ts'
import { foreignField } from '#providers/simulator/fields.ts'
import {
  isObject,
  isWhole,
  objectOf,
  objectsOf,
  stringOf,
  stringsOf,
  type JsonObject,
} from '#providers/simulator/loose.ts'
import { InputCount, type SimulatedRequest, type SimulatedTool } from '#providers/simulator/request.ts'
import { openSeal } from '#providers/simulator/seals.ts'

const choicesMax = 8
const stopsMax = 5

/** What stands for a signature that was lost on the way (wire.md 8). */
const skippedSignature = 'skip_thought_signature_validator'

/** Starts the ids of calls that were signed, which tells a call that lost its signature from one that had none. */
export const signedCallPrefix = 'sig_'

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

interface Turn {
  readonly role: string
  readonly parts: readonly JsonObject[]
}

function checkTurns(turns: readonly Turn[], complaints: Complaints): void {
  let open: string[] = []
  for (const [index, { role, parts }] of turns.entries()) {
    complaints.unless(roles.has(role), 'Please use a valid role: user, model.')
    complaints.unless(
      parts.length > 0,
      `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`,
    )
    for (const [at, part] of parts.entries()) checkPart(part, `contents[${index}].parts[${at}]`, complaints)

    const responses = parts.map(responseOf).filter((response) => response !== null)
    complaints.unless(
      responses.length === open.length,
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    )
    for (const [at, { name }] of responses.entries()) {
      const isCalled = open.includes(stringOf(name))
      complaints.unless(
        isCalled,
        `* GenerateContentRequest.contents[${index}].parts[${at}].function_response.name: ${stringOf(name) === '' ? 'Name cannot be empty.' : 'there is no function call of that name.'}`,
      )
    }
    const calls = parts.map(callOf).filter((call) => call !== null)
    const before = turns[index - 1]
    complaints.unless(
      calls.length === 0 || before?.role === 'user' || before?.role === 'function',
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    )
    complaints.unless(role === 'model' || calls.length === 0, 'Function calls are made by the model.')
    checkSignatures(parts, complaints)
    open = calls.map(({ name }) => stringOf(name))
  }
  complaints.unless(
    open.length === 0,
    'Please ensure that function response turn comes immediately after a function call turn.',
  )
}

const roles = new Set(['user', 'model', 'function'])

function checkPart(part: JsonObject, path: string, complaints: Complaints): void {
  const data = Object.keys(part).filter((name) => partData.has(name))
  complaints.unless(
    data.length === 1,
    `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field`,
  )
  const call = callOf(part)
  if (call) {
    complaints.unless(stringOf(call['name']) !== '', `* ${path}.function_call.name: Name cannot be empty.`)
    const { args = {} } = call
    complaints.unless(
      isObject(args),
      `Invalid value at '${path}.function_call.args' (type.googleapis.com/google.protobuf.Struct)`,
    )
  }
  const response = responseOf(part)
  if (response) {
    complaints.unless(
      isObject(response['response']),
      `Invalid value at '${path}.function_response.response' (type.googleapis.com/google.protobuf.Struct)`,
    )
  }
  const inline = eitherOf(part, 'inlineData', 'inline_data')
  if (inline !== undefined) {
    const type = eitherOf(objectOf(inline), 'mimeType', 'mime_type')
    complaints.unless(
      /^(image|audio|video|text|application)\/[\w.+-]+$/.test(stringOf(type)),
      `Unsupported MIME type: ${stringOf(type)}`,
    )
  }
}

/** Of these a part has one; what else it has says something about it. */
const partData = new Set([
  'text',
  'inlineData',
  'inline_data',
  'fileData',
  'file_data',
  'functionCall',
  'function_call',
  'functionResponse',
  'function_response',
  'executableCode',
  'codeExecutionResult',
])

/** Each seal is one of ours, and calls that were made under one are not given back without. */
function checkSignatures(parts: readonly JsonObject[], complaints: Complaints): void {
  for (const part of parts) {
    const seal = signatureOf(part)
    complaints.unless(
      seal === undefined || seal === skippedSignature || openSeal('thought', seal) !== null,
      'Thought signature is not valid.',
    )
  }
  const calls = parts.filter((part) => callOf(part) !== null)
  const isSigned = calls.some((part) => stringOf(callOf(part)?.['id']).startsWith(signedCallPrefix))
  // Of calls made together the first carries the signature of them all.
  const [first = {}] = calls
  complaints.unless(
    !isSigned || signatureOf(first) !== undefined,
    'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.',
  )
}

function signatureOf(part: JsonObject): unknown {
  return eitherOf(part, 'thoughtSignature', 'thought_signature')
}

function callOf(part: JsonObject): JsonObject | null {
  const call = eitherOf(part, 'functionCall', 'function_call')
  return isObject(call) ? call : null
}

function responseOf(part: JsonObject): JsonObject | null {
  const response = eitherOf(part, 'functionResponse', 'function_response')
  return isObject(response) ? response : null
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

/** Google's own dialect of schemas knows few words, and refuses the others (wire.md 3.1). */
function dialectFault(schema: unknown, path: string): string | null {
  if (!isObject(schema)) return null
  for (const [name, value] of Object.entries(schema)) {
    if (!dialect.has(name)) {
      return `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`
    }
    const inner: (readonly [string, unknown])[] =
      name === 'properties'
        ? Object.entries(objectOf(value)).map(([key, property]) => [`properties[${key}]`, property] as const)
        : name === 'items'
          ? [['items', value]]
          : (name === 'anyOf' || name === 'any_of') && Array.isArray(value)
            ? value.map((one: unknown, index) => [`any_of[${index}]`, one] as const)
            : []
    for (const [step, one] of inner) {
      const fault = dialectFault(one, `${path}.${step}`)
      if (fault !== null) return fault
    }
  }
  return null
}

const dialect = new Set(
  (
    'type format title description nullable enum items minItems maxItems properties required minProperties ' +
    'maxProperties minimum maximum minLength maxLength pattern anyOf propertyOrdering default example ' +
    'min_items max_items min_properties max_properties min_length max_length any_of property_ordering'
  ).split(' '),
)

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

/** Google reads both spellings of every name, and the Python client sends the second. */
function eitherOf(object: JsonObject, camel: string, snake: string): unknown {
  return object[camel] ?? object[snake]
}
