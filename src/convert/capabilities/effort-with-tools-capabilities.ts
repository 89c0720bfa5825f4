import { rejectsEffortWithTools } from '#convert/known-restrictions-of-models.ts'
import type { NeutralRequest } from '#convert/neutral-format.ts'
import type { Capability } from './capability-type.ts'
import { effortFields } from './output-option-capabilities.ts'

/** See docs/reference/wires.md "Requests on the chat wire". */
export const effortWithToolsCapabilities: readonly Capability[] = [
  {
    name: 'reasoning.effort.tools',
    what: 'an effort in a request with tools, sent as `none` to models of OpenAI that reject both together (GPT-5.4 and later)',
    field: effortFields,
    treatment: { chat: 'changed', compatible: 'carried' },
    isIn: (request, { model }) =>
      (request.reasoning?.effort ?? null) !== null && hasRejectedTools(request, model),
    without: withoutThinking,
  },
  {
    name: 'tools.thinking',
    what: 'tools without an effort, with which models of OpenAI from GPT-5.5 on do not think in chat completions',
    field: {
      messages: 'tools',
      generate: 'tools',
      responses: 'tools',
      converse: 'toolConfig.tools',
      cohere: 'tools',
    },
    treatment: { chat: 'changed', compatible: 'carried' },
    isIn: (request, { model }) => hasRejectedTools(request, model),
    without: withoutThinking,
  },
]

function hasRejectedTools({ reasoning, tools }: NeutralRequest, model: string): boolean {
  return tools.length > 0 && rejectsEffortWithTools(model, reasoning?.effort ?? null)
}

function withoutThinking(request: NeutralRequest): NeutralRequest {
  const isShown = request.reasoning?.isShown ?? null
  return { ...request, reasoning: { effort: 'none', budgetTokens: null, isShown } }
}
