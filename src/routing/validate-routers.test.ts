import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '#tests/support/number-of-property-runs.ts'
import { routerLimits, validateRouters, type RouterFault, type RouterLinks } from './validate-routers.ts'

/** The text `a: b @alias .` defines a router `a` whose targets are a router, an alias and a source. */
function routers(...lines: readonly string[]): RouterLinks[] {
  return lines.map((line) => {
    const [name = '', words = ''] = line.split(':')
    const targets = words
      .split(' ')
      .filter((word) => word !== '')
      .map((word): RouterLinks['targets'][number] => {
        if (word === '.') return { to: { kind: 'source' } }
        if (word.startsWith('@')) return { to: { kind: 'alias', name: word.slice(1) } }
        return { to: { kind: 'router', name: word } }
      })
    return { name, targets }
  })
}

const aliases: Readonly<Record<string, number>> = { fast: 1, pooled: 3, empty: 0 }
const faultOf = (...lines: readonly string[]): RouterFault | null =>
  validateRouters(routers(...lines), (alias) => aliases[alias] ?? null)

describe('validation of the routers of an application', () => {
  it('several paths through routers may reach the same target', () => {
    expect(faultOf('a: b c', 'b: d @fast', 'c: d .', 'd: @pooled')).toBeNull()
    expect(faultOf()).toBeNull()
    expect(faultOf('a:')).toBeNull()
  })

  it('a router may not contain itself, and the error names the cycle', () => {
    expect(faultOf('a: a')).toEqual({ kind: 'cycle', path: ['a', 'a'] })
    expect(faultOf('a: @fast b', 'b: a')).toEqual({ kind: 'cycle', path: ['a', 'b', 'a'] })
    expect(faultOf('x: a', 'a: b', 'b: c', 'c: b')).toEqual({ kind: 'cycle', path: ['b', 'c', 'b'] })
  })

  it('routers may be nested four deep, regardless of their order in the list', () => {
    expect(faultOf('a: b', 'b: c', 'c: d', 'd: @fast')).toBeNull()
    const path = ['a', 'b', 'c', 'd', 'e']
    expect(faultOf('a: b', 'b: c', 'c: d', 'd: e', 'e: .')).toEqual({ kind: 'too_deep', path })
    expect(faultOf('e: .', 'd: e', 'c: . d', 'b: c e', 'a: e b')).toEqual({ kind: 'too_deep', path })
  })

  it('the targets of a router must exist', () => {
    expect(faultOf('a: @fast b')).toEqual({ kind: 'unknown_target', router: 'a', target: 'b' })
    expect(faultOf('a: b', 'b: @gone')).toEqual({ kind: 'unknown_target', router: 'b', target: 'gone' })
    expect(faultOf('a: @empty')).toBeNull()
  })

  it('a router may have at most as many targets as a call can examine', () => {
    const { targetsMax } = routerLimits
    expect(faultOf(`a:${' .'.repeat(targetsMax)}`)).toBeNull()
    expect(faultOf(`a:${' .'.repeat(targetsMax - 2)} @pooled`)).toEqual({
      kind: 'too_many_targets',
      router: 'a',
      targets: targetsMax + 1,
    })
    const wide = ' x'.repeat(10)
    expect(faultOf(`a:${wide}`, `x:${' .'.repeat(10)}`)).toMatchObject({ router: 'a', targets: 100 })
  })
})

it('every path through valid routers ends at a source, and every invalid router is reported with its fault: 10,000 runs', () => {
  const seen: Record<string, number> = {}
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const target = fc.constantFrom(...names, '.', '.', '@fast', '@gone')
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.constantFrom(...names), fc.array(target, { maxLength: 3 })), {
        selector: ([name]) => name,
        maxLength: 6,
      }),
      (definitions) => {
        const lines = definitions.map(([name, targets]) => `${name}: ${targets.join(' ')}`)
        const leads = new Map(definitions)
        const fault = faultOf(...lines)
        seen[fault?.kind ?? 'none'] = (seen[fault?.kind ?? 'none'] ?? 0) + 1
        if (fault === null) {
          // An accepted cycle would make this recursion endless.
          const depth = (name: string): number => {
            if (name === '.' || name === '@fast') return 0
            const targets = leads.get(name)
            if (targets === undefined) throw new Error(`${name} does not exist`)
            return 1 + Math.max(0, ...targets.map(depth))
          }
          for (const name of leads.keys()) expect(depth(name)).toBeLessThanOrEqual(4)
        } else if (fault.kind === 'unknown_target') {
          expect(leads.get(fault.router)).toContain(fault.target === 'gone' ? '@gone' : fault.target)
          expect(leads.has(fault.target)).toBe(false)
        } else if (fault.kind !== 'too_many_targets') {
          for (const [at, name] of fault.path.slice(0, -1).entries())
            expect(leads.get(name)).toContain(fault.path[at + 1])
          if (fault.kind === 'cycle') expect(fault.path.at(-1)).toBe(fault.path[0])
          else expect(fault.path).toHaveLength(5)
        }
      },
    ),
    propertyRuns(10_000),
  )
  for (const kind of ['none', 'cycle', 'unknown_target']) expect(seen[kind]).toBeGreaterThan(200)
})
