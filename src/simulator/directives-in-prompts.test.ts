import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { directivesIn, noDirectives, orderUsages, type Directives } from './directives-in-prompts.ts'

test.each<[string, Partial<Directives>]>([
  ['Hello', {}],
  ['', {}],
  ['[not] [[closed', {}],
  ['[[]]', {}],
  ['a [[tokens=200 delay=20ms]] b', { tokens: 200, delayMs: 20 }],
  ['[[tokens=0]] [[ delay=2s ]]', { tokens: 0, delayMs: 2000 }],
  ['[[delay=0]]', { delayMs: 0 }],
  ['[[wait=2s tokens=1]]', { waitMs: 2000, tokens: 1 }],
  ['[[tokens=1 tokens=2]]', { tokens: 2 }],
  ['[[fail=429]]', { failStatus: 429 }],
  ['[[hang]]', { hang: 'middle' }],
  ['[[hang=headers]]', { hang: 'headers' }],
  ['[[cut=40]]', { cutAfterChunks: 40 }],
  ['[[no-usage]][[broken]][[trickle]]', { isUsageMissing: true, isBroken: true, isTrickling: true }],
  ['[[usage=1000000000000000]]', { usageLie: '1000000000000000' }],
  ['[[usage=-5]]', { usageLie: '-5' }],
  ['[[usage=0.5]]', { usageLie: '0.5' }],
  ['[[usage=1e300]]', { usageLie: '1e300' }],
  ['[[usage=null]]', { usageLie: 'null' }],
  ['[[usage=many]]', { usageLie: '"many"' }],
  ['[[usage="5"]]', { usageLie: '"\\"5\\""' }],
  ['[[error]]', { error: 'middle' }],
  ['[[error=first]] [[redacted]]', { error: 'first', isRedacted: true }],
  ['[[error=early cached=5 written=6]]', { error: 'early', cachedTokens: 5, writtenTokens: 6 }],
  ['if [[ -f x ]] && [[ "$a" == b ]]; then [[tokens=3]]', { tokens: 3 }],
  ['[[ignore-max reasoning=20]]', { isMaxIgnored: true, reasoningTokens: 20 }],
  ['[[text=Hello there, [you] = all]] [[delay=1]]', { text: 'Hello there, [you] = all', delayMs: 1 }],
  ['[[delay=1ms text=two\nlines]]', { text: 'two\nlines', delayMs: 1 }],
  ['[[text=]]', { text: '' }],
  ['[[delay=1 refusal=No, I will not.]]', { refusal: 'No, I will not.', delayMs: 1 }],
  ['[[tool=look_up]]', { tools: [{ name: 'look_up', arguments: '{}' }] }],
  [
    '[[tool=f {"a":1.0, "b":[[1],[2]]}]] x',
    { tools: [{ name: 'f', arguments: '{"a":1.0, "b":[[1],[2]]}' }] },
  ],
  ['[[tool=f [[1]]]]', { tools: [{ name: 'f', arguments: '[[1]]' }] }],
  [
    '[[tool=f {"a":12345678901234567890}]][[tool=g]]',
    {
      tools: [
        { name: 'f', arguments: '{"a":12345678901234567890}' },
        { name: 'g', arguments: '{}' },
      ],
    },
  ],
  ['see [[Paris]] and [[link|name]]', {}],
  ['[[1,2],[3,4]] and np.array([[1.0, 2.0]])', {}],
  ['[[ ## question ## ]]\nWhat?\n[[ ## answer ## ]] [[tokens=3]]', { tokens: 3 }],
  ['local s = [[long string]]', {}],
  ['[[text]] [[tool]] [[tokens]] [[cut]] [[usage]] [[fail]]', {}],
  ['[[error handling]] [[hang on a moment]] [[broken]]', { isBroken: true }],
  ['[[constructor]] [[=]] [[__proto__=1]] [[toString=1]]', {}],
  ['[[a=1]] [[temperature=0.5]] [[width=100]]', {}],
  ['[[[tokens=5]]]', { tokens: 5 }],
  ['[[1,[[tokens=5]],2]]', { tokens: 5 }],
  ['[[Tokens=5]]', {}],
])('%j', (text, expected) => {
  expect(directivesIn(text)).toEqual({ ...noDirectives, ...expected })
})

test('an extremely long list of directives is rejected quickly', () => {
  const million = 1_000_000
  for (const [text, isRefused] of [
    [`[[tool=f {${']]'.repeat(million)}`, true],
    [`[[tool=f {"a":"${']] '.repeat(million)}"}]]`, true],
    ['[[tool=f]]'.repeat(100_000), true],
    [`${'['.repeat(million)}]]`, false],
    [`${'[[error '.repeat(100_000)}]]`, false],
    [`${'[[error]'.repeat(100_000)}]]`, false],
    [`${'[[tokens=1 '.repeat(100_000)}]]`, true],
    ['[[tokens=1 '.repeat(100_000), false],
    ['[[Paris]] '.repeat(100_000), false],
  ] as const) {
    expect('fault' in withinCpu(500, () => directivesIn(text))).toBe(isRefused)
  }
})

test.each([
  [
    '[[toknes=200]]',
    'The simulator has no directive [[toknes]]. Available directives: tokens=200, delay=20ms, ',
  ],
  ['[[dealy=20ms]]', 'The simulator has no directive [[dealy]]'],
  ['[[tex=Hello]]', 'The simulator has no directive [[tex]]'],
  ['[[tokens=5 dealy 20ms]]', 'The simulator has no directive [[dealy]]'],
  ['[[tokens=5 and more]]', 'The simulator has no directive [[and]]'],
  ['[[tokens=200, delay=1]]', '[[tokens]] needs a whole number'],
  ['[[tokens=]]', '[[tokens]] needs a whole number up to 100000. Write [[tokens=200]].'],
  ['[[tokens=-1]]', '[[tokens]]'],
  ['[[tokens=100001]]', '[[tokens]]'],
  ['[[delay=fast]]', '[[delay]] needs a time'],
  ['[[delay=601s]]', '[[delay]] needs a time'],
  ['[[fail=200]]', '[[fail]] needs a status'],
  ['[[error=late]]', '[[error]] accepts first, early or no value'],
  ['[[hang=forever]]', '[[hang]] accepts headers or no value'],
  ['[[broken=yes]]', '[[broken]] accepts no value'],
  ['[[usage=]]', '[[usage]] needs a value'],
  ['[[tool=]]', '[[tool]] needs the name'],
  ['[[tool=f {"a":]]', '[[tool]] needs JSON arguments'],
  ['[[tokens=5]] [[token=6]]', 'The simulator has no directive [[token]]'],
])('the directives %j are rejected with the reason', (text, fault) => {
  const result = directivesIn(text)
  expect('fault' in result ? result.fault : '').toContain(fault)
})

test('the reference of the simulator lists exactly the directives that exist', () => {
  const page = readFileSync(new URL('../../docs/reference/simulator.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+)`/gm)].map(([, usage]) => usage)
  expect(rows).toEqual(orderUsages)
})
