import { expect, it } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { AnswerBlocks, type Piece } from './order-answer-into-blocks.ts'

const choice = 0

/** All calls begin before the first call ends. */
function piecesOf(count: number): Piece[] {
  const blocks = new AnswerBlocks(true)
  const slots = Array.from({ length: count }, (_, slot) => slot)
  const begun = slots.flatMap((slot) => [
    ...blocks.take({ kind: 'tool_call', choice, slot, id: `call_${slot}`, name: 'f', isCustom: false }),
    ...blocks.take({ kind: 'arguments', choice, slot, text: `{"a":${slot}}` }),
  ])
  return [...begun, ...slots.flatMap((slot) => blocks.take({ kind: 'tool_call_end', choice, slot }))]
}

it('tool calls that arrive at the same time are written one after the other', () => {
  expect(piecesOf(2).map((piece) => [piece.kind, 'text' in piece ? piece.text : null])).toEqual([
    ['open', null],
    ['text', '{"a":0}'],
    ['close', null],
    ['open', null],
    ['text', '{"a":1}'],
    ['close', null],
  ])
})

it('the work to order tool calls grows with their number, not with its square', () => {
  expect(withinCpu(1000, () => piecesOf(40_000))).toHaveLength(3 * 40_000)
})
