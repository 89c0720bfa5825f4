import { schemaForClaude } from '#convert/messages/schema-for-claude.ts'
import { thinkingConfigOf } from '#convert/generate/thinking-configuration.ts'
import {
  abilitiesOf,
  isCohereReasoner,
  isOpenaiPlain,
  openaiEffortsOf,
} from '#convert/known-restrictions-of-models.ts'
import { printValue } from '#wire/text/json-values.ts'
import type { Effort, NeutralRequest, OutputFormat, ReasoningWish } from '#convert/neutral-format.ts'
import type { Destination, Capability } from './capability-type.ts'
import { stopCapabilities } from './stop-capabilities.ts'

export const effortFields: Capability['field'] = {
  chat: 'reasoning_effort',
  messages: 'output_config.effort',
  generate: 'generationConfig.thinkingConfig.thinkingLevel',
  responses: 'reasoning.effort',
  converse: 'additionalModelRequestFields.output_config.effort',
  cohere: 'thinking.type',
}

const budgetFields: Capability['field'] = {
  chat: 'reasoning.max_tokens',
  messages: 'thinking.budget_tokens',
  generate: 'generationConfig.thinkingConfig.thinkingBudget',
  converse: 'additionalModelRequestFields.thinking.budget_tokens',
  cohere: 'thinking.token_budget',
}

const displayFields: Capability['field'] = {
  chat: 'reasoning.exclude',
  messages: 'thinking.display',
  generate: 'generationConfig.thinkingConfig.includeThoughts',
  converse: 'additionalModelRequestFields.thinking.display',
}

const schemaFields: Capability['field'] = {
  chat: 'response_format.json_schema.schema',
  generate: 'generationConfig.responseSchema',
  responses: 'text.format.schema',
  converse: 'outputConfig.textFormat.structure.jsonSchema.schema',
  cohere: 'response_format.json_schema',
}

export const outputCapabilities: readonly Capability[] = [
  {
    name: 'choices',
    what: 'more than one choice',
    field: { chat: 'n', generate: 'generationConfig.candidateCount' },
    treatment: { messages: 'refused', responses: 'refused', converse: 'refused', cohere: 'refused' },
    isIn: ({ choices }) => choices > 1,
    refusal:
      'the provider of this model returns one choice per request; request one choice, or send several requests',
  },
  ...stopCapabilities,
  {
    name: 'logprobs',
    what: 'log probabilities of tokens',
    field: {
      chat: 'logprobs',
      generate: 'generationConfig.responseLogprobs',
      responses: 'top_logprobs',
    },
    treatment: { messages: 'lost', converse: 'lost', cohere: 'lost' },
    isIn: ({ logprobs }) => logprobs !== null,
    without: (request) => ({ ...request, logprobs: null }),
  },
  {
    name: 'logitBias',
    what: 'logit biases of tokens',
    field: { chat: 'logit_bias' },
    treatment: { messages: 'lost', generate: 'lost', responses: 'lost', converse: 'lost', cohere: 'lost' },
    isIn: ({ logitBias }) => logitBias !== null,
    without: (request) => ({ ...request, logitBias: null }),
  },
  {
    name: 'output.text',
    what: 'text as the response format (the default)',
    field: {
      chat: 'response_format',
      generate: 'generationConfig.responseMimeType',
      responses: 'text.format',
      cohere: 'response_format',
    },
    treatment: 'irrelevant',
    isIn: ({ output }) => output?.kind === 'text',
    without: (request) => ({ ...request, output: null }),
  },
  {
    name: 'output.json',
    what: 'JSON without a schema, requested in the prompt if the wire format has no parameter for it',
    field: {
      chat: 'response_format',
      generate: 'generationConfig.responseMimeType',
      responses: 'text.format',
      cohere: 'response_format',
    },
    treatment: { messages: 'changed', converse: 'changed' },
    isIn: ({ output }) => output?.kind === 'json',
    without: (request) => withInstruction(request, jsonOnly),
  },
  {
    name: 'output.schema',
    what: 'a response schema, requested in the prompt',
    field: {
      chat: 'response_format',
      messages: 'output_config.format',
      generate: 'generationConfig.responseSchema',
      responses: 'text.format',
      converse: 'outputConfig.textFormat',
      cohere: 'response_format.json_schema',
    },
    treatment: { converse: 'changed' },
    isIn: ({ output }) => output?.kind === 'schema',
    without: withSchemaInPrompt,
  },
  {
    name: 'output.besideTools',
    what: 'JSON or a response schema in a request with tools, requested in the prompt',
    field: {
      chat: 'response_format',
      messages: 'output_config.format',
      generate: 'generationConfig.responseSchema',
      responses: 'text.format',
      converse: 'outputConfig.textFormat',
    },
    treatment: { cohere: 'changed' },
    isIn: ({ output, tools }) => tools.length > 0 && (output?.kind === 'json' || output?.kind === 'schema'),
    without: (request) =>
      request.output?.kind === 'schema' ? withSchemaInPrompt(request) : withInstruction(request, jsonOnly),
  },
  {
    name: 'output.schema.claude',
    what: 'a response schema that the provider cannot enforce (maps, recursive schemas, Claude before 4.1), requested in the prompt',
    field: schemaFields,
    treatment: { messages: 'changed' },
    isIn: ({ output }, { model }) =>
      output?.kind === 'schema' &&
      (!abilitiesOf(model).enforcesSchemas || schemaForClaude(output.schema) === null),
    without: withSchemaInPrompt,
  },
  {
    name: 'output.schema.rules',
    what: 'rules of a response schema that Claude cannot enforce, such as a minimum, moved to the descriptions of the values',
    field: schemaFields,
    treatment: { messages: 'changed' },
    isIn: ({ output }) => output?.kind === 'schema' && schemaForClaude(output.schema)?.isChanged === true,
    without: withClaudeSchema,
  },
  {
    name: 'output.schema.open',
    what: 'objects in a response schema that do not exclude further properties',
    field: schemaFields,
    treatment: { messages: 'irrelevant' },
    isIn: ({ output }) => output?.kind === 'schema',
    without: withClaudeSchema,
  },
  schemaCapability('description', 'the description of the response schema', 'lost'),
  schemaCapability('name', 'the name of the response schema', 'irrelevant'),
  schemaCapability(
    'isStrict',
    'whether the response schema is enforced: these providers always enforce it',
    'irrelevant',
  ),
  {
    name: 'reasoning.none',
    what: 'thinking, if the model does not think or is not known to think',
    field: effortFields,
    treatment: { messages: 'lost', generate: 'lost', converse: 'lost', cohere: 'lost' },
    isIn: ({ reasoning }, to) => reasoning !== null && reasoning.effort !== 'none' && !thinks(to),
    without: (request) => ({ ...request, reasoning: null }),
  },
  {
    name: 'reasoning.none.off',
    what: 'thinking turned off, if the model does not think',
    field: effortFields,
    treatment: { cohere: 'irrelevant' },
    isIn: ({ reasoning }, to) => reasoning !== null && !thinks(to),
    without: (request) => ({ ...request, reasoning: null }),
  },
  {
    name: 'reasoning.budget',
    what: 'a token budget for thinking, sent as the nearest effort',
    field: budgetFields,
    treatment: { chat: 'changed', responses: 'changed' },
    isIn: ({ reasoning }) => reasoning !== null && reasoning.budgetTokens !== null,
    without: withEffortForBudget,
  },
  {
    name: 'reasoning.budget.words',
    what: 'a token budget for thinking, sent as the nearest effort to a model that accepts no numbers',
    field: budgetFields,
    treatment: { messages: 'changed', generate: 'changed' },
    isIn: ({ reasoning }, to) => reasoning !== null && reasoning.budgetTokens !== null && takesWords(to),
    without: withEffortForBudget,
  },
  {
    name: 'reasoning.off',
    what: 'thinking turned off, sent as the least effort to a model that always thinks',
    field: effortFields,
    treatment: { generate: 'changed' },
    isIn: ({ reasoning }, { wire, model }) =>
      wire === 'generate' && reasoning?.effort === 'none' && !canBeOff(model),
    without: (request) => withReasoning(request, (wish) => ({ ...wish, effort: 'minimal' })),
  },
  {
    name: 'reasoning.plainModel',
    what: 'a reasoning effort, if the model does not reason (OpenAI models before o1 and GPT-5)',
    field: effortFields,
    treatment: { chat: 'lost', compatible: 'carried', responses: 'lost' },
    isIn: ({ reasoning }, to) => reasoning?.effort !== null && reasoning !== null && isPlainOpenai(to),
    without: (request) => ({ ...request, reasoning: null }),
  },
  {
    name: 'reasoning.effort.on',
    what: 'an effort other than none and medium, which only turns thinking on',
    field: effortFields,
    treatment: { cohere: 'changed' },
    isIn: ({ reasoning }) =>
      reasoning !== null &&
      reasoning.effort !== null &&
      reasoning.effort !== 'none' &&
      (reasoning.effort !== 'medium' || reasoning.budgetTokens !== null),
  },
  effortCapability('an effort below low', ['minimal'], 'low', { compatible: 'changed', messages: 'changed' }),
  effortCapability('an effort above high', ['xhigh', 'max'], 'high', {
    compatible: 'changed',
    generate: 'changed',
  }),
  {
    name: 'reasoning.effort.xhigh',
    what: 'the effort `xhigh`, sent as `high` to a model that does not support it',
    field: effortFields,
    treatment: { messages: 'changed' },
    isIn: ({ reasoning }, { model }) => {
      const { thinking, hasHighestEfforts } = abilitiesOf(model)
      return reasoning?.effort === 'xhigh' && thinking === 'adaptive' && !hasHighestEfforts
    },
    without: (request) => withReasoning(request, (wish) => ({ ...wish, effort: 'high' })),
  },
  {
    name: 'reasoning.effort.model',
    what: 'an effort that a model of OpenAI does not accept, sent as the nearest effort that it accepts',
    field: effortFields,
    treatment: { chat: 'changed', compatible: 'carried', responses: 'changed' },
    isIn: ({ reasoning }, to) =>
      reasoning !== null && acceptedEffort(reasoning.effort, to) !== reasoning.effort,
    without: (request, to) =>
      withReasoning(request, (wish) => ({ ...wish, effort: acceptedEffort(wish.effort, to) })),
  },
  {
    name: 'reasoning.shown',
    what: 'a request to show thoughts; the thoughts that the provider returns are shown',
    field: { ...displayFields, responses: 'reasoning.summary' },
    treatment: { chat: 'lost', cohere: 'irrelevant' },
    isIn: ({ reasoning }) => reasoning?.isShown === true,
    without: hidden,
  },
  {
    name: 'reasoning.hidden',
    what: 'a request to hide thoughts; the gateway omits them',
    field: displayFields,
    treatment: { chat: 'emulated', responses: 'emulated', cohere: 'emulated' },
    isIn: ({ reasoning }) => reasoning?.isShown === false,
    without: hidden,
  },
  {
    name: 'reasoning.hidden.alone',
    what: 'hidden thoughts, if the request does not ask for thinking',
    field: { generate: 'generationConfig.thinkingConfig.includeThoughts', chat: 'reasoning.exclude' },
    treatment: { messages: 'emulated' },
    isIn: ({ reasoning }) =>
      reasoning?.isShown === false && reasoning.effort === null && reasoning.budgetTokens === null,
    without: hidden,
  },
  {
    name: 'verbosity',
    what: 'the verbosity',
    field: { chat: 'verbosity', responses: 'text.verbosity' },
    treatment: { compatible: 'lost', messages: 'lost', generate: 'lost', converse: 'lost', cohere: 'lost' },
    isIn: ({ verbosity }) => verbosity !== null,
    without: (request) => ({ ...request, verbosity: null }),
  },
]

const jsonOnly = 'Answer with one JSON object and nothing else.'

function withInstruction(request: NeutralRequest, text: string): NeutralRequest {
  const instructions = [...request.instructions, { kind: 'text', text, cache: null } as const]
  return { ...request, output: null, instructions }
}

function withSchemaInPrompt(request: NeutralRequest): NeutralRequest {
  if (request.output?.kind !== 'schema') return request
  const told = `${jsonOnly} It must match this JSON Schema:`
  return withInstruction(request, `${told}\n${printValue(request.output.schema)}`)
}

function withClaudeSchema(request: NeutralRequest): NeutralRequest {
  if (request.output?.kind !== 'schema') return request
  const schema = schemaForClaude(request.output.schema)?.schema ?? request.output.schema
  return { ...request, output: { ...request.output, schema } }
}

type Schema = Extract<OutputFormat, { kind: 'schema' }>

function schemaCapability(
  name: 'name' | 'description' | 'isStrict',
  what: string,
  treatment: 'lost' | 'irrelevant',
): Capability {
  const field = name === 'isStrict' ? 'strict' : name
  return {
    name: `output.schema.${name}`,
    what,
    field: {
      chat: `response_format.json_schema.${field}`,
      responses: `text.format.${field}`,
      ...(name !== 'isStrict' && { converse: `outputConfig.textFormat.structure.jsonSchema.${field}` }),
    },
    treatment: { messages: treatment, generate: treatment, cohere: treatment },
    isIn: ({ output }) => output?.kind === 'schema' && output[name] !== null,
    without: (request) => {
      if (request.output?.kind !== 'schema') return request
      const output: Schema = { ...request.output, [name]: null }
      return { ...request, output }
    },
  }
}

function effortCapability(
  what: string,
  efforts: readonly Effort[],
  near: Effort,
  treatment: Capability['treatment'],
): Capability {
  return {
    name: `reasoning.effort.${efforts.join('-')}`,
    what: `${what}, sent as ${near}`,
    field: effortFields,
    treatment,
    isIn: ({ reasoning }) =>
      reasoning !== null && reasoning.effort !== null && efforts.includes(reasoning.effort),
    without: (request) => withReasoning(request, (wish) => ({ ...wish, effort: near })),
  }
}

/**
 * Converts a thinking budget to an effort, at most `high`, which every model accepts (docs/reference/conversions.md
 * "Effort and thinking", in reverse).
 */
function effortOf(budgetTokens: number): Effort {
  if (budgetTokens === 0) return 'none'
  return budgetTokens <= 4096 ? 'low' : budgetTokens <= 8192 ? 'medium' : 'high'
}

function withEffortForBudget(request: NeutralRequest): NeutralRequest {
  return withReasoning(request, ({ effort, budgetTokens, isShown }) => ({
    effort: effort ?? (budgetTokens === null ? null : effortOf(budgetTokens)),
    budgetTokens: null,
    isShown,
  }))
}

function thinks({ wire, model }: Destination): boolean {
  if (wire === 'messages') return abilitiesOf(model).thinking !== 'none'
  const wish = { effort: 'high', budgetTokens: null, isShown: null } as const
  if (wire === 'converse') return false
  if (wire === 'cohere') return isCohereReasoner(model)
  return wire !== 'generate' || thinkingConfigOf(wish, model, null) !== null
}

function canBeOff(model: string): boolean {
  const config = thinkingConfigOf({ effort: 'none', budgetTokens: null, isShown: null }, model, null)
  return config === null || config.thinkingBudget === 0
}

function takesWords({ wire, model }: Destination): boolean {
  if (wire === 'messages') return abilitiesOf(model).thinking === 'adaptive'
  const wish = { effort: null, budgetTokens: 1024, isShown: null }
  return wire === 'generate' && 'thinkingLevel' in (thinkingConfigOf(wish, model, null) ?? {})
}

function isPlainOpenai({ wire, model, dialect }: Destination): boolean {
  return (wire === 'responses' || (wire === 'chat' && dialect === 'openai')) && isOpenaiPlain(model)
}

/** Returns the next higher effort that the model accepts, or else the highest. */
function acceptedEffort(effort: Effort | null, { wire, model, dialect }: Destination): Effort | null {
  const isOpenai = wire === 'responses' || (wire === 'chat' && dialect === 'openai')
  const accepted = isOpenai ? openaiEffortsOf(model) : null
  if (effort === null || accepted === null) return effort
  const asked = allEfforts.indexOf(effort)
  return accepted.find((one) => allEfforts.indexOf(one) >= asked) ?? accepted.at(-1) ?? effort
}

const allEfforts: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

function hidden(request: NeutralRequest): NeutralRequest {
  return withReasoning(request, (wish) => ({ ...wish, isShown: null }))
}

function withReasoning(
  request: NeutralRequest,
  change: (wish: ReasoningWish) => ReasoningWish,
): NeutralRequest {
  if (request.reasoning === null) return request
  const reasoning = change(request.reasoning)
  const isEmpty = reasoning.effort === null && reasoning.budgetTokens === null && reasoning.isShown === null
  return { ...request, reasoning: isEmpty ? null : reasoning }
}
