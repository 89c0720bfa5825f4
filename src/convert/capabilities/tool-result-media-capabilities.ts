import { acceptsMediaInResults } from '#convert/generate/thinking-configuration.ts'
import type { NeutralRequest, Part, ToolResultPart } from '#convert/neutral-format.ts'
import type { Capability } from './capability-type.ts'
import { partsOf } from './find-and-map-parts.ts'

export const toolResultMediaCapabilities: readonly Capability[] = [
  {
    name: 'toolResult.media',
    what: 'images and documents in tool results, moved to the user message that follows',
    field: {
      chat: 'messages.content',
      messages: 'messages.content.tool_result.content',
      generate: 'contents.parts.functionResponse.parts',
      responses: 'input.output',
      converse: 'messages.content.toolResult.content',
      cohere: 'messages.content',
    },
    treatment: { chat: 'changed', converse: 'changed', cohere: 'changed' },
    isIn: hasMediaInResults,
    without: withMediaAfterResults,
  },
  {
    name: 'toolResult.media.gemini',
    what: 'images and documents in tool results, moved to the user message that follows, for models before Gemini 3',
    field: {
      chat: 'messages.content',
      messages: 'messages.content.tool_result.content',
      responses: 'input.output',
      converse: 'messages.content.toolResult.content',
    },
    treatment: { generate: 'changed' },
    isIn: (request, { model }) => !acceptsMediaInResults(model) && hasMediaInResults(request),
    without: withMediaAfterResults,
  },
  {
    name: 'toolResult.url',
    what: 'images and documents by URL in tool results, moved to the user message that follows',
    field: {
      chat: 'messages.content',
      messages: 'messages.content.tool_result.content',
      responses: 'input.output',
    },
    treatment: { generate: 'changed' },
    isIn: (request) =>
      resultsOf(request).some(({ parts }) =>
        parts.some((part) => part.kind !== 'text' && part.source.kind === 'url'),
      ),
    without: withMediaAfterResults,
  },
]

export function resultsOf(request: NeutralRequest): readonly ToolResultPart[] {
  return partsOf(request).filter((part) => part.kind === 'tool_result')
}

function withMediaAfterResults(request: NeutralRequest): NeutralRequest {
  const turns = request.turns.map(({ role, parts }) => {
    const media: Part[] = []
    const kept = parts.map((part): Part => {
      if (part.kind !== 'tool_result') return part
      media.push(...part.parts.filter(({ kind }) => kind !== 'text'))
      return { ...part, parts: part.parts.filter(({ kind }) => kind === 'text') }
    })
    const results = kept.filter(({ kind }) => kind === 'tool_result')
    return media.length === 0
      ? { role, parts }
      : { role, parts: [...results, ...media, ...kept.filter(({ kind }) => kind !== 'tool_result')] }
  })
  return { ...request, turns }
}

function hasMediaInResults(request: NeutralRequest): boolean {
  return resultsOf(request).some(({ parts }) => parts.some(({ kind }) => kind !== 'text'))
}
