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

/** Kinds whose uses cost something, so that a rule may limit them. */
type CountedKind = 'webSearch' | 'webFetch' | 'codeExecution' | 'mcp'

/** A rule for a kind of tool. A number is `bounded` with this maximum of uses in one request. */
export type KindRule = ToolRule | number

/** A rule for all tools, or a rule by kind. `other` is for tools without a kind. */
export type ToolRules =
  | ToolRule
  | ({ readonly [kind in CountedKind]?: KindRule } & {
      readonly [kind in Exclude<ProviderToolKind, CountedKind> | 'other']?: ToolRule
    })

/** Returns the rules of an application that a bundle overrides, whole or by kind. */
export function toolRulesWithin(
  application: ToolRules | undefined,
  bundle: ToolRules | null | undefined,
): ToolRules | undefined {
  if (bundle === null || bundle === undefined) return application
  if (typeof bundle === 'string') return bundle
  const kinds = [...providerToolKinds, 'other'] as const
  const ofApplication = kinds.map((kind) => [kind, kindRuleOf(application, kind)])
  return { ...Object.fromEntries(ofApplication), ...bundle }
}

/** Returns the rule for a kind. An omitted kind is bounded. @param kind null for a tool without a kind */
export function toolRuleFor(rules: ToolRules | undefined, kind: ProviderToolKind | null): ToolRule {
  const rule = kindRuleOf(rules, kind ?? 'other')
  return typeof rule === 'number' ? 'bounded' : rule
}

/** Returns the maximum of uses that the rules set for a kind. Null if they set none. */
export function usesMaxFor(rules: ToolRules | undefined, kind: ProviderToolKind): number | null {
  const rule = kindRuleOf(rules, kind)
  return typeof rule === 'number' ? rule : null
}

function kindRuleOf(rules: ToolRules | undefined, kind: ProviderToolKind | 'other'): KindRule {
  if (rules === undefined || typeof rules === 'string') return rules ?? 'bounded'
  return rules[kind] ?? 'bounded'
}
