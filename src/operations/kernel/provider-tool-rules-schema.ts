import * as z from 'zod'
import { toolRules, type ToolRules } from '#domain/provider-tool-rules.ts'

const ToolRuleName = z.enum(toolRules)

/** The hold of a non-streaming response may cover this many uses. */
const usesMax = 100

/** Only tools whose uses have a cost can have a maximum. */
const ToolRuleOrUses = z.union([ToolRuleName, z.int().min(1).max(usesMax)])

/**
 * Tools without a kind are never sent. `other` decides whether they are removed, or whether the request is rejected.
 */
const ToolRulesByKind = z
  .strictObject({
    webSearch: z.exactOptional(ToolRuleOrUses),
    webFetch: z.exactOptional(ToolRuleOrUses),
    codeExecution: z.exactOptional(ToolRuleOrUses),
    fileSearch: z.exactOptional(ToolRuleName),
    imageGeneration: z.exactOptional(ToolRuleOrUses),
    mcp: z.exactOptional(ToolRuleOrUses),
    toolSearch: z.exactOptional(ToolRuleName),
    other: z.exactOptional(ToolRuleName),
  })
  .meta({
    id: 'ProviderToolRules',
    description:
      'A rule for each kind of tool. A number means `bounded` with this maximum number of uses per request. The number replaces the default of 5, and lowers higher limits that clients set. An omitted kind of tool has the rule `bounded`, except `fileSearch`, which has the rule `drop`. If the rules of a bundle omit a kind, the gateway setting `providerTools` applies. If `fileSearch` is set to `bounded`, every end user can search all vector stores and file search stores of the provider account. `fileSearch` applies to the formats `responses` and `generate`.',
  })

export const ProviderTools = z.union([ToolRuleName, ToolRulesByKind])

export function toolRulesView(rules: ToolRules): z.output<typeof ProviderTools> {
  return typeof rules === 'string' ? rules : { ...rules }
}
