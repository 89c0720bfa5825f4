/** The kinds of tools that a provider runs. wire/remove-provider-tools.ts finds these tools in requests. */
const providerToolKinds = [
  'webSearch',
  'webFetch',
  'codeExecution',
  'fileSearch',
  'imageGeneration',
  'mcp',
  'toolSearch',
] as const
export type ProviderToolKind = (typeof providerToolKinds)[number]

/**
 * The rule for a tool that the provider runs, if the request only offers the tool to the model. `bounded` sends the
 * tool with a maximum number of uses if the price of a use is known, and otherwise removes the tool. `drop` removes the
 * tool. `refuse` rejects the request.
 */
export const toolRules = ['bounded', 'drop', 'refuse'] as const
export type ToolRule = (typeof toolRules)[number]

/** Kinds of tools whose uses have a cost. A rule may limit the number of uses. */
type CountedKind = 'webSearch' | 'webFetch' | 'codeExecution' | 'imageGeneration' | 'mcp'

/** A rule for a kind of tool. A number means `bounded` with this number as the maximum of uses per request. */
export type KindRule = ToolRule | number

/** A rule for all tools, or rules by kind. `other` is the rule for tools without a kind. */
export type ToolRules =
  | ToolRule
  | ({ readonly [kind in CountedKind]?: KindRule } & {
      readonly [kind in Exclude<ProviderToolKind, CountedKind> | 'other']?: ToolRule
    })

/**
 * Returns the rules that apply to a bundle. The bundle's rules replace all of the application's rules, or only the
 * rules for the kinds of tools that the bundle names.
 */
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

/**
 * Returns the rule for a kind of tool. If the rules omit the kind, its rule is `bounded`, or `drop` for file search.
 * @param kind null for a tool without a kind
 */
export function toolRuleFor(rules: ToolRules | undefined, kind: ProviderToolKind | null): ToolRule {
  const rule = kindRuleOf(rules, kind ?? 'other')
  return typeof rule === 'number' ? 'bounded' : rule
}

/** Returns the maximum number of uses that the rules set for a kind of tool. Null if the rules set no maximum. */
export function usesMaxFor(rules: ToolRules | undefined, kind: ProviderToolKind): number | null {
  const rule = kindRuleOf(rules, kind)
  return typeof rule === 'number' ? rule : null
}

function kindRuleOf(rules: ToolRules | undefined, kind: ProviderToolKind | 'other'): KindRule {
  // File search reads vector stores. Vector stores belong to the provider account, so every end user could search every
  // vector store. File search is therefore dropped unless the application allows it explicitly.
  const usual = kind === 'fileSearch' ? 'drop' : 'bounded'
  if (rules === undefined || rules === 'bounded') return usual
  return typeof rules === 'string' ? rules : (rules[kind] ?? usual)
}
