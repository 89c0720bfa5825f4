import type { Column } from '#convert/capabilities/capability.ts'
import { parseValue, printValue } from '#wire/text/json-values.ts'
import type { NeutralRequest, Part, TextPart, ToolChoice, ToolResultPart } from '#convert/neutral.ts'
import { joinTurns } from '#convert/conversation-turns.ts'

/**
 * A request as a wire returns it. A difference here is the same request in the wire's only form. Any other difference
 * is a loss, and belongs in the table.
 */
export function spelt(request: NeutralRequest, column: Column, outputTokensMax: number): NeutralRequest {
  const { instructions, turns } = request
  return {
    ...request,
    outputTokensMax,
    instructions: column === 'compatible' ? joined(instructions) : instructions,
    turns: joinTurns(turns.map(({ role, parts }) => ({ role, parts: partsSpelt(parts, role, column) }))),
    tools: toolsSpelt(request, column),
    toolChoice: choiceSpelt(request, column),
    parallelTools: parallelSpelt(request, column),
    output: outputSpelt(request, column),
    reasoning: reasoningSpelt(request, column),
  }
}

function partsSpelt(parts: readonly Part[], role: string, column: Column): readonly Part[] {
  const spelled = parts.flatMap((part): readonly Part[] => {
    if (part.kind === 'tool_result') return [resultSpelt(part, column)]
    // An object on these wires, which has no spelling of its own except its numbers.
    if (part.kind === 'tool_call' && (column === 'messages' || column === 'generate'))
      return [{ ...part, arguments: printValue(parseValue(part.arguments)) }]
    if (part.kind === 'image' && column === 'responses') return [{ ...part, detail: part.detail ?? 'auto' }]
    if (part.kind === 'file' && part.name === null && column !== 'messages' && column !== 'generate') {
      const isText = part.source.kind === 'data' && part.source.mediaType === 'text/plain'
      return [{ ...part, name: column === 'responses' && isText ? 'document.txt' : 'document.pdf' }]
    }
    return [part]
  })
  if (role !== 'user' && column === 'compatible') {
    const texts = spelled.filter((part) => part.kind === 'text')
    return [...joined(texts), ...spelled.filter(({ kind }) => kind !== 'text')]
  }
  return role === 'assistant' && column === 'generate' ? textsMerged(spelled) : spelled
}

function resultSpelt(part: ToolResultPart, column: Column): ToolResultPart {
  const texts = part.parts.filter((inner) => inner.kind === 'text')
  const media = part.parts.filter((inner) => inner.kind !== 'text')
  switch (column) {
    case 'compatible':
      return { ...part, parts: joined(texts) }
    case 'generate':
      return { ...part, parts: [...joined(texts), ...media] }
    case 'responses':
      return {
        ...part,
        parts: part.parts.map((inner) =>
          inner.kind === 'image' ? { ...inner, detail: inner.detail ?? 'auto' } : inner,
        ),
      }
    case 'chat':
    case 'messages':
      return part
    default:
      return column satisfies never
  }
}

function joined(texts: readonly TextPart[]): readonly TextPart[] {
  const text = texts.map((part) => part.text).join('\n\n')
  return text === '' ? [] : [{ kind: 'text', text, cache: null }]
}

/** A streaming client keeps the pieces of a text separate. They are one text. */
function textsMerged(parts: readonly Part[]): readonly Part[] {
  const merged: Part[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (part.kind === 'text' && last?.kind === 'text')
      merged[merged.length - 1] = { ...last, text: last.text + part.text }
    else merged.push(part)
  }
  return merged
}

function toolsSpelt({ tools, turns }: NeutralRequest, column: Column): NeutralRequest['tools'] {
  // Messages requires the tools of past calls, even if no tools are to be called.
  if (tools.length === 0 && column === 'messages') {
    const calls = turns.flatMap(({ parts }) => parts).filter((part) => part.kind === 'tool_call')
    return [...new Set(calls.map(({ name }) => name))].map((name) => ({
      name,
      description: null,
      parameters: emptySchema,
      isStrict: null,
      custom: null,
      cache: null,
    }))
  }
  return tools.map((tool) => {
    if (tool.custom) return tool
    const parameters = column === 'generate' ? tool.parameters : (tool.parameters ?? emptySchema)
    const isStrict =
      column === 'responses' ? (tool.isStrict ?? false) : column === 'generate' ? null : tool.isStrict
    return { ...tool, parameters, isStrict }
  })
}

const emptySchema = { type: 'object', properties: {} }

function choiceSpelt(
  { tools, turns, toolChoice, parallelTools }: NeutralRequest,
  column: Column,
): ToolChoice | null {
  if (column === 'messages') {
    const hasCalls = turns.some(({ parts }) => parts.some(({ kind }) => kind === 'tool_call'))
    if (tools.length === 0) return hasCalls ? { kind: 'none' } : null
    return toolChoice ?? (parallelTools === false ? { kind: 'auto' } : null)
  }
  if (column === 'generate') {
    if (toolChoice?.kind === 'subset' && toolChoice.isRequired && toolChoice.names.length === 1)
      return { kind: 'one', name: toolChoice.names[0] ?? '' }
    if (toolChoice === null && tools.some(({ isStrict }) => isStrict === true)) return { kind: 'auto' }
  }
  return toolChoice
}

/** Without calls, no parallel calls exist. */
function parallelSpelt({ toolChoice, parallelTools }: NeutralRequest, column: Column): boolean | null {
  return column === 'messages' && toolChoice?.kind === 'none' ? null : parallelTools
}

function outputSpelt({ output }: NeutralRequest, column: Column): NeutralRequest['output'] {
  if (output?.kind !== 'schema' || column === 'messages' || column === 'generate') return output
  return { ...output, name: output.name ?? 'response' }
}

/** Without thinking, no thoughts can be shown. */
function reasoningSpelt({ reasoning }: NeutralRequest, column: Column): NeutralRequest['reasoning'] {
  return column === 'messages' && reasoning?.effort === 'none' ? { ...reasoning, isShown: null } : reasoning
}
