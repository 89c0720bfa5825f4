import type { JsonObject } from '#wire/text/json-values.ts'
import type { RequestTarget } from '#convert/codec-interface.ts'
import type { NeutralRequest, OutputFormat, Tool, ToolChoice } from '#convert/neutral-format.ts'
import { thinkingConfigOf } from './thinking-configuration.ts'
import { writeContents } from './write-contents.ts'

/**
 * The path of the request contains the model.
 *
 * Schemas are written in the fields whose names end with `JsonSchema`. If a schema in Google's own dialect has a single
 * unknown keyword (`$schema`, `propertyNames`), Google rejects the request. The tools of every agent contain such
 * keywords.
 */
export function writeGenerateRequest(request: NeutralRequest, target: RequestTarget): JsonObject {
  const { instructions, tools, toolChoice, serviceTier, metadata } = request
  const config = configOf(request, target)
  return {
    contents: writeContents(request.turns, target),
    ...(instructions.length > 0 && {
      systemInstruction: { parts: instructions.map(({ text }) => ({ text })) },
    }),
    ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(declarationOf) }] }),
    ...toolConfigOf(toolChoice, tools),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...(serviceTier !== null && { serviceTier }),
    ...(metadata && { labels: metadata }),
  }
}

function declarationOf({ name, description, parameters }: Tool): JsonObject {
  const hasParameters = parameters !== null && Object.keys(parameters).length > 0
  return {
    name,
    ...(description !== null && { description }),
    ...(hasParameters && { parametersJsonSchema: parameters }),
  }
}

function toolConfigOf(choice: ToolChoice | null, tools: readonly Tool[]): JsonObject {
  const mode = modeOf(choice, tools)
  return mode === null ? {} : { toolConfig: { functionCallingConfig: mode } }
}

/**
 * For strict tools, the request uses the mode that checks every tool call against its schema
 * (docs/reference/conversions.md "Tools").
 */
function modeOf(choice: ToolChoice | null, tools: readonly Tool[]): JsonObject | null {
  const auto = tools.some(({ isStrict }) => isStrict === true) ? 'VALIDATED' : 'AUTO'
  if (choice === null) return auto === 'AUTO' ? null : { mode: auto }
  switch (choice.kind) {
    case 'auto':
      return { mode: auto }
    case 'none':
      return { mode: 'NONE' }
    case 'required':
      return { mode: 'ANY' }
    case 'one':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] }
    case 'subset':
      // The mode AUTO does not accept a list of function names.
      return { mode: choice.isRequired ? 'ANY' : 'VALIDATED', allowedFunctionNames: choice.names }
    default:
      return choice satisfies never
  }
}

function configOf(request: NeutralRequest, target: RequestTarget): JsonObject {
  const { sampling, stop, output, reasoning, choices, logprobs } = request
  const { outputTokensMax } = target
  const thinking = reasoning && thinkingConfigOf(reasoning, target.model, outputTokensMax)
  const given = Object.entries(sampling).filter(([, value]) => value !== null)
  return {
    ...(outputTokensMax !== null && { maxOutputTokens: outputTokensMax }),
    ...Object.fromEntries(given),
    ...(stop.length > 0 && { stopSequences: stop }),
    ...(choices > 1 && { candidateCount: choices }),
    ...(output && outputOf(output)),
    ...(logprobs !== null && { responseLogprobs: true, ...(logprobs > 0 && { logprobs }) }),
    ...(thinking && { thinkingConfig: thinking }),
  }
}

function outputOf(output: OutputFormat): JsonObject {
  if (output.kind === 'text') return { responseMimeType: 'text/plain' }
  return {
    responseMimeType: 'application/json',
    ...(output.kind === 'schema' && { responseJsonSchema: output.schema }),
  }
}
