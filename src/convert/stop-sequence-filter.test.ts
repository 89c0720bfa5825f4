import fc from 'fast-check'
import { expect, it } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import type { NeutralEvent } from './neutral-format.ts'
import { StopFilter } from './stop-sequence-filter.ts'

function play(stops: readonly string[], texts: readonly string[]): { text: string; stop: string | null } {
  const filter = new StopFilter(stops)
  const out: NeutralEvent[] = texts.flatMap((text) => [...filter.pass({ kind: 'text', choice: 0, text })])
  out.push(...filter.pass({ kind: 'finish', choice: 0, reason: 'end', stopSequence: null }))
  const finishes = out.filter((event) => event.kind === 'finish')
  expect(finishes).toHaveLength(1)
  expect(out.at(-1)?.kind).toBe('finish')
  return {
    text: out.map((event) => (event.kind === 'text' ? event.text : '')).join(''),
    stop: finishes[0]?.stopSequence ?? null,
  }
}

/** Providers end an answer at the stop sequence that is complete first. The longest of several sequences counts. */
function cutAtFirstStop(stops: readonly string[], whole: string): { text: string; stop: string | null } {
  for (let end = 1; end <= whole.length; end++) {
    const ended = stops.filter((stop) => whole.slice(0, end).endsWith(stop))
    const stop = ended.toSorted((a, b) => b.length - a.length)[0]
    if (stop !== undefined) return { text: whole.slice(0, end - stop.length), stop }
  }
  return { text: whole, stop: null }
}

it('an answer ends at the first stop sequence, however the text is divided into pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 6 }), { maxLength: 12 }),
      (stops, texts) => {
        expect(play(stops, texts)).toEqual(cutAtFirstStop(stops, texts.join('')))
      },
    ),
  )
})

it('only text that may be the beginning of a stop sequence is withheld', () => {
  const filter = new StopFilter(['STOP'])
  expect(filter.pass({ kind: 'text', choice: 0, text: 'hello ' })).toEqual([
    { kind: 'text', choice: 0, text: 'hello ' },
  ])
  expect(filter.pass({ kind: 'text', choice: 0, text: 'ST' })).toEqual([])
  expect(filter.pass({ kind: 'text', choice: 0, text: 'AR' })).toEqual([
    { kind: 'text', choice: 0, text: 'STAR' },
  ])
})

it('each choice ends at its own stop sequence, and the rest of the choice is dropped', () => {
  const filter = new StopFilter(['x'])
  expect(filter.pass({ kind: 'text', choice: 0, text: 'ax' })).toEqual([
    { kind: 'text', choice: 0, text: 'a' },
    { kind: 'finish', choice: 0, reason: 'stop_sequence', stopSequence: 'x' },
  ])
  expect(filter.pass({ kind: 'finish', choice: 0, reason: 'end', stopSequence: null })).toEqual([])
  expect(filter.pass({ kind: 'text', choice: 1, text: 'b' })).toEqual([
    { kind: 'text', choice: 1, text: 'b' },
  ])
  expect(filter.stoppedCount).toBe(1)
})

it('the work to search for a long stop sequence grows with the length of the answer, not with its square', () => {
  const filter = new StopFilter([`${'a'.repeat(100_000)}b`])
  const text = `${'a'.repeat(99_999)}c`
  expect(withinCpu(500, () => filter.pass({ kind: 'text', choice: 0, text }))).toEqual([
    { kind: 'text', choice: 0, text },
  ])
})

it('the work of a chunk does not grow with the number of stop sequences, nor with the withheld text', () => {
  const many = new StopFilter(Array.from({ length: 20_000 }, (_, i) => `${i}x`))
  const long = new StopFilter([`${'a'.repeat(60_000)}b`, `${'a'.repeat(59_999)}c`])
  withinCpu(2000, () => {
    for (let i = 0; i < 5000; i++) {
      expect(many.pass({ kind: 'text', choice: 0, text: 'a 1 b 22 c' })).toHaveLength(1)
      expect(long.pass({ kind: 'text', choice: 0, text: 'aa' })).toHaveLength(0)
    }
  })
})
