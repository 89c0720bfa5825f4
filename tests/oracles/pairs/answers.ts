import { signatureOfTag, type Signature } from '#wire/signatures.ts'
import fc from 'fast-check'
import { zeroUsage, type Usage } from '#money/usage.ts'
import { parseValue, printValue } from '#wire/text/json-values.ts'
import type { NeutralEvent } from '#convert/neutral.ts'

/** The parts of an answer in the order in which people read it. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string; readonly seal: Signature | null }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: string }

export interface Answer {
  readonly blocks: readonly Block[]
  readonly finish: string | null
  readonly usage: Usage | null
}

const seals: readonly Signature[] = [
  { wire: 'messages', origin: 'here', kind: 'signature', data: 'c2lnbmVk', id: null },
  { wire: 'generate', origin: 'here', kind: 'thought_signature', data: 'c2lnbmVk', id: null },
  { wire: 'responses', origin: 'here', kind: 'encrypted', data: 'c2lnbmVk', id: 'rs_1' },
]

/** Answers of a provider, and the pieces of each of their texts. */
export const answers: fc.Arbitrary<{ answer: Answer; pieces: number }> = fc.record({
  answer: fc
    .record({
      blocks: fc.array(
        fc.oneof(
          fc.record({ kind: fc.constant('text' as const), text: words() }),
          fc.record({
            kind: fc.constant('reasoning' as const),
            text: words(),
            seal: fc.constantFrom(...seals),
          }),
          fc.record({
            kind: fc.constant('call' as const),
            name: fc.constantFrom('read', 'run_it'),
            arguments: fc.constantFrom(
              '{}',
              '{"a":1}',
              '{"big":9007199254740993,"f":1.0,"e":1e400}',
              '{"s":"é😀"}',
            ),
          }),
        ),
        { minLength: 1, maxLength: 5 },
      ),
      isCut: fc.boolean(),
      input: fc.nat(9999),
      cacheRead: fc.nat(999),
      output: fc.integer({ min: 20, max: 9999 }),
      reasoning: fc.nat(20),
    })
    .map(({ blocks, isCut, ...counts }): Answer => {
      const numbered = blocks.map((block, i) =>
        block.kind === 'call' ? { ...block, id: `call_${i}` } : block,
      )
      const calls = blocks.some(({ kind }) => kind === 'call')
      return {
        blocks: merged(numbered),
        finish: isCut ? 'max_output' : calls ? 'tool_calls' : 'end',
        usage: { ...zeroUsage, ...counts },
      }
    }),
  pieces: fc.integer({ min: 1, max: 5 }),
})

export function eventsOf({ blocks, finish, usage }: Answer, pieces: number): readonly NeutralEvent[] {
  const events: NeutralEvent[] = [{ kind: 'start', id: 'x' }]
  let slot = 0
  for (const block of blocks) {
    if (block.kind === 'text' || block.kind === 'reasoning')
      for (const text of cut(block.text, pieces)) events.push({ kind: block.kind, choice: 0, text })
    if (block.kind === 'reasoning' && block.seal)
      events.push({ kind: 'signature', choice: 0, signature: block.seal })
    if (block.kind === 'call') {
      const { id, name } = block
      events.push({ kind: 'tool_call', choice: 0, slot, id, name, isCustom: false })
      for (const text of cut(block.arguments, pieces))
        events.push({ kind: 'arguments', choice: 0, slot, text })
      events.push({ kind: 'tool_call_end', choice: 0, slot: slot++ })
    }
  }
  if (finish === 'end' || finish === 'max_output' || finish === 'tool_calls')
    events.push({ kind: 'finish', choice: 0, reason: finish, stopSequence: null })
  return usage ? [...events, { kind: 'usage', usage }] : events
}

/** Asserts nothing, because a wrong event produces another answer. */
export function answerOf(events: readonly NeutralEvent[]): Answer {
  const blocks: Block[] = []
  const slots = new Map<number, number>()
  let finish: string | null = null
  let usage: Usage | null = null
  for (const event of events) {
    if (event.kind === 'text' || event.kind === 'refusal') blocks.push({ kind: 'text', text: event.text })
    else if (event.kind === 'reasoning') {
      blocks.push({ kind: 'reasoning', text: event.text, seal: null })
      joinLast(blocks)
    } else if (event.kind === 'signature') {
      const before = blocks.at(-1)
      const seal = signatureOfTag(event.signature.data) ?? event.signature
      if (before?.kind === 'reasoning' && !before.seal) blocks[blocks.length - 1] = { ...before, seal }
      else blocks.push({ kind: 'reasoning', text: '', seal })
    } else if (event.kind === 'tool_call') {
      slots.set(event.slot, blocks.length)
      blocks.push({ kind: 'call', id: event.id, name: event.name, arguments: '' })
    } else if (event.kind === 'arguments') {
      const at = slots.get(event.slot) ?? -1
      const call = blocks[at]
      if (call?.kind === 'call') blocks[at] = { ...call, arguments: call.arguments + event.text }
    } else if (event.kind === 'finish') finish = finish === null ? event.reason : 'twice'
    else if (event.kind === 'usage') usage = event.usage
  }
  return { blocks: merged(blocks), finish, usage }
}

/** Arguments as objects, for wires without a text for them. */
export function withObjects({ blocks, ...rest }: Answer): Answer {
  return {
    ...rest,
    blocks: blocks.map((block) =>
      block.kind === 'call' ? { ...block, arguments: printValue(parseValue(block.arguments)) } : block,
    ),
  }
}

/** Joins neighboring pieces. */
export function merged(blocks: readonly Block[]): readonly Block[] {
  const out: Block[] = []
  for (const block of blocks) {
    out.push(block)
    joinLast(out)
  }
  return out
}

/** Joins the last block with the previous one, if both are pieces of one block. @returns the last */
function joinLast(blocks: Block[]): Block | undefined {
  const [before, last] = blocks.slice(-2)
  if (before?.kind === 'text' && last?.kind === 'text')
    blocks.splice(-2, 2, { kind: 'text', text: before.text + last.text })
  else if (before?.kind === 'reasoning' && last?.kind === 'reasoning' && !before.seal)
    blocks.splice(-2, 2, { ...last, text: before.text + last.text })
  return blocks.at(-1)
}

function cut(text: string, pieces: number): readonly string[] {
  const size = Math.ceil(text.length / pieces)
  const out: string[] = []
  for (let at = 0; at < text.length; at += size) out.push(text.slice(at, at + size))
  return out
}

function words(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom('hello', '\n', ' so ', '"quoted\\"', '</script>', '😀é\u2028'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 9 }),
  )
}
