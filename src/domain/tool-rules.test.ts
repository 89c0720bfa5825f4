import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toolRuleFor, toolRules, toolRulesWithin, type ToolRules } from './tool-rules.ts'

const kinds = ['webSearch', 'webFetch', 'codeExecution', 'fileSearch', 'mcp', 'toolSearch', null] as const
const rule = fc.constantFrom(...toolRules)
const byKind = fc.record(Object.fromEntries(kinds.map((kind) => [kind ?? 'other', rule])), {
  requiredKeys: [],
}) as fc.Arbitrary<ToolRules>
const rules = fc.oneof(rule, byKind)

it('a bundle decides the kinds that it names, and the application decides all others', () => {
  fc.assert(
    fc.property(fc.option(rules, { nil: undefined }), fc.option(rules), (application, bundle) => {
      const within = toolRulesWithin(application, bundle)
      for (const kind of kinds) {
        const own = typeof bundle === 'string' ? bundle : bundle?.[kind ?? 'other']
        expect(toolRuleFor(within, kind)).toBe(own ?? toolRuleFor(application, kind))
      }
    }),
  )
})
