import * as z from 'zod'
import { toolRules, type ToolRules } from '#domain/tool-rules.ts'

const ToolRuleName = z.enum(toolRules)

/** Kinds of tools. `other` is for tools without a kind, which are never sent. */
const ToolRulesByKind = z
  .strictObject({
    webSearch: z.exactOptional(ToolRuleName),
    webFetch: z.exactOptional(ToolRuleName),
    codeExecution: z.exactOptional(ToolRuleName),
    fileSearch: z.exactOptional(ToolRuleName),
    mcp: z.exactOptional(ToolRuleName),
    toolSearch: z.exactOptional(ToolRuleName),
    other: z.exactOptional(ToolRuleName),
  })
  .meta({
    id: 'ProviderToolRules',
    description:
      'A rule for each kind of tool. An omitted kind is `bounded`, or in a bundle has the rule of the gateway.',
  })

/** Handling of tools that providers run, for an application or a bundle. */
export const ProviderTools = z.union([ToolRuleName, ToolRulesByKind])

export function toolRulesView(rules: ToolRules): z.output<typeof ProviderTools> {
  return typeof rules === 'string' ? rules : { ...rules }
}
