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
 * tool with a maximum number of uses if the price of a use is known. Otherwise, `bounded` removes the tool.
 */
export const toolRules = ['bounded', 'drop', 'refuse'] as const
export type ToolRule = (typeof toolRules)[number]

/** Kinds of tools whose uses have a cost. */
type CountedKind = 'webSearch' | 'webFetch' | 'codeExecution' | 'imageGeneration' | 'mcp'

/** A number means `bounded` with this number as the maximum of uses per request. */
export type KindRule = ToolRule | number

/** A rule for all tools, or rules by kind. `other` is the rule for tools without a kind. */
export type ToolRules =
  | ToolRule
  | ({ readonly [kind in CountedKind]?: KindRule } & {
      readonly [kind in Exclude<ProviderToolKind, CountedKind> | 'other']?: ToolRule
    })

/** The bundle's rules replace all rules of the application, or only the rules for the kinds that the bundle names. */
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
 * If the rules omit the kind, its rule is `bounded`, or `drop` for file search.
 * @param kind null for a tool without a kind
 */
export function toolRuleFor(rules: ToolRules | undefined, kind: ProviderToolKind | null): ToolRule {
  const rule = kindRuleOf(rules, kind ?? 'other')
  return typeof rule === 'number' ? 'bounded' : rule
}

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
