import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import { objectOf, stringOf, textOf, type JsonObject } from '#simulator/read-values-of-any-shape.ts'
import {
  conversationOf,
  type Said,
  type SimulatedRequest,
  type SimulatedTool,
} from '#simulator/simulated-request-types.ts'
import { openSeal } from '#simulator/sign-simulated-thoughts.ts'
import type { CallFacts } from '#simulator/wire-simulator-interface.ts'
import { AnyObject, listOf, read, type Issue, type Reading } from './read-by-schema.ts'

/** The rejection is Bedrock's (docs/reference/wires.md "Requests of Converse"). */
export function readConverse(body: JsonObject, { isStream, model }: CallFacts): SimulatedRequest | Rejection {
  return read('converse', body, Converse, bedrockWords, (request) => reading(request, body, model, isStream))
}

const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/
const Bytes = z.object({ bytes: z.string().regex(isBase64) })
const Reasoning = z.object({
  reasoningText: z.object({ text: z.string(), signature: z.string().optional() }).optional(),
  redactedContent: z.string().optional(),
})
const media = {
  text: z.string().optional(),
  image: z.object({ format: z.enum(['png', 'jpeg', 'gif', 'webp']), source: Bytes }).optional(),
  document: z.looseObject({ name: z.string(), source: AnyObject }).optional(),
  video: z.looseObject({ source: Bytes }).optional(),
  searchResult: AnyObject.optional(),
}
const Block = z.object({
  ...media,
  cachePoint: AnyObject.optional(),
  citationsContent: AnyObject.optional(),
  reasoningContent: Reasoning.optional(),
  toolUse: z
    .object({ toolUseId: z.string().regex(/^[\w.:-]{1,64}$/), name: z.string(), input: z.unknown() })
    .optional(),
  toolResult: z
    .object({
      toolUseId: z.string(),
      content: listOf(z.object({ ...media, json: z.unknown().optional() })),
      status: z.enum(['success', 'error']).optional(),
    })
    .optional(),
})
const Message = z.object({ role: z.enum(['user', 'assistant']), content: listOf(Block) })

const Tool = z.object({
  toolSpec: z
    .looseObject({
      name: z.string().regex(/^[\w-]{1,64}$/),
      inputSchema: z.object({ json: z.looseObject({ type: z.literal('object') }) }),
    })
    .optional(),
  cachePoint: AnyObject.optional(),
})
const ToolChoice = z.object({
  auto: AnyObject.optional(),
  any: AnyObject.optional(),
  tool: z.object({ name: z.string() }).optional(),
})
const ratio = z.number().min(0).max(1).nullish()

const Converse = z.looseObject({
  messages: listOf(Message, { min: 1 }),
  system: listOf(z.object({ text: z.string().optional(), cachePoint: AnyObject.optional() })).nullish(),
  inferenceConfig: z
    .object({
      maxTokens: z.int().min(1).nullish(),
      temperature: ratio,
      topP: ratio,
      stopSequences: listOf(z.string()).nullish(),
    })
    .nullish(),
  toolConfig: z.object({ tools: listOf(Tool, { min: 1 }), toolChoice: ToolChoice.nullish() }).nullish(),
  outputConfig: z
    .object({
      textFormat: z.object({
        type: z.literal('json_schema'),
        structure: z.object({ jsonSchema: z.looseObject({ schema: z.string() }) }),
      }),
    })
    .nullish(),
})

type Request = z.output<typeof Converse>
type Turn = Request['messages'][number]

function bedrockWords(issue: Issue): Rejection {
  const place = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys')
    return rejection(`Unexpected field type: ${[...issue.path, issue.keys[0]].map(String).join('.')}`)
  return rejection(`The value at ${place} is invalid. Provide a valid value, and try again.`)
}

function* reading(
  request: Request,
  body: JsonObject,
  model: string,
  isStream: boolean,
): Reading<SimulatedRequest> {
  const { messages, system, toolConfig } = request
  yield* turnFaults(messages, (toolConfig ?? null) !== null)
  const config = request.inferenceConfig ?? {}
  const tools = toolsOf(toolConfig)
  const schema = request.outputConfig?.textFormat.structure.jsonSchema.schema ?? null
  const thinking = objectOf(objectOf(body['additionalModelRequestFields'])['thinking'])
  return {
    ...conversationOf(messages.map(saidIn), { texts: [textOf(system)], values: [toolConfig?.tools, schema] }),
    model,
    isStream,
    isUsageWanted: true,
    outputTokensMax: config.maxTokens ?? null,
    choices: 1,
    stops: config.stopSequences ?? [],
    seed: null,
    tools,
    forcedTool: yield* forcedTool(toolConfig, tools),
    mayCallSeveral: true,
    schema: schema === null ? null : objectOf(yield* parsed(schema)),
    reasoning: { isOff: thinking['type'] === 'disabled', isShown: true, isSealed: true },
    body,
  }
}

function* parsed(schema: string): Reading<unknown> {
  try {
    return JSON.parse(schema)
  } catch {
    yield rejection('The value at outputConfig.textFormat.structure.jsonSchema.schema is not valid JSON.')
    return null
  }
}

function toolsOf(config: Request['toolConfig']): SimulatedTool[] {
  return (config?.tools ?? []).flatMap(({ toolSpec }) =>
    toolSpec === undefined
      ? []
      : [{ name: toolSpec.name, isCustom: false, parameters: toolSpec.inputSchema.json }],
  )
}

function* forcedTool(
  config: Request['toolConfig'],
  tools: readonly SimulatedTool[],
): Reading<SimulatedTool | null> {
  const { any, tool } = config?.toolChoice ?? {}
  if (any !== undefined) return tools[0] ?? null
  if (tool === undefined) return null
  const found = tools.find(({ name }) => name === tool.name) ?? null
  if (found === null)
    yield rejection(`The tool ${tool.name} in toolConfig.toolChoice is not in toolConfig.tools.`)
  return found
}

function* turnFaults(turns: readonly Turn[], hasTools: boolean): Reading<void> {
  if (turns[0]?.role === 'assistant')
    yield rejection(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    )
  let called = new Set<string>()
  for (const [index, { content, role }] of turns.entries()) {
    if (content.length === 0)
      yield rejection(`The content field in the Message object at messages.${index} is empty.`)
    for (const { reasoningContent, text, toolResult, toolUse } of content) {
      if (text !== undefined && !/\S/.test(text))
        yield rejection(`The text field in the ContentBlock object at messages.${index}.content is blank.`)
      if ((toolUse ?? toolResult) !== undefined && !hasTools)
        yield rejection(
          'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
        )
      const { signature, text: thoughts } = reasoningContent?.reasoningText ?? {}
      if (signature !== undefined && openSeal('signature', signature) !== thoughts)
        yield rejection(`Invalid \`signature\` in the reasoningContent at messages.${index}.content`)
    }
    const results = content.flatMap(({ toolResult }) => toolResult?.toolUseId ?? [])
    for (const id of results)
      if (!called.delete(id))
        yield rejection(
          'The number of toolResult blocks exceeds the number of toolUse blocks of previous turn.',
        )
    if (called.size > 0)
      yield rejection(`Expected toolResult blocks at messages.${index} for: ${[...called].join(', ')}`)
    called = new Set(role === 'assistant' ? content.flatMap(({ toolUse }) => toolUse?.toolUseId ?? []) : [])
  }
}

function saidIn({ content, role }: Turn): Said {
  const own = content.flatMap(({ text }) => text ?? [])
  const results = content.flatMap(({ toolResult }) => toolResult?.content ?? [])
  const all = [...content, ...results]
  const thoughts = content.map(({ reasoningContent }) => reasoningContent?.reasoningText?.text)
  return {
    userText: role === 'user' && own.length > 0 ? own.join('\n') : null,
    hasResults: content.some(({ toolResult }) => toolResult !== undefined),
    input: {
      texts: [...all.map(({ text }) => text), ...thoughts],
      values: [
        ...content.map(({ toolUse }) => toolUse?.input),
        ...results.map(({ json }) => json),
        ...all.map(({ searchResult }) => searchResult),
        ...all.map(({ document }) => stringOf(objectOf(document?.source)['text']) || undefined),
      ],
      media: all.filter(({ document, image, video }) => (document ?? image ?? video) !== undefined).length,
    },
  }
}
