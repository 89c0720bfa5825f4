import * as z from 'zod'
import { toolRules, type ToolRules } from '#domain/tool-rules.ts'

const ToolRuleName = z.enum(toolRules)

/** More uses than a request needs. The hold of a non-streaming response may cover all of them. */
const usesMax = 100

/** A rule, or a maximum of uses. Only kinds whose uses cost something have a maximum. */
const ToolRuleOrUses = z.union([ToolRuleName, z.int().min(1).max(usesMax)])

/** Kinds of tools. `other` is for tools without a kind, which are never sent. */
const ToolRulesByKind = z
  .strictObject({
    webSearch: z.exactOptional(ToolRuleOrUses),
    webFetch: z.exactOptional(ToolRuleOrUses),
    codeExecution: z.exactOptional(ToolRuleOrUses),
    fileSearch: z.exactOptional(ToolRuleName),
    mcp: z.exactOptional(ToolRuleOrUses),
    toolSearch: z.exactOptional(ToolRuleName),
    other: z.exactOptional(ToolRuleName),
  })
  .meta({
    id: 'ProviderToolRules',
    description:
      'A rule for each kind of tool. A number means `bounded` with this maximum number of uses per request. The number replaces the default of 5, and lowers higher limits that clients set. An omitted kind has the rule `bounded`, or, in a bundle, the rule of the gateway.',
  })

/** Handling of tools that providers run, for an application or a bundle. */
export const ProviderTools = z.union([ToolRuleName, ToolRulesByKind])

export function toolRulesView(rules: ToolRules): z.output<typeof ProviderTools> {
  return typeof rules === 'string' ? rules : { ...rules }
}
