import { expect, test } from 'vitest'
import { directivesIn, noDirectives, type Directives } from './directives.ts'

test.each<[string, Partial<Directives>]>([
  ['Hello', {}],
  ['', {}],
  ['[not] [[closed', {}],
  ['[[]]', {}],
  ['a [[tokens=200 delay=20ms]] b', { tokens: 200, delayMs: 20 }],
  ['[[tokens=0]] [[ delay=2s ]]', { tokens: 0, delayMs: 2000 }],
  ['[[delay=0]]', { delayMs: 0 }],
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
])('%j', (text, expected) => {
  expect(directivesIn(text)).toEqual({ ...noDirectives, ...expected })
})

test('orders that never end are given up soon', () => {
  for (const text of [
    `[[tool=f {${']]'.repeat(1_000_000)}`,
    `[[tool=f {"a":"${']] '.repeat(1_000_000)}"}]]`,
    '[[tool=f]]'.repeat(100_000),
  ]) {
    const start = performance.now()
    expect(directivesIn(text)).toHaveProperty('fault')
    expect(performance.now() - start).toBeLessThan(500)
  }
})

test.each([
  ['[[link]]', 'The simulator knows no [[link]]; it knows tokens=200, delay=20ms, '],
  ['[[tokens=200, delay=1]]', '[[tokens]] needs a whole number'],
  ['[[constructor]]', 'The simulator knows no [[constructor]]'],
  ['[[=]]', 'The simulator knows no [[=]]'],
  ['[[tokens]]', '[[tokens]] needs a whole number up to 100000; write [[tokens=200]].'],
  ['[[tokens=-1]]', '[[tokens]]'],
  ['[[tokens=100001]]', '[[tokens]]'],
  ['[[delay=fast]]', '[[delay]] needs a time'],
  ['[[delay=601s]]', '[[delay]] needs a time'],
  ['[[fail=200]]', '[[fail]] needs a status'],
  ['[[fail]]', '[[fail]] needs a status'],
  ['[[error=late]]', '[[error]] takes first, early or nothing'],
  ['[[hang=forever]]', '[[hang]] takes headers or nothing'],
  ['[[broken=yes]]', '[[broken]] takes no value'],
  ['[[usage]]', '[[usage]] needs a value'],
  ['[[tool]]', '[[tool]] needs the name'],
  ['[[tool=f {"a":]]', '[[tool]] needs arguments that are JSON'],
  ['[[tokens=5]] [[token=6]]', 'The simulator knows no [[token]]'],
])('%j is refused and told why', (text, fault) => {
  const result = directivesIn(text)
  expect('fault' in result ? result.fault : '').toContain(fault)
})
