import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import {
  isObject,
  isWhole,
  objectOf,
  stringsOf,
  textOf,
  type JsonObject,
} from '#simulator/read-values-of-any-shape.ts'
import {
  conversationOf,
  type Said,
  type SimulatedRequest,
  type SimulatedTool,
} from '#simulator/simulated-request-types.ts'
import { openSeal } from '#simulator/sign-simulated-thoughts.ts'
import { AnyObject, listOf, read, type Issue, type Reading } from './read-by-schema.ts'
import { dialectFault } from './check-google-schema.ts'

/** Distinguishes a call that lost its signature from a call that never had one. */
export const signedCallPrefix = 'sig_'

/** The rejection is Google's (docs/reference/wires.md "Requests on the generate wire"). */
export function readGenerate(
  given: JsonObject,
  call: { readonly model: string; readonly isStream: boolean },
): SimulatedRequest | Rejection {
  const { generateContentRequest: inner } = given
  const body = isObject(inner) ? inner : given
  return read('generate', body, Generate, googleWords, (request) => reading(request, body, call))
}

/** Google accepts every field name in camelCase and in snake_case. Google's Python client sends names in snake_case. */
function either<Shape extends z.core.$ZodLooseShape>(shape: Shape, fault?: string) {
  return z.preprocess(camelNames, z.looseObject(shape, fault))
}

function camelNames(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camelCase(name), inner]))
}

function camelCase(name: string): string {
  return name.replaceAll(/(?<=.)_[a-z]/g, (at) => at.charAt(1).toUpperCase())
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

const Call = z.looseObject({
  id: z.string().nullish(),
  name: z.string('Name cannot be empty.').min(1),
  args: AnyObject.nullish(),
})
const Response = z.looseObject({ name: z.string().default(''), response: AnyObject })
const Part = either({
  functionCall: Call.nullish(),
  functionResponse: Response.nullish(),
  inlineData: either({ mimeType: z.string().nullish() }).nullish(),
  thoughtSignature: z.string().nullish(),
})
const Turn = z.looseObject({
  role: z
    .string()
    .nullish()
    .transform((role) => role ?? 'user'),
  parts: listOf(Part, { fault: 'contents.parts must not be empty.', min: 1 }),
})

const Declaration = either({
  name: z
    .string()
    .regex(/^[A-Za-z_][\w.:-]{0,127}$/, 'Invalid function name. Must start with a letter or an underscore.'),
  parameters: AnyObject.nullish(),
  parametersJsonSchema: AnyObject.nullish(),
})

const stopsMax = 5
const stopsFault = `The stop_sequences must be a list of at most ${stopsMax}.`
const choicesMax = 8

const Config = either({
  maxOutputTokens: z.int('must be positive').min(1).nullish(),
  candidateCount: z.int(`candidateCount must be from 1 to ${choicesMax}.`).min(1).max(choicesMax).nullish(),
  stopSequences: listOf(z.string(), { fault: stopsFault, max: stopsMax }).nullish(),
  temperature: z.number('must be in the range [0, 2].').min(0).max(2).nullish(),
  topP: z.number('must be in the range [0, 1].').min(0).max(1).nullish(),
  seed: z.int().nullish(),
  thinkingConfig: either({
    thinkingBudget: z.int().nullish(),
    includeThoughts: z.boolean().nullish(),
  }).nullish(),
  responseMimeType: z.string().nullish(),
  responseSchema: AnyObject.nullish(),
  responseJsonSchema: AnyObject.nullish(),
  _responseJsonSchema: AnyObject.nullish(),
})

const Generate = either({
  contents: listOf(Turn, { fault: 'contents is not specified', min: 1 }),
  systemInstruction: AnyObject.nullish(),
  generationConfig: Config.nullish(),
  tools: listOf(either({ functionDeclarations: listOf(Declaration).nullish() })).nullish(),
  toolConfig: either({
    functionCallingConfig: either({
      mode: z.string().nullish(),
      allowedFunctionNames: listOf(z.string()).nullish(),
    }).nullish(),
  }).nullish(),
})

type Request = z.output<typeof Generate>

function googleWords(issue: Issue): Rejection {
  if (issue.code === 'unrecognized_keys') {
    return rejection(`Invalid JSON payload received. Unknown name "${issue.keys[0]}": Cannot find field.`)
  }
  const steps = issue.path.map((step) =>
    typeof step === 'number' ? `[${step}]` : `.${snakeCase(String(step))}`,
  )
  const place = steps.join('').slice(1)
  if (issue.message !== '') return rejection(`* GenerateContentRequest.${place}: ${issue.message}`)
  const expected = issue.code === 'invalid_type' ? issue.expected : 'object'
  return rejection(`Invalid value at '${place}' (${protoTypes[expected] ?? expected})`)
}

const protoTypes: Readonly<Record<string, string>> = {
  object: 'type.googleapis.com/google.protobuf.Struct',
  string: 'TYPE_STRING',
  int: 'TYPE_INT32',
  number: 'TYPE_FLOAT',
  boolean: 'TYPE_BOOL',
}

function* reading(
  request: Request,
  given: JsonObject,
  { model, isStream }: { readonly model: string; readonly isStream: boolean },
): Reading<SimulatedRequest> {
  const { contents, generationConfig } = request
  const config = generationConfig ?? {}
  const tools = yield* toolsOf(request)
  const forced = yield* forcedTool(request, tools)
  yield* turnFaults(contents, model)
  const schema = yield* schemaOf(config)
  const values = contents.flatMap(({ parts }) =>
    parts.flatMap(({ functionCall, functionResponse }) => [functionCall?.args, functionResponse?.response]),
  )
  return {
    ...conversationOf(contents.map(saidIn), {
      texts: [textOf(objectOf(request.systemInstruction)['parts'])],
      values: [...values, given['tools'], config.responseSchema ?? config.responseJsonSchema],
    }),
    model,
    isStream,
    isUsageWanted: true,
    outputTokensMax: config.maxOutputTokens ?? null,
    choices: config.candidateCount ?? 1,
    stops: stringsOf(config.stopSequences),
    seed: isWhole(config['seed']) ? String(config['seed']) : null,
    tools,
    forcedTool: forced,
    mayCallSeveral: true,
    searchesMax: offersSearch(request) ? Infinity : 0,
    schema,
    reasoning: {
      isOff: config.thinkingConfig?.thinkingBudget === 0,
      isShown: config.thinkingConfig?.includeThoughts === true,
      isSealed: true,
    },
    body: given,
  }
}

/** Google's requests cannot limit the number of searches. */
function offersSearch({ tools }: Request): boolean {
  return (tools ?? []).some(
    (tool) => isObject(tool['googleSearch']) || isObject(tool['googleSearchRetrieval']),
  )
}

function* toolsOf({ tools: definitions }: Request): Reading<SimulatedTool[]> {
  const tools: SimulatedTool[] = []
  const declarations = (definitions ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? [])
  for (const [index, { name, parameters, parametersJsonSchema }] of declarations.entries()) {
    const path = `tools[0].function_declarations[${index}]`
    if (parameters !== undefined && parametersJsonSchema !== undefined) {
      yield rejection(`${path}: only one of parameters and parameters_json_schema can be set.`)
    }
    const fault = dialectFault(parameters, `${path}.parameters`)
    if (fault !== null) yield rejection(fault)
    tools.push({ name, isCustom: false, parameters: parameters ?? parametersJsonSchema ?? {} })
  }
  return tools
}

function* forcedTool(
  { toolConfig }: Request,
  tools: readonly SimulatedTool[],
): Reading<SimulatedTool | null> {
  const { mode, allowedFunctionNames } = toolConfig?.functionCallingConfig ?? {}
  const names = allowedFunctionNames ?? []
  const unknown = names.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined) {
    yield rejection(
      `* GenerateContentRequest.tool_config.function_calling_config.allowed_function_names: ${unknown} is not among the functions declared.`,
    )
  }
  if (names.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED') {
    yield rejection(
      'Allowed function names should only be set when function calling mode is ANY or VALIDATED.',
    )
  }
  if (mode !== 'ANY') return null
  return tools.find(({ name }) => names.length === 0 || names.includes(name)) ?? null
}

function* schemaOf(config: z.output<typeof Config>): Reading<JsonObject | null> {
  const { responseMimeType: type, responseSchema, responseJsonSchema, _responseJsonSchema } = config
  const schema = responseSchema ?? responseJsonSchema ?? _responseJsonSchema
  if (type !== 'application/json') {
    const fault = 'response_mime_type: must be application/json with a schema.'
    if (schema) yield rejection(`* GenerateContentRequest.generation_config.${fault}`)
    return null
  }
  const fault = dialectFault(responseSchema, 'generation_config.response_schema')
  if (fault !== null) yield rejection(fault)
  return schema ?? {}
}

type Turns = Request['contents']
type Parts = Turns[number]['parts']

function* turnFaults(turns: Turns, model: string): Reading<void> {
  let open: string[] = []
  for (const [index, { role, parts }] of turns.entries()) {
    const path = `GenerateContentRequest.contents[${index}].parts`
    if (!roles.has(role)) yield rejection('Please use a valid role: user, model.')
    for (const [at, part] of parts.entries()) {
      if (Object.keys(part).filter((name) => partData.has(name)).length !== 1) {
        yield rejection(`* ${path}[${at}].data: required oneof field 'data' must have one initialized field`)
      }
      const type = part.inlineData ? (part.inlineData.mimeType ?? '') : 'text/plain'
      if (!/^(image|audio|video|text|application)\/[\w.+-]+$/.test(type)) {
        yield rejection(`Unsupported MIME type: ${type}`)
      }
    }
    const responses = parts.flatMap(({ functionResponse }) => functionResponse ?? [])
    if (responses.length !== open.length) {
      yield rejection(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      )
    }
    for (const [at, { name }] of responses.entries()) {
      if (open.includes(name)) continue
      const fault = name === '' ? 'Name cannot be empty.' : 'there is no function call of that name.'
      yield rejection(`* ${path}[${at}].function_response.name: ${fault}`)
    }
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
    const before = turns[index - 1]?.role
    if (calls.length > 0 && before !== 'user' && before !== 'function') {
      yield rejection(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      )
    }
    if (calls.length > 0 && role !== 'model') yield rejection('Function calls are made by the model.')
    yield* signatureFaults(parts, model)
    open = calls.map(({ name }) => name)
  }
  if (open.length > 0) {
    yield rejection('Please ensure that function response turn comes immediately after a function call turn.')
  }
}

const roles = new Set(['user', 'model', 'function'])

/** A part has exactly one of these members. The other members of a part add details. */
const partData = new Set([
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
])

/** Models before Gemini 3 accept a call without its signature. */
const signsOptionally = /^gemini-[12](?!\d)/

function* signatureFaults(parts: Parts, model: string): Reading<void> {
  for (const { thoughtSignature: seal } of parts) {
    if ((seal ?? null) === null || dummies.has(seal) || openSeal('thought', seal) !== null) continue
    yield rejection('Thought signature is not valid.')
  }
  if (signsOptionally.test(model)) return
  const calls = parts.filter(({ functionCall }) => functionCall)
  const isSigned = calls.some(({ functionCall }) => functionCall?.id?.startsWith(signedCallPrefix))
  // Among parallel tool calls, the first call has the signature for all of them.
  if (isSigned && (calls[0]?.thoughtSignature ?? null) === null) {
    yield rejection(
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.',
    )
  }
}

/**
 * Google's documented placeholders for a tool call that lost its signature (docs/reference/conversions.md "Sealed
 * reasoning"). Typed clients such as pydantic-ai and LiteLLM encode a placeholder in base64, so both forms are listed.
 */
const dummies: ReadonlySet<unknown> = new Set(
  ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'].flatMap((word) => [
    word,
    Buffer.from(word).toString('base64'),
    Buffer.from(word).toString('base64url'),
  ]),
)

function saidIn({ role, parts }: Turns[number]): Said {
  const text = textOf(parts)
  return {
    userText: role === 'user' && parts.some((part) => typeof part['text'] === 'string') ? text : null,
    hasResults: parts.some(({ functionResponse }) => functionResponse),
    input: { texts: [text], media: parts.filter((part) => part.inlineData ?? part['fileData']).length },
  }
}
