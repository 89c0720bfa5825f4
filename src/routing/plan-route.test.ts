import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '#tests/support/number-of-property-runs.ts'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { planRoute } from './plan-route.ts'
import {
  policies,
  type Branch,
  type CircuitState,
  type Condition,
  type Feature,
  type Leaf,
  type LeafFacts,
  type LeafHealth,
  type PlannedTarget,
  type Policy,
  type RoutedCall,
  type RouteNode,
} from './route-tree-types.ts'
import { unmetCondition } from './explain-unmet-condition.ts'

const nowMs = Date.UTC(2026, 0, 1, 12)

function leaf(key: string): Leaf {
  return { kind: 'leaf', key }
}
function branch(to: Leaf | RouteNode<Leaf>, more: Partial<Branch<Leaf>> = {}): Branch<Leaf> {
  return { weight: 1, maxInFlight: null, when: null, to, ...more }
}
function node(
  name: string,
  policy: Policy,
  branches: readonly Branch<Leaf>[],
  stickyBy: 'end_user' | 'session' = 'end_user',
): RouteNode<Leaf> {
  return { kind: 'node', name, policy, stickyBy, branches }
}
const aCall: RoutedCall = {
  bundle: 'pro',
  mode: 'live',
  features: new Set<Feature>(['tools', 'stream']),
  inputTokens: 500,
  endUserId: 'eu_ada',
  session: null,
}
const idle: LeafHealth = { inFlight: 0, firstTokenMs: null, circuit: { kind: 'closed' } }
const serves: LeafFacts = { skip: null, expectedMicros: 10n }

interface World {
  readonly call?: Partial<RoutedCall>
  readonly facts?: Readonly<Record<string, LeafFacts>>
  readonly health?: Readonly<Record<string, Partial<LeafHealth>>>
  readonly random?: () => number
}

function plan(route: RouteNode<Leaf>, world: World = {}): PlannedTarget<Leaf>[] {
  return planRoute(
    route,
    { ...aCall, ...world.call },
    ({ key }) => world.facts?.[key] ?? serves,
    ({ key }) => ({ ...idle, ...world.health?.[key] }),
    world.random ?? (() => 0.5),
    nowMs,
  )
}

/** Such as `a!circuit_open b`. */
function shown(targets: readonly PlannedTarget<Leaf>[]): string {
  return targets.map(({ leaf: { key }, skip }) => (skip ? `${key}!${skip.code}` : key)).join(' ')
}

const open = (untilMs: number): CircuitState => ({ kind: 'open', untilMs, why: '5 failures in a row' })
const trying: CircuitState = {
  kind: 'half_open',
  isTrying: true,
  isProbed: false,
  why: '5 failures in a row',
}
const free: CircuitState = { kind: 'half_open', isTrying: false, isProbed: false, why: '5 failures in a row' }

describe('the route plan of a call', () => {
  it('if a model name has one account, its plan consists of this account, regardless of the account’s health', () => {
    const route = node('acme/fast', 'priority', [branch(leaf('a'))])
    const targets = planRoute(
      route,
      aCall,
      () => serves,
      () => expect.unreachable(),
      () => expect.unreachable(),
      nowMs,
    )
    expect(targets).toEqual([{ leaf: leaf('a'), path: ['acme/fast'], skip: null }])
  })

  it('if a model name has no targets, its plan is empty', () => {
    expect(plan(node('acme/fast', 'priority', []))).toEqual([])
  })

  it('under the priority policy, a plan keeps the listed order, and records the routers through which each target is reached', () => {
    const inner = node('acme/inner', 'priority', [branch(leaf('b')), branch(leaf('c'))])
    const targets = plan(node('acme/fast', 'priority', [branch(leaf('a')), branch(inner), branch(leaf('d'))]))
    expect(shown(targets)).toBe('a b c d')
    expect(targets.map(({ path }) => path.join('>'))).toEqual([
      'acme/fast',
      'acme/fast>acme/inner',
      'acme/fast>acme/inner',
      'acme/fast',
    ])
  })

  it('a plan keeps skipped targets in their position, with the reason', () => {
    const targets = plan(node('r', 'priority', [branch(leaf('a')), branch(leaf('b')), branch(leaf('c'))]), {
      facts: { a: { skip: { code: 'unpriced', reason: 'it has no price' }, expectedMicros: 0n } },
      health: { b: { circuit: open(nowMs + 31_000) } },
    })
    expect(targets.map(({ skip }) => skip)).toEqual([
      { code: 'unpriced', reason: 'it has no price' },
      { code: 'circuit_open', reason: 'its circuit is open until 12:00:31 UTC: 5 failures in a row' },
      null,
    ])
  })

  it('a plan takes each account and model only once, and records its position', () => {
    const inner = node('inner', 'priority', [branch(leaf('a')), branch(leaf('b'))])
    const targets = plan(node('r', 'priority', [branch(inner), branch(leaf('a')), branch(leaf('c'))]))
    expect(shown(targets)).toBe('a b a!repeated c')
    expect(targets[2]?.skip?.reason).toBe('it is earlier in the order, as r -> inner')
  })

  it('a plan uses a target’s later position only if the path to its earlier position was blocked', () => {
    const inner = node('inner', 'priority', [branch(leaf('a'))])
    const targets = plan(
      node('r', 'priority', [branch(inner, { when: { bundles: ['free'] } }), branch(leaf('a'))]),
    )
    expect(shown(targets)).toBe('a!condition a')
  })

  it('the conditions and limits of a branch apply to all targets below it', () => {
    const inner = node('inner', 'priority', [branch(leaf('a')), branch(leaf('b'))])
    const route = (more: Partial<Branch<Leaf>>): RouteNode<Leaf> =>
      node('r', 'priority', [branch(node('middle', 'priority', [branch(inner)]), more), branch(leaf('c'))])
    expect(shown(plan(route({ when: { mode: 'test' } })))).toBe('a!condition b!condition c')
    const busy = { health: { a: { inFlight: 3 }, b: { inFlight: 2 } } }
    const full = plan(route({ maxInFlight: 5 }), busy)
    expect(shown(full)).toBe('a!max_in_flight b!max_in_flight c')
    expect(full[0]?.skip?.reason).toBe('5 requests are in flight, and the maximum is 5')
    expect(shown(plan(route({ maxInFlight: 6 }), busy))).toBe('a b c')
  })

  it('an account that is reached twice below a limited branch counts once toward the limit', () => {
    const inner = node('inner', 'priority', [branch(leaf('a')), branch(leaf('a'))])
    const route = node('r', 'priority', [branch(inner, { maxInFlight: 4 }), branch(leaf('c'))])
    expect(shown(plan(route, { health: { a: { inFlight: 3 } } }))).toBe('a a!repeated c')
  })
})

describe('circuits in a plan', () => {
  const route = node('r', 'priority', [branch(leaf('a')), branch(leaf('b')), branch(leaf('c'))])

  it('a plan sends a single trial call to a target whose circuit is half open', () => {
    expect(shown(plan(route, { health: { a: { circuit: free } } }))).toBe('a b c')
    expect(shown(plan(route, { health: { a: { circuit: trying } } }))).toBe('a!circuit_open b c')
  })

  it('if all targets are blocked only by open circuits, a plan takes the target whose circuit stays open for the shortest time', () => {
    const health = {
      a: { circuit: open(nowMs + 9_000) },
      b: { circuit: open(nowMs + 5_000) },
      c: { circuit: open(nowMs + 5_000) },
    }
    expect(shown(plan(route, { health }))).toBe('a!circuit_open b c!circuit_open')
    expect(shown(plan(route, { health: { ...health, c: { circuit: trying } } }))).toBe(
      'a!circuit_open b!circuit_open c',
    )
  })

  it('a plan never takes a target that could not serve the call', () => {
    const targets = plan(route, {
      facts: {
        a: { skip: { code: 'too_dear', reason: 'x' }, expectedMicros: 9n },
        b: { skip: { code: 'disabled', reason: 'y' }, expectedMicros: 9n },
      },
      health: { a: { circuit: open(nowMs + 1) }, c: { circuit: open(nowMs + 9_000) } },
    })
    expect(shown(targets)).toBe('a!too_dear b!disabled c')
  })

  it('if circuits block all targets, an account that is listed twice is taken only once', () => {
    const twice = node('r', 'priority', [branch(leaf('a')), branch(leaf('a'))])
    expect(shown(plan(twice, { health: { a: { circuit: open(nowMs + 1) } } }))).toBe('a a!repeated')
  })

  it('after its end time, an open circuit no longer blocks calls, even if the health was read before that time', () => {
    expect(shown(plan(route, { health: { a: { circuit: open(nowMs) } } }))).toBe('a b c')
  })
})

describe('the policy `cheapest`', () => {
  const price = (expectedMicros: bigint): LeafFacts => ({ skip: null, expectedMicros })

  it('the policy `cheapest` compares the expected cost of the call, and uses the listed order for equal costs', () => {
    const route = node('r', 'cheapest', [branch(leaf('a')), branch(leaf('b')), branch(leaf('c'))])
    expect(shown(plan(route, { facts: { a: price(30n), b: price(10n), c: price(10n) } }))).toBe('b c a')
  })

  it('the policy `cheapest` ranks a node by the best available target below it', () => {
    const inner = node('inner', 'priority', [branch(leaf('x')), branch(leaf('y'))])
    const route = node('r', 'cheapest', [branch(leaf('a')), branch(inner)])
    const facts = { a: price(20n), x: price(30n), y: price(10n) }
    expect(shown(plan(route, { facts }))).toBe('x y a')
    const health = { y: { circuit: open(nowMs + 1_000) } }
    expect(shown(plan(route, { facts, health }))).toBe('a x y!circuit_open')
  })
})

describe('the policy `fastest`', () => {
  const route = node(
    'r',
    'fastest',
    ['a', 'b', 'c', 'd'].map((key) => branch(leaf(key))),
  )
  const health = {
    a: { firstTokenMs: 900 },
    b: { firstTokenMs: 200 },
    c: { firstTokenMs: 300 },
    d: { firstTokenMs: 100 },
  }

  function firsts(of: World, among = route): Record<string, number> {
    const random = chanceFrom(7)
    const counts: Record<string, number> = {}
    for (let time = 0; time < 20_000; time++) {
      const first = plan(among, { ...of, random }).find(({ skip }) => skip === null)?.leaf.key ?? ''
      counts[first] = (counts[first] ?? 0) + 1 / 20_000
    }
    return counts
  }

  it('under the policy `fastest`, the faster of two random targets comes first, and the fallbacks follow from the fastest to the slowest', () => {
    const counts = firsts({ health })
    // The policy compares a random pair of the four targets, and the faster one comes first. The fastest target wins
    // three of the six pairs, the second two, and the third one. The slowest target comes first only if the policy
    // picks a random target.
    expect(counts['d']).toBeCloseTo(0.97 * 0.5 + 0.03 / 4, 1)
    expect(counts['b']).toBeCloseTo(0.97 / 3 + 0.03 / 4, 1)
    expect(counts['c']).toBeCloseTo(0.97 / 6 + 0.03 / 4, 1)
    expect(counts['a']).toBeGreaterThan(0.004)
    expect(counts['a']).toBeLessThan(0.012)
    const targets = plan(route, { health, random: () => 0.99 })
    expect(shown(targets.slice(1))).toBe(
      ['d', 'b', 'c', 'a'].filter((key) => key !== targets[0]?.leaf.key).join(' '),
    )
  })

  it('the policy `fastest` takes the faster of two targets, except when it picks a random target', () => {
    const two = node('r', 'fastest', [branch(leaf('a')), branch(leaf('b'))])
    const counts = firsts({ health }, two)
    expect(counts['b']).toBeGreaterThan(0.98)
    expect(counts['a']).toBeGreaterThan(0.01)
  })

  it('the policy `fastest` sends one call at a time to a target without measurements', () => {
    expect(shown(plan(route, { health: { ...health, c: {} } }))).toBe('c d b a')
    expect(shown(plan(route, { health: { ...health, c: { inFlight: 1 } } }))).toMatch(/c$/)
  })

  it('the policy `fastest` chooses among the available targets', () => {
    const of = { health: { ...health, d: { firstTokenMs: 100, circuit: open(nowMs + 1) } } }
    const counts = firsts(of)
    expect(counts['d']).toBeUndefined()
    expect(counts['b']).toBeGreaterThan(0.6)
  })
})

describe('the policy `leastBusy`', () => {
  it('the policy `leastBusy` compares the number of calls in flight at each target with the maximum of the target', () => {
    const route = node('r', 'leastBusy', [
      branch(leaf('a'), { maxInFlight: 10 }),
      branch(leaf('b'), { maxInFlight: 100 }),
      branch(leaf('c')),
    ])
    // Target c has no maximum, so the largest maximum among its siblings is used.
    const health = { a: { inFlight: 3 }, b: { inFlight: 20 }, c: { inFlight: 25 } }
    expect(shown(plan(route, { health }))).toBe('b c a')
    expect(shown(plan(route, { health: { ...health, a: { inFlight: 10 } } }))).toBe('b c a!max_in_flight')
  })

  it('the policy `leastBusy` distributes calls randomly among idle targets', () => {
    const route = node(
      'r',
      'leastBusy',
      ['a', 'b', 'c'].map((key) => branch(leaf(key))),
    )
    const random = chanceFrom(3)
    const seen = new Set(Array.from({ length: 60 }, () => plan(route, { random })[0]?.leaf.key))
    expect(seen).toEqual(new Set(['a', 'b', 'c']))
  })
})

describe('the policy `weighted`', () => {
  it('the policy `weighted` draws the first target and the fallback by weight, within a chi-square bound', () => {
    const weights = { a: 50, b: 30, c: 15, d: 5 }
    const route = node(
      'r',
      'weighted',
      Object.entries(weights).map(([key, weight]) => branch(leaf(key), { weight })),
    )
    const seed = seedOfRun()
    const random = chanceFrom(seed)
    const first: Record<string, number> = {}
    const second: Record<string, number> = {}
    const calls = 10_000
    for (let time = 0; time < calls; time++) {
      const [one, two] = plan(route, { random }).map(({ leaf: { key } }) => key)
      first[one ?? ''] = (first[one ?? ''] ?? 0) + 1
      if (one === 'a') second[two ?? ''] = (second[two ?? ''] ?? 0) + 1
    }
    // The chi-square limits for 3 and 2 degrees of freedom, which one run in ten million exceeds.
    expect(chiSquare(first, weights, calls), `SEED=${seed}`).toBeLessThan(34.6)
    const { a, ...others } = weights
    expect(chiSquare(second, others, first['a'] ?? a), `SEED=${seed}`).toBeLessThan(32.2)
  })

  it('the policy `weighted` uses a target with weight 0 only as a fallback, for every random number', () => {
    const route = node('r', 'weighted', [
      branch(leaf('a'), { weight: 0 }),
      branch(leaf('b')),
      branch(leaf('c')),
    ])
    for (const chance of [0, 0.5, 1 - 2 ** -32])
      expect(plan(route, { random: () => chance }).at(-1)?.leaf.key).toBe('a')
  })
})

describe('the policy `sticky`', () => {
  const route = (keys: readonly string[], stickyBy: 'end_user' | 'session' = 'end_user'): RouteNode<Leaf> =>
    node(
      'r',
      'sticky',
      keys.map((key) => branch(leaf(key))),
      stickyBy,
    )
  const targetOf = (among: RouteNode<Leaf>, call: Partial<RoutedCall>): string =>
    plan(among, { call }).map(({ leaf: { key } }) => key)[0] ?? ''

  it('if a target is added or removed, the policy `sticky` moves only the end users that this target wins or loses', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 12 }),
        fc.string({ maxLength: 6 }),
        fc.nat(),
        (count, word, gone) => {
          const keys = Array.from({ length: count }, (_, at) => `pa_${word}${at}:model`)
          const left = keys.filter((_, at) => at !== gone % count)
          let moved = 0
          const people = 2_000
          for (let person = 0; person < people; person++) {
            const call = { endUserId: `eu_${word}${person}` }
            const before = targetOf(route(keys), call)
            const after = targetOf(route(left), call)
            if (before !== after) {
              expect(left).not.toContain(before)
              moved++
            }
          }
          expect(moved / people).toBeLessThan(1 / count + 0.05)
        },
      ),
      propertyRuns(30),
    )
  })

  it('if a target changes, the policy `sticky` moves end users only to or from this target: 10,000 runs', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 8 }),
        fc.string(),
        fc.nat(),
        (keys, endUserId, gone) => {
          const before = plan(route(keys), { call: { endUserId } }).map(({ leaf: { key } }) => key)
          const without = keys[gone % keys.length]
          const after = plan(route(keys.filter((key) => key !== without)), { call: { endUserId } })
          expect(after.map(({ leaf: { key } }) => key)).toEqual(before.filter((key) => key !== without))
        },
      ),
      propertyRuns(10_000),
    )
  })

  it('the policy `sticky` distributes end users by weight', () => {
    const weights = { a: 3, b: 1 }
    const among = node(
      'r',
      'sticky',
      Object.entries(weights).map(([key, weight]) => branch(leaf(key), { weight })),
    )
    const counts: Record<string, number> = {}
    for (let person = 0; person < 10_000; person++) {
      const key = targetOf(among, { endUserId: `eu_${person}` })
      counts[key] = (counts[key] ?? 0) + 1
    }
    expect(chiSquare(counts, weights, 10_000)).toBeLessThan(20)
  })

  it('a router that is sticky by session uses the session of a call, or the end user if the call names none', () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const sessions = Array.from({ length: 50 }, (_, at) => `s${at}`)
    const bySession = new Set(sessions.map((session) => targetOf(route(keys, 'session'), { session })))
    expect(bySession.size).toBeGreaterThan(4)
    const byPerson = new Set(sessions.map((session) => targetOf(route(keys), { session })))
    expect(byPerson.size).toBe(1)
    expect(targetOf(route(keys, 'session'), { session: null })).toBe(targetOf(route(keys), {}))
    const people = Array.from({ length: 50 }, (_, at) => ({ endUserId: `eu_${at}`, session: 'main' }))
    expect(new Set(people.map((call) => targetOf(route(keys, 'session'), call))).size).toBeGreaterThan(4)
  })
})

describe('any route plan', () => {
  it('any plan contains every path to a leaf once, takes each leaf at most once, and gives correct reasons for skipped targets: 10,000 runs', () => {
    const seen: Record<string, number> = {}
    fc.assert(
      fc.property(aWorld, ({ route, world }) => {
        const random = chanceFrom(world.seed)
        const facts = (key: string): LeafFacts => world.facts[key] ?? serves
        const health = (key: string): LeafHealth => world.health[key] ?? idle
        const targets = planRoute(
          route,
          world.call,
          ({ key }) => facts(key),
          (target) => health(target.key),
          random,
          nowMs,
        )

        expect(targets.map(wayOf).toSorted()).toEqual(ways(route).map(wayOf).toSorted())
        const taken = targets.filter(({ skip }) => skip === null).map(({ leaf: { key } }) => key)
        expect(new Set(taken).size).toBe(taken.length)

        const barred = new Map(ways(route).map((way) => [way, reasons(way, world.call, facts, health)]))
        const areAllBarred = [...barred.values()].every((against) => against.size > 0)
        for (const [at, target] of targets.entries()) {
          const {
            leaf: { key },
            skip,
          } = target
          seen[skip?.code ?? 'taken'] = (seen[skip?.code ?? 'taken'] ?? 0) + 1
          const same = [...barred]
            .filter(([way]) => wayOf(way) === wayOf(target))
            .map(([, against]) => against)
          if (skip === null) {
            if (same.some((against) => against.size === 0)) continue
            // The plan takes this target despite its open circuit.
            expect(areAllBarred || route.branches.length === 1).toBe(true)
            expect(same.some((against) => against.size === 1 && against.has('circuit_open'))).toBe(true)
            expect(taken).toHaveLength(1)
          } else if (skip.code === 'repeated') {
            expect(targets.slice(0, at).some((one) => one.skip === null && one.leaf.key === key)).toBe(true)
          } else {
            expect(same.some((against) => against.has(skip.code))).toBe(true)
            expect(skip.reason).not.toBe('')
          }
        }
        // A model name is unavailable only if every target is skipped for a reason other than its circuit.
        if (taken.length === 0)
          for (const against of barred.values())
            expect(against.size > 1 || !against.has('circuit_open')).toBe(true)
      }),
      propertyRuns(10_000),
    )
    for (const code of ['taken', 'repeated', 'condition', 'max_in_flight', 'circuit_open', 'unpriced'])
      expect.soft(seen[code] ?? 0, code).toBeGreaterThan(500)
  })
})

interface Way {
  readonly leaf: Leaf
  readonly path: readonly string[]
  readonly branches: readonly Branch<Leaf>[]
}

function ways(of: RouteNode<Leaf>): Way[] {
  return of.branches.flatMap((one): Way[] =>
    one.to.kind === 'leaf'
      ? [{ leaf: one.to, path: [of.name], branches: [one] }]
      : ways(one.to).map((way) => ({
          ...way,
          path: [of.name, ...way.path],
          branches: [one, ...way.branches],
        })),
  )
}

function wayOf({ leaf: { key }, path }: { readonly leaf: Leaf; readonly path: readonly string[] }): string {
  return [...path, key].join('>')
}

/** Returns every reason why a path cannot be used, with the names that route-tree-types.ts defines. */
function reasons(
  { leaf: { key }, branches }: Way,
  call: RoutedCall,
  facts: (key: string) => LeafFacts,
  health: (key: string) => LeafHealth,
): Set<string> {
  const against = new Set<string>()
  for (const { when, maxInFlight, to } of branches) {
    if (when !== null && unmetCondition(when, call) !== null) against.add('condition')
    const keys = new Set(to.kind === 'leaf' ? [to.key] : ways(to).map((way) => way.leaf.key))
    const inFlight = [...keys].reduce((sum, one) => sum + health(one).inFlight, 0)
    if (maxInFlight !== null && inFlight >= maxInFlight) against.add('max_in_flight')
  }
  const { skip } = facts(key)
  if (skip !== null) against.add(skip.code)
  const { circuit } = health(key)
  if (circuit.kind === 'open' || (circuit.kind === 'half_open' && circuit.isTrying))
    against.add('circuit_open')
  return against
}

const keys = ['a', 'b', 'c', 'd', 'e']
const aCondition: fc.Arbitrary<Condition> = fc.constantFrom<Condition[]>(
  {},
  { bundles: ['pro'] },
  { bundles: ['free'] },
  { mode: 'live' },
  { features: ['tools'] },
  { features: ['images'] },
  { inputTokensMax: 400 },
)
const aWorld = fc.record({
  route: fc.letrec<{ route: RouteNode<Leaf>; to: Leaf | RouteNode<Leaf> }>((tie) => ({
    route: fc.record({
      kind: fc.constant('node' as const),
      name: fc.constantFrom('r', 's', 't'),
      policy: fc.constantFrom(...policies),
      stickyBy: fc.constantFrom('end_user' as const, 'session' as const),
      branches: fc.array(
        fc.record({
          weight: fc.integer({ min: 0, max: 5 }),
          maxInFlight: fc.option(fc.integer({ min: 1, max: 12 }), { freq: 2 }),
          when: fc.option(aCondition, { freq: 2 }),
          to: tie('to'),
        }),
        { maxLength: 4 },
      ),
    }),
    to: fc.oneof(
      { maxDepth: 3 },
      { weight: 3, arbitrary: fc.constantFrom(...keys).map(leaf) },
      { weight: 1, arbitrary: tie('route') },
    ),
  })).route,
  world: fc.record({
    call: fc.constant(aCall),
    seed: fc.nat(),
    facts: fc.dictionary(
      fc.constantFrom(...keys),
      fc.record({
        skip: fc.option(fc.constant({ code: 'unpriced' as const, reason: 'it has no price' })),
        expectedMicros: fc.bigInt({ min: 0n, max: 50n }),
      }),
    ),
    health: fc.dictionary(
      fc.constantFrom(...keys),
      fc.record({
        inFlight: fc.integer({ min: 0, max: 8 }),
        firstTokenMs: fc.option(fc.integer({ min: 1, max: 900 })),
        circuit: fc.oneof(
          fc.constant<CircuitState>({ kind: 'closed' }),
          fc.integer({ min: 1, max: 9_000 }).map((ms) => open(nowMs + ms)),
          fc.constantFrom(trying, free),
        ),
      }),
      { minKeys: 1 },
    ),
  }),
})

function chiSquare(
  counts: Readonly<Record<string, number>>,
  weights: Readonly<Record<string, number>>,
  drawn: number,
): number {
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
  return Object.entries(weights).reduce((sum, [key, weight]) => {
    const expected = (drawn * weight) / total
    return sum + ((counts[key] ?? 0) - expected) ** 2 / expected
  }, 0)
}

function chanceFrom(seed: number): () => number {
  const random = randomFrom(seed)
  return () => random.next()
}
