import {
  filledObjectOrNull,
  flagOrNull,
  isAbsent,
  isObject,
  isStated,
  listOf,
  numberOrNull,
  objectOf,
  parseObject,
  textOrNull,
} from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import { bodyOf, mustBe, refuseForRoute, type WireRequest } from '#wire/wire-request.ts'
import { joinTurns, textsOnly } from '#convert/turns-and-content.ts'
import type {
  Effort,
  NeutralRequest,
  OutputFormat,
  ReasoningWish,
  Sampling,
  Tool,
  ToolChoice,
  Turn,
} from '#convert/neutral-format.ts'
import { unreadFields } from '#convert/unread-fields.ts'
import { converseFields } from './known-fields.ts'
import { readBlocks, readCachePoint, type Reading } from './read-content.ts'

export function readConverseRequest(request: WireRequest): NeutralRequest {
  const body = bodyOf(request)
  const others = new Set(Object.keys(body).filter((name) => !carried.has(name) && isStated(body[name])))
  const reading: Reading = { callNames: new Map(), others }
  const added = objectOf(body.additionalModelRequestFields)
  for (const name of Object.keys(added))
    if (!carriedAdded.has(name)) others.add(`additionalModelRequestFields.${name}`)
  const config = objectOf(body.inferenceConfig)
  return {
    instructions: textsOnly(readBlocks(body.system, 'system', reading), 'system'),
    turns: readTurns(body.messages, reading),
    ...readToolConfig(objectOf(body.toolConfig), reading),
    parallelTools: null,
    outputTokensMax: request.outputTokensMax,
    sampling: readSampling(config, added),
    stop: readStop(config.stopSequences),
    output: readOutput(objectOf(body.outputConfig)),
    reasoning: readReasoning(added, objectOf(body.outputConfig).effort, others),
    verbosity: null,
    choices: 1,
    logprobs: null,
    logitBias: null,
    serviceTier: request.serviceTier,
    metadata: filledObjectOrNull(body.requestMetadata),
    userId: null,
    cacheKey: null,
    isStream: request.isStream,
    wantsUsage: true,
    others: [...others, ...unreadFields(body, converseFields)],
  }
}

/**
 * Top-level fields that the neutral form can express. A request for a non-standard latency is rejected before this code
 * reads the request.
 */
const carried = nameSet(`
  messages system inferenceConfig toolConfig outputConfig additionalModelRequestFields serviceTier
  requestMetadata performanceConfig svc
`)

const carriedAdded = nameSet(`
  thinking reasoning_config reasoning_effort output_config top_k topK inferenceConfig
`)

function readTurns(messages: JsonValue, reading: Reading): readonly Turn[] {
  const turns = listOf(messages).map((item, i): Turn => {
    const { content, role } = objectOf(item)
    if (role !== 'user' && role !== 'assistant') mustBe(`messages.${i}.role`, 'user or assistant')
    return { role, parts: readBlocks(content, `messages.${i}.content`, reading) }
  })
  return joinTurns(turns)
}

function readToolConfig(
  { toolChoice, tools }: JsonObject,
  { others }: Reading,
): Pick<NeutralRequest, 'tools' | 'toolChoice'> {
  const read: Tool[] = []
  for (const [i, item] of listOf(tools).entries()) {
    const { cachePoint, toolSpec } = objectOf(item)
    const last = read.at(-1)
    if (isAbsent(toolSpec)) {
      if (last) read[read.length - 1] = { ...last, cache: readCachePoint(cachePoint) }
      else others.add('toolConfig.tools.cachePoint')
      continue
    }
    const { description, inputSchema, name, strict } = objectOf(toolSpec)
    const { json } = objectOf(inputSchema)
    read.push({
      name: textOrNull(name) ?? mustBe(`toolConfig.tools.${i}.toolSpec.name`, 'a string'),
      description: textOrNull(description),
      parameters: isObject(json) ? json : null,
      isStrict: flagOrNull(strict),
      custom: null,
      cache: null,
    })
  }
  return { tools: read, toolChoice: isAbsent(toolChoice) ? null : readChoice(objectOf(toolChoice)) }
}

function readChoice({ any, auto, tool }: JsonObject): ToolChoice {
  if (!isAbsent(auto)) return { kind: 'auto' }
  if (!isAbsent(any)) return { kind: 'required' }
  const name = textOrNull(objectOf(tool).name)
  return name === null
    ? mustBe('toolConfig.toolChoice', 'auto, any, or tool with a name')
    : { kind: 'one', name }
}

function readSampling({ temperature, topP }: JsonObject, added: JsonObject): Sampling {
  const inner = objectOf(added.inferenceConfig)
  return {
    temperature: numberOrNull(temperature),
    topP: numberOrNull(topP),
    topK: numberOrNull(added.top_k) ?? numberOrNull(added.topK) ?? numberOrNull(inner.topK),
    seed: null,
    frequencyPenalty: null,
    presencePenalty: null,
  }
}

function readStop(value: JsonValue): readonly string[] {
  const texts = listOf(value).filter((item) => typeof item === 'string')
  if (!isAbsent(value) && !(Array.isArray(value) && texts.length === value.length))
    mustBe('inferenceConfig.stopSequences', 'a list of strings')
  return texts.filter((text) => text !== '')
}

/** The schema is a string that contains JSON. */
function readOutput({ textFormat }: JsonObject): OutputFormat | null {
  if (isAbsent(textFormat)) return null
  const { description, name, schema } = objectOf(objectOf(objectOf(textFormat).structure).jsonSchema)
  const read = parseObject(textOrNull(schema) ?? '')
  if (read === null)
    mustBe('outputConfig.textFormat.structure.jsonSchema.schema', 'a JSON Schema, as JSON in a string')
  return {
    kind: 'schema',
    name: textOrNull(name),
    description: textOrNull(description),
    schema: read,
    isStrict: null,
  }
}

/**
 * Reads the reasoning settings of Claude and of other models (docs/reference/conversions.md "Effort and thinking").
 * @param named the effort that `outputConfig` states
 */
function readReasoning(added: JsonObject, named: JsonValue, others: Set<string>): ReasoningWish | null {
  const { effort: claudeEffort, format } = objectOf(added.output_config)
  const asked = named ?? added.reasoning_effort ?? claudeEffort ?? textOrNull(added.reasoning_config)
  const effort = efforts.find((one) => one === asked) ?? null
  if (!isAbsent(asked) && effort === null)
    others.add(isAbsent(named) ? 'additionalModelRequestFields.reasoning_effort' : 'outputConfig.effort')
  if (!isAbsent(format))
    refuseForRoute(
      'additionalModelRequestFields.output_config.format',
      'the provider of this model reads schemas in outputConfig. Send the schema there',
    )
  const { budget_tokens: budget, display, type } = objectOf(added.thinking ?? added.reasoning_config)
  const isShown = display === 'summarized' ? true : display === 'omitted' ? false : null
  if (type === 'disabled') return { effort: 'none', budgetTokens: null, isShown: null }
  if (type === 'enabled') return { effort, budgetTokens: numberOrNull(budget), isShown }
  if (!isAbsent(type) && type !== 'adaptive') others.add('additionalModelRequestFields.thinking.type')
  return effort === null && type !== 'adaptive' ? null : { effort, budgetTokens: null, isShown }
}

const efforts: readonly Effort[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']
