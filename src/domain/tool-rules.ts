/** The kinds of tools that a provider runs. The wires find them in requests (wire/provider-tools.ts). */
const providerToolKinds = [
  'webSearch',
  'webFetch',
  'codeExecution',
  'fileSearch',
  'mcp',
  'toolSearch',
] as const
export type ProviderToolKind = (typeof providerToolKinds)[number]

/**
 * Handling of a tool that the provider runs and that the request only offers. `bounded` sends it with a limit of uses,
 * if the price of a use is known, and otherwise removes it. `drop` removes it. `refuse` rejects the request.
 */
export const toolRules = ['bounded', 'drop', 'refuse'] as const
export type ToolRule = (typeof toolRules)[number]

/** A rule for all tools, or a rule by kind. `other` is for tools without a kind. */
export type ToolRules = ToolRule | { readonly [kind in ProviderToolKind | 'other']?: ToolRule }

/** Returns the rules of an application that a bundle overrides, whole or by kind. */
export function toolRulesWithin(
  application: ToolRules | undefined,
  bundle: ToolRules | null | undefined,
): ToolRules | undefined {
  if (bundle === null || bundle === undefined) return application
  if (typeof bundle === 'string') return bundle
  const kinds = [...providerToolKinds, 'other'] as const
  const ofApplication = kinds.map((kind) => [kind, toolRuleFor(application, kind === 'other' ? null : kind)])
  return { ...Object.fromEntries(ofApplication), ...bundle }
}

/** Returns the rule for a kind. An omitted kind is bounded. @param kind null for a tool without a kind */
export function toolRuleFor(rules: ToolRules | undefined, kind: ProviderToolKind | null): ToolRule {
  if (rules === undefined || typeof rules === 'string') return rules ?? 'bounded'
  return rules[kind ?? 'other'] ?? 'bounded'
}
