import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toolRuleFor, toolRules, toolRulesWithin, usesMaxFor, type ToolRules } from './provider-tool-rules.ts'

const kinds = [
  'webSearch',
  'webFetch',
  'codeExecution',
  'fileSearch',
  'imageGeneration',
  'mcp',
  'toolSearch',
  null,
] as const
const rule = fc.constantFrom(...toolRules)
const counted: ReadonlySet<string | null> = new Set(['webSearch', 'webFetch', 'codeExecution', 'mcp'])
const ruleOf = (kind: string | null) =>
  counted.has(kind) ? fc.oneof(rule, fc.integer({ min: 1, max: 100 })) : rule
const byKind = fc.record(Object.fromEntries(kinds.map((kind) => [kind ?? 'other', ruleOf(kind)])), {
  requiredKeys: [],
}) as fc.Arbitrary<ToolRules>
const rules = fc.oneof(rule, byKind)

it('a bundle’s rules replace the application’s rules for all tools, or only for the kinds of tools that the bundle names', () => {
  fc.assert(
    fc.property(fc.option(rules, { nil: undefined }), fc.option(rules), (application, bundle) => {
      const within = toolRulesWithin(application, bundle)
      for (const kind of kinds) {
        const own = typeof bundle === 'string' ? bundle : bundle?.[kind ?? 'other']
        const decided =
          own ?? (typeof application === 'string' ? application : application?.[kind ?? 'other'])
        const usual = kind === 'fileSearch' ? 'drop' : 'bounded'
        const isByKind = own === undefined ? typeof application === 'object' : typeof bundle === 'object'
        const isUsual = decided === undefined || (decided === 'bounded' && !isByKind)
        expect(toolRuleFor(within, kind)).toBe(
          isUsual ? usual : typeof decided === 'number' ? 'bounded' : decided,
        )
        if (kind !== null) expect(usesMaxFor(within, kind)).toBe(typeof decided === 'number' ? decided : null)
      }
    }),
  )
})
