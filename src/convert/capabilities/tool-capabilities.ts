import { isObject, objectOf, parseObject, printValue, textOrNull } from '#wire/text/json-values.ts'
import { schemaForClaude } from '#convert/messages/schema-for-claude.ts'
import { hasEncryptedArguments, withoutEncryption } from '#convert/responses/encrypted-arguments.ts'
import { hasRootUnion, withoutRootUnion } from '#convert/root-of-tool-schema.ts'
import { abilitiesOf } from '#convert/known-restrictions-of-models.ts'
import type { NeutralRequest, Part, Tool, ToolCallPart, ToolChoice } from '#convert/neutral-format.ts'
import type { Destination, Capability } from './capability-type.ts'
import { mapParts, partsOf } from './find-and-map-parts.ts'

const strictFields: Capability['field'] = {
  chat: 'tools.function.strict',
  messages: 'tools.strict',
  responses: 'tools.strict',
  converse: 'toolConfig.tools.toolSpec.strict',
  cohere: 'strict_tools',
}

const choiceFields: Capability['field'] = {
  chat: 'tool_choice',
  messages: 'tool_choice',
  generate: 'toolConfig.functionCallingConfig',
  responses: 'tool_choice',
  converse: 'toolConfig.toolChoice',
  cohere: 'tool_choice',
}

const schemaFields: Capability['field'] = {
  chat: 'tools.function.parameters',
  messages: 'tools.input_schema',
  generate: 'tools.functionDeclarations.parameters',
  responses: 'tools.parameters',
  converse: 'toolConfig.tools.toolSpec.inputSchema',
  cohere: 'tools.function.parameters',
}

export const toolCapabilities: readonly Capability[] = [
  {
    name: 'tools.custom.format',
    what: 'the input format of a custom tool, written into the description of the tool',
    field: { chat: 'tools.custom.format', responses: 'tools.format' },
    treatment: {
      compatible: 'changed',
      messages: 'changed',
      generate: 'changed',
      converse: 'changed',
      cohere: 'changed',
    },
    isIn: ({ tools }) =>
      tools.some(({ custom }) => isObject(custom?.format) && custom.format.type !== 'text'),
    without: (request) => mapTools(request, withFormatInDescription),
  },
  {
    name: 'tools.custom',
    what: 'custom tools, sent as functions with one text argument',
    field: { chat: 'tools.custom', responses: 'tools' },
    treatment: {
      compatible: 'emulated',
      messages: 'emulated',
      generate: 'emulated',
      converse: 'emulated',
      cohere: 'emulated',
    },
    isIn: (request) =>
      request.tools.some(({ custom }) => custom !== null) ||
      partsOf(request).some((part) => 'isCustom' in part && part.isCustom),
    without: (request) => mapTools(customAsFunction(request), toolAsFunction),
  },
  {
    name: 'tools.computer',
    what: 'a computer tool that the client runs, sent as a function with the actions of the client’s own tool',
    field: { messages: 'tools.computer', responses: 'tools.computer' },
    treatment: 'changed',
    isIn: ({ tools }) => tools.some(({ computer }) => computer !== undefined),
    without: (request) => mapTools(request, withoutComputer),
  },
  {
    name: 'tools.search',
    what: 'a search for tools that the client runs, sent as a function with the client’s own description and schema',
    field: { responses: 'tools.tool_search' },
    treatment: 'changed',
    isIn: ({ tools }) => tools.some(({ search }) => search !== undefined),
    without: (request) => mapTools(request, withoutSearch),
  },
  {
    name: 'tools.encrypted',
    what: 'the encryption of a tool’s arguments',
    field: { responses: 'tools.parameters.encrypted' },
    treatment: 'lost',
    isIn: ({ tools }, _to, from) =>
      from === 'responses' && tools.some(({ parameters }) => hasEncryptedArguments(parameters)),
    without: (request) =>
      mapTools(request, (tool) =>
        tool.parameters !== null && hasEncryptedArguments(tool.parameters)
          ? { ...tool, parameters: withoutEncryption(tool.parameters) }
          : tool,
      ),
  },
  {
    name: 'tools.rootUnion',
    what: 'alternatives at the root of a tool’s schema, merged into one object (Claude, Converse, and OpenAI models before GPT-5)',
    field: schemaFields,
    treatment: { chat: 'changed', messages: 'changed', responses: 'changed', converse: 'changed' },
    isIn: ({ tools }, to) =>
      !acceptsRootUnions(to) &&
      tools.some(({ parameters }) => parameters !== null && hasRootUnion(parameters)),
    without: (request) =>
      mapTools(request, (tool) => {
        const { parameters } = tool
        return parameters !== null && hasRootUnion(parameters)
          ? { ...tool, parameters: withoutRootUnion(parameters) }
          : tool
      }),
  },
  {
    name: 'tools.strict.claude',
    what: 'strict schemas of tools, if Claude cannot enforce them, or if the request has more than 5 strict tools',
    field: strictFields,
    treatment: { messages: 'lost' },
    isIn: ({ tools }) => tools.some(isTooStrictAmong(tools)),
    without(request) {
      const isTooStrict = isTooStrictAmong(request.tools)
      return mapTools(request, (tool) => (isTooStrict(tool) ? { ...tool, isStrict: null } : tool))
    },
  },
  {
    name: 'tools.strict',
    what: 'strict schemas of tools; with generate and cohere, strictness then applies to all tools',
    field: strictFields,
    treatment: { generate: 'changed', converse: 'lost', cohere: 'changed' },
    isIn: ({ tools }) => tools.some(({ isStrict }) => isStrict === true),
  },
  {
    name: 'tools.strict.off',
    what: 'schemas of tools that are not strict (the default)',
    field: strictFields,
    treatment: {
      messages: 'irrelevant',
      generate: 'irrelevant',
      converse: 'irrelevant',
      cohere: 'irrelevant',
    },
    isIn: ({ tools }) => tools.some(({ isStrict }) => isStrict === false),
    without: (request) =>
      mapTools(request, (tool) => (tool.isStrict === false ? { ...tool, isStrict: null } : tool)),
  },
  {
    name: 'toolChoice.withoutTools',
    what: 'a tool choice in a request without tools',
    field: choiceFields,
    treatment: 'irrelevant',
    isIn: ({ tools, toolChoice, parallelTools }) =>
      tools.length === 0 && (toolChoice !== null || parallelTools !== null),
    without: (request) => ({ ...request, toolChoice: null, parallelTools: null }),
  },
  {
    name: 'toolChoice.subset',
    what: 'a choice among some of the tools; the other tools are not sent',
    field: choiceFields,
    treatment: { compatible: 'emulated', messages: 'emulated', converse: 'emulated', cohere: 'emulated' },
    isIn: ({ toolChoice }) => toolChoice?.kind === 'subset',
    without: withSubset,
  },
  {
    name: 'toolChoice.one',
    what: 'a choice of one tool; the other tools are not sent',
    field: choiceFields,
    treatment: { cohere: 'emulated' },
    isIn: ({ toolChoice }) => toolChoice?.kind === 'one',
    without: (request) => {
      const { toolChoice } = request
      if (toolChoice?.kind !== 'one') return request
      return withSubset({
        ...request,
        toolChoice: { kind: 'subset', names: [toolChoice.name], isRequired: true },
      })
    },
  },
  {
    name: 'toolChoice.none',
    what: 'a choice of no tool; the tools are not sent',
    field: choiceFields,
    treatment: { converse: 'emulated' },
    isIn: (request) => request.toolChoice?.kind === 'none' && !hasCalls(request),
    without: (request) => ({ ...request, tools: [], toolChoice: null }),
  },
  {
    name: 'toolChoice.none.afterCalls',
    what: 'a choice of no tool, if the conversation contains tool calls',
    field: choiceFields,
    treatment: { converse: 'lost' },
    isIn: (request) => request.toolChoice?.kind === 'none' && hasCalls(request),
    without: (request) => ({ ...request, toolChoice: null }),
  },
  {
    name: 'parallelTools.off',
    what: 'at most one tool call per turn',
    field: {
      chat: 'parallel_tool_calls',
      messages: 'tool_choice.disable_parallel_tool_use',
      responses: 'parallel_tool_calls',
    },
    treatment: { generate: 'lost', converse: 'lost', cohere: 'lost' },
    isIn: ({ parallelTools }) => parallelTools === false,
    without: (request) => ({ ...request, parallelTools: null }),
  },
  {
    name: 'parallelTools.on',
    what: 'several tool calls per turn (the default)',
    field: {
      chat: 'parallel_tool_calls',
      messages: 'tool_choice.disable_parallel_tool_use',
      responses: 'parallel_tool_calls',
    },
    treatment: {
      messages: 'irrelevant',
      generate: 'irrelevant',
      converse: 'irrelevant',
      cohere: 'irrelevant',
    },
    isIn: ({ parallelTools }) => parallelTools === true,
    without: (request) => ({ ...request, parallelTools: null }),
  },
  {
    name: 'toolChoice.forcedAndThinking',
    what: 'thinking in a request that forces a tool call',
    field: {
      chat: 'reasoning_effort',
      generate: 'generationConfig.thinkingConfig',
      responses: 'reasoning',
      converse: 'additionalModelRequestFields.thinking',
      cohere: 'thinking',
    },
    treatment: { messages: 'lost' },
    isIn: ({ toolChoice, reasoning }) =>
      (toolChoice?.kind === 'required' || toolChoice?.kind === 'one') &&
      reasoning !== null &&
      reasoning.effort !== 'none',
    without: withoutThinking,
  },
  {
    name: 'tools.arguments',
    what: 'arguments of a tool call that are not a JSON object, sent as the only text of an object',
    field: {
      chat: 'messages.tool_calls.function.arguments',
      responses: 'input.arguments',
      converse: 'messages.content.toolUse.input',
      cohere: 'messages.tool_calls.function.arguments',
    },
    treatment: { messages: 'changed', generate: 'changed', converse: 'changed', cohere: 'changed' },
    isIn: (request) => partsOf(request).some(hasOtherArguments),
    without: (request) => mapParts(request, (part) => [hasOtherArguments(part) ? withObject(part) : part]),
  },
  {
    name: 'tools.unpaired',
    what: 'a tool call without its result, or a tool result without its call',
    field: {
      chat: 'messages.tool_call_id',
      messages: 'messages.content.tool_use_id',
      generate: 'contents.parts.functionResponse',
      responses: 'input.call_id',
      converse: 'messages.content.toolUse.toolUseId',
      cohere: 'messages.tool_call_id',
    },
    treatment: 'refused',
    isIn: isUnpaired,
    refusal:
      'every tool call requires its result in the next turn, and every tool result requires its call in the previous turn',
  },
]

/** Only models of Google, Cohere and unknown vendors, and models of OpenAI from GPT-5 on, accept such schemas. */
function acceptsRootUnions({ wire, model, dialect }: Destination): boolean {
  if (wire === 'responses' || (wire === 'chat' && dialect === 'openai'))
    return !/^(?:gpt-[34]|chatgpt-|o\d)/.test(model)
  return wire === 'chat'
}

function isTooStrictAmong(tools: readonly Tool[]): (tool: Tool) => boolean {
  const count = tools.filter(({ isStrict }) => isStrict === true).length
  return ({ isStrict, parameters }) =>
    isStrict === true &&
    (count > strictToolsMax || (parameters !== null && schemaForClaude(parameters)?.isAccepted !== true))
}

/**
 * Anthropic compiles all strict schemas of a request to one grammar, and rejects a request with too large a grammar. The
 * documented maximum is 20 strict tools, but requests with 7 simple tools were rejected.
 */
const strictToolsMax = 5

/** Some wires have no field for the input format of a custom tool. */
function withFormatInDescription(tool: Tool): Tool {
  const { custom, description } = tool
  if (!custom?.format || custom.format.type === 'text') return tool
  // The neutral request stores the format in the same form as the chat wire: `{type: grammar, grammar: {syntax,
  // definition}}`.
  const { syntax, definition } = objectOf(custom.format.grammar)
  const written = textOrNull(definition) ?? printValue(custom.format)
  const told = `The input must have this format (${textOrNull(syntax) ?? 'JSON'}):\n${written}`
  return {
    ...tool,
    description: description ? `${description}\n\n${told}` : told,
    custom: { format: null },
  }
}

/**
 * Only the response to the client needs the client's own definition of the tool, because the provider gets a function.
 */
function withoutComputer({ computer: _computer, ...tool }: Tool): Tool {
  return tool
}

function withoutSearch({ search: _search, ...tool }: Tool): Tool {
  return tool
}

function toolAsFunction(tool: Tool): Tool {
  return tool.custom === null ? tool : { ...tool, custom: null, parameters: customParameters }
}

function hasOtherArguments(part: Part): part is ToolCallPart {
  return part.kind === 'tool_call' && parseObject(part.arguments) === null
}

/** If a call has no arguments, some clients send an empty text, null or an empty list. */
function withObject(part: ToolCallPart): ToolCallPart {
  const isEmpty = /^\s*(?:|null|\[\s*\])\s*$/.test(part.arguments)
  return { ...part, arguments: isEmpty ? '{}' : printValue({ input: part.arguments }) }
}

/**
 * A schema with a single text field. replace-and-restore-tool-names.ts reads the text field by its name in the
 * response.
 */
const customParameters = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
}

function customAsFunction(request: NeutralRequest): NeutralRequest {
  return mapParts(request, (part) => {
    if (part.kind === 'tool_result') return [{ ...part, isCustom: false }]
    if (part.kind !== 'tool_call' || !part.isCustom) return [part]
    return [{ ...part, isCustom: false, arguments: printValue({ input: part.arguments }) }]
  })
}

function withSubset(request: NeutralRequest): NeutralRequest {
  const { toolChoice, tools } = request
  if (toolChoice?.kind !== 'subset') return request
  const names = new Set(toolChoice.names)
  const kept = tools.filter(({ name }) => names.has(name))
  const choice: ToolChoice = { kind: toolChoice.isRequired ? 'required' : 'auto' }
  return { ...request, tools: kept, toolChoice: kept.length > 0 ? choice : null }
}

/** Keeps the effort if the model has an effort setting, because the effort also applies to the answer. */
function withoutThinking(request: NeutralRequest, { model }: Destination): NeutralRequest {
  const effort = request.reasoning?.effort ?? null
  const keepsEffort = effort !== null && abilitiesOf(model).thinking === 'adaptive'
  return { ...request, reasoning: keepsEffort ? { effort, budgetTokens: null, isShown: null } : null }
}

function mapTools(request: NeutralRequest, change: (tool: Tool) => Tool): NeutralRequest {
  return { ...request, tools: request.tools.map(change) }
}

function hasCalls(request: NeutralRequest): boolean {
  return partsOf(request).some(({ kind }) => kind === 'tool_call')
}

/**
 * Tool results belong in the turn directly after the turn with their calls. Only calls of the last turn may lack
 * results.
 */
function isUnpaired({ turns }: NeutralRequest): boolean {
  let open: Set<string> = new Set()
  for (const { role, parts } of turns) {
    if (role === 'system') continue
    for (const part of parts) {
      if (part.kind === 'tool_result' && !open.delete(part.callId)) return true
    }
    if (open.size > 0) return true
    open = new Set(parts.filter((part) => part.kind === 'tool_call').map(({ id }) => id))
  }
  return false
}
